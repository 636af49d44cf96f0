"""`agentl ast`: the syntax tree of a program, as lines or as JSON (docs/tree.md is its schema)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite
from pathlib import Path

from agentl.cli.check_formats import Finding, problems_as_data
from agentl.cli.programs import read_program
from agentl.errors import ProgramError
from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Node, Program
from agentl_grammar.tree.shift import Moved


def show_tree(file: Path, *, as_json: bool) -> int:
    """Print the tree; `-` is standard input.

    Raises ProgramError behind it when the program is broken, and UsageError for what cannot be read.
    """
    source = read_program(file)
    result = parse(source.text, source.name)
    if as_json:
        print(json.dumps(_document(result), indent=2, ensure_ascii=False))
    else:
        program, *inner = _lines(_whole(result), result.source, 0)
        print("\n".join([program if result.complete else f"{program}  incomplete", *inner]))
    if not result.complete:
        raise ProgramError(result.source, result.problems)
    return 0


def _document(result: ParseResult) -> dict[str, object]:
    findings = [Finding(problem, result.source) for problem in result.problems]
    return {
        "version": 1,
        "path": result.source.name,
        "complete": result.complete,
        "problems": problems_as_data(findings),
        **_node(_whole(result), result.source),
    }


def _whole(result: ParseResult) -> Program:
    """Return the tree; of a text in which no agent was found, one without agents."""
    return result.program or Program(Span(0, len(result.source.text)), ())


def _data(value: object, source: Source) -> object:
    if isinstance(value, Node):
        return _node(value, source)
    if isinstance(value, int | float) and not _is_finite(value):
        return None
    if not _is_many(value):
        return value
    data_of_items: list[object] = []
    for item in _items(value):
        data_of_items.append(_data(item, source))  # noqa: PERF401 (as above)
    return data_of_items


def _is_finite(value: float) -> bool:
    """Tell whether a number has a value where numbers are 64 bits wide, as in most readers of JSON."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def _node(node: Node, source: Source) -> dict[str, object]:
    places = [source.position(offset) for offset in (node.span.start, node.span.end)]
    data: dict[str, object] = {
        "node": type(node).__name__,
        "span": [[line + 1, column + 1] for line, column in places],
    }
    for name in _told(node):  # a loop: a row of hundreds of terms needs the stack
        data[name] = _data(getattr(node, name), source)
    return data


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
