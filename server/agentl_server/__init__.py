"""What the editor shows. Holds no rule of the language, of durability or of review (architecture.md)."""
