"""Pure functions: program, text, runs → plain data. No LSP type, no I/O; one module a feature."""
