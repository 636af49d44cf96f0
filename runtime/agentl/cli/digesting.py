"""`agentl digest`: what a program means to a run, as digests (language.md §0 row 19)."""

from __future__ import annotations

import json
from pathlib import Path

from agentl.cli.usage import chosen
from agentl.programs import parse_file
from agentl_grammar.declared import agent_keys
from agentl_grammar.digest import agent_digest, declaration_digests, program_digest

_FORMATS = ("text", "json")


def show_digests(file: Path, output_format: str) -> int:
    """Print the digest of a program, of its agents and of each declaration that a run depends on.

    Raises UsageError, ProgramError and OSError.
    """
    chosen(output_format, _FORMATS)
    program = parse_file(file)
    whole = program_digest(program)
    agents = {key: agent_digest(agent) for key, agent in agent_keys(program)}
    parts = declaration_digests(program)
    if output_format == "json":
        told = {"version": 1, "path": str(file), "program": whole, "agents": agents, "declarations": parts}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print(f"{whole}  {file}")
        for key, digest in (agents | parts).items():
            print(f"{digest}  {key}")
    return 0
