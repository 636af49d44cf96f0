"""`python -m agentl` is the `agentl` command."""

from agentl.cli import main

main()
