"""Who answers the crossings: one driver a module (architecture.md)."""
