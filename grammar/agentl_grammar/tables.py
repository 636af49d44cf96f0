"""The parser's tables as a file beside agent.lark, so that nobody waits for Lark to compute them.

    python -m agentl_grammar.tables

writes the file. It is made by the build and is never under version control; without it, or when it belongs
to another agent.lark or is of another form, the tables are computed in memory.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from agentl_grammar import lalr

_GRAMMAR = Path(__file__).with_name("agent.lark")
_FILE = Path(__file__).with_name("tables.json")


def build_tables() -> dict[str, Any]:
    """Compute the tables of agent.lark as data that JSON can hold; takes most of a second."""
    from agentl_grammar.compiling import compile_grammar  # noqa: PLC0415  # Lark is loaded only for this

    return {
        "digest": _digest(),
        **json.loads(json.dumps(compile_grammar(_GRAMMAR.read_text(encoding="utf-8")))),
    }


def write_tables(path: Path = _FILE) -> None:
    """Write the tables to `path`, by default where `load_tables` looks."""
    path.write_text(json.dumps(build_tables(), separators=(",", ":")) + "\n", encoding="utf-8")


def load_tables(path: Path = _FILE) -> dict[str, Any]:
    """Return the tables in `path` when they are those of agent.lark, in this form; else compute them."""
    try:
        tables: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if tables["digest"] == _digest():
            return tables
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return build_tables()


def _digest() -> str:
    return hashlib.sha256(_GRAMMAR.read_bytes() + lalr.FORM.encode()).hexdigest()


if __name__ == "__main__":
    write_tables()
