"""`agentl diff`: which declarations of two programs differ for a run, with both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

from agentl.cli.usage import chosen
from agentl.files import read_text
from agentl.messages import translate
from agentl.programs import parse_source
from agentl_grammar.comparing import Change, Difference, Side, differences
from agentl_grammar.digest import program_digest
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Source
from agentl_grammar.tree import Program

_FORMATS = ("text", "json")
_WORDS = {
    Change.ADDED: message_id("{key} was added"),
    Change.REMOVED: message_id("{key} was removed"),
    Change.CHANGED: message_id("{key} was changed"),
    Change.REORDERED: message_id("{key}: the same parts in another order, which counts"),
    Change.MOVED: message_id("{key} moved: its place among the others counts"),
}


def show_differences(before: Path, after: Path, output_format: str) -> int:
    """Print what differs. Return 0 when both mean the same to a run, else 1.

    Raises UsageError, ProgramError and OSError.
    """
    chosen(output_format, _FORMATS)
    sources = [Source(read_text(file), str(file)) for file in (before, after)]
    programs = [parse_source(source.text, source.name) for source in sources]
    found = differences(*programs)
    if output_format == "json":
        print(json.dumps(_as_data(found, sources, programs), indent=2, ensure_ascii=False))
    else:
        for difference in found:
            print("\n".join(_lines(difference, sources)))
    return 1 if found else 0


def _lines(difference: Difference, sources: list[Source]) -> Iterator[str]:
    yield translate(Message(_WORDS[difference.change], {"key": difference.key}))
    sides = (difference.before, difference.after)
    for side, source in zip(sides, sources, strict=True):
        if side:
            line, column = source.position(side.span.start)
            yield f"  {source.name}:{line + 1}:{column + 1}"
    if difference.change is not Change.MOVED:
        old, new = (_text(side).splitlines() if side else [] for side in sides)
        for line in list(unified_diff(old, new, lineterm="", n=2))[2:]:
            if not line.startswith("@@"):
                yield f"  {line}"
    yield ""


def _text(side: Side) -> str:
    """Return a declaration in its canonical form: layout and comments are no difference."""
    return "\n".join(map(print_node, side.nodes))


def _as_data(found: list[Difference], sources: list[Source], programs: list[Program]) -> dict[str, Any]:
    before, after = (
        {"path": source.name, "digest": program_digest(program)}
        for source, program in zip(sources, programs, strict=True)
    )
    told = [
        {
            "key": difference.key,
            "change": str(difference.change),
            "before": _side(difference.before, sources[0]),
            "after": _side(difference.after, sources[1]),
        }
        for difference in found
    ]
    return {"version": 1, "same": not found, "before": before, "after": after, "differences": told}


def _side(side: Side | None, source: Source) -> dict[str, Any] | None:
    if side is None:
        return None
    line, column = source.position(side.span.start)
    return {"line": line + 1, "column": column + 1, "digest": side.digest, "text": _text(side)}
