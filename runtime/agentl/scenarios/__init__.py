"""SCENARIO: one agent, alone, in a world that the scenario gives (language.md §5.18)."""
