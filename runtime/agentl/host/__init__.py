"""What a host offers a program: its functions, its script, and where they print (language.md §8)."""
