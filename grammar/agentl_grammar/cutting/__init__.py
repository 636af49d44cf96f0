"""Where agents and their members begin, by braces (`cuts`) or `layout`; `cutter` finds it after an edit."""
