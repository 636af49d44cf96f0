"""The program as a sans-I/O machine: yields a Crossing, takes an Outcome (architecture.md)."""
