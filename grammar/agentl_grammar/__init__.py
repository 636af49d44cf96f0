"""What a program says: text, tree, problems, digest. No I/O and no knowledge of running (architecture.md)."""
