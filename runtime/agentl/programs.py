"""Text → Program, for those who run programs from Python (durability.md §12)."""

from __future__ import annotations

from pathlib import Path

from agentl.errors import ProgramError
from agentl.files import read_text
from agentl_grammar.parser import parse
from agentl_grammar.problems import Severity
from agentl_grammar.tree import Program


def parse_source(text: str, name: str = "<text>") -> Program:
    """Return the program that `text` says; `name` is what messages call it. Raises ProgramError."""
    result = parse(text, name)
    errors = [problem for problem in result.problems if problem.severity is Severity.ERROR]
    if errors or result.program is None:
        raise ProgramError(result.source, errors or result.problems)
    return result.program


def parse_file(path: str | Path) -> Program:
    """Return the program in the file `path`.

    Raises ProgramError, and UsageError when it cannot be read or is not UTF-8.
    """
    return parse_source(read_text(Path(path)), str(path))
