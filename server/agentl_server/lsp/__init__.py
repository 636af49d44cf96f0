"""One module a method: ide data ↔ protocol, and nothing else (architecture.md)."""
