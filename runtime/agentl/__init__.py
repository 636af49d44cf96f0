"""What a program does, and the public Python API (durability.md §12)."""
