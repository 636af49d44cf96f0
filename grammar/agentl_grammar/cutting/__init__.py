"""Where agents and their members begin: `cuts` finds it in a whole text, `cutter` after an edit."""
