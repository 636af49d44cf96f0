"""Durable runs: records, chain, lock, stores and the run itself (durability.md)."""
