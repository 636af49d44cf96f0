"""`agentl ast`: the syntax tree of a program, as lines or as JSON (docs/tree.md is its schema)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite
from pathlib import Path

from agentl.errors import ProgramError
from agentl.files import read_text
from agentl_grammar.parser import parse
from agentl_grammar.source import Source
from agentl_grammar.tree import Node
from agentl_grammar.tree.shift import Moved


def show_tree(file: Path, *, as_json: bool) -> int:
    """Print the tree. Raises ProgramError behind it when the program is broken, and OSError."""
    result = parse(read_text(file), str(file))
    if result.program is not None:
        if as_json:
            print(json.dumps(_data(result.program, result.source), indent=2, ensure_ascii=False))
        else:
            print("\n".join(_lines(result.program, result.source, 0)))
    if not result.complete:
        raise ProgramError(result.source, result.problems)
    return 0


def _data(value: object, source: Source) -> object:
    if isinstance(value, Node):
        places = [source.position(offset) for offset in (value.span.start, value.span.end)]
        data: dict[str, object] = {
            "node": type(value).__name__,
            "span": [[line + 1, column + 1] for line, column in places],
        }
        for name in _told(value):  # a loop: a row of hundreds of terms needs the stack
            data[name] = _data(getattr(value, name), source)
        return data
    if isinstance(value, float) and not isfinite(value):
        return None
    if not _is_many(value):
        return value
    data_of_items: list[object] = []
    for item in _items(value):
        data_of_items.append(_data(item, source))  # noqa: PERF401 (as above)
    return data_of_items


def _lines(node: Node, source: Source, depth: int) -> Iterator[str]:
    line, column = source.position(node.span.start)
    plain: list[str] = []
    inner: list[Node] = []
    for name in _told(node):
        value = getattr(node, name)
        if isinstance(value, Node) or _is_many(value):
            inner += [
                item for item in (_items(value) if _is_many(value) else [value]) if isinstance(item, Node)
            ]
        elif value is not None and value is not False:
            plain.append(f"{name}={value!r}")
    yield f"{'  ' * depth}{' '.join([type(node).__name__, *plain])}  {line + 1}:{column + 1}"
    for child in inner:
        yield from _lines(child, source, depth + 1)


def _told(node: Node) -> list[str]:
    return [slot.name for slot in fields(node) if slot.name != "span"]


def _is_many(value: object) -> bool:
    return isinstance(value, tuple | Moved)


def _items(value: object) -> Iterable[object]:
    return value if isinstance(value, Iterable) else ()  # pyright: ignore[reportUnknownVariableType]
