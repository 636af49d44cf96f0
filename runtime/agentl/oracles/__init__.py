"""Models: what REASON asks (language.md §8.3)."""
