"""The static rules, one module a family, each a function that says what it finds (language.md §10)."""
