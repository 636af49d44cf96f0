"""The page of all nodes, docs/tree.md: `python -m agentl_grammar.tree.page > docs/tree.md`.

A test holds the committed page equal to what this module returns.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import fields

from agentl_grammar import tree

_HEAD = """\
# The syntax tree

`agentl ast FILE` prints one line for each node: its kind, its plain fields and the line and column where it
begins, both counted from 1 in characters; what is in it stands below, further in. `agentl ast FILE --json`
prints the same as one JSON object. Of a broken program both print what could be read around the mistakes,
on standard output; the mistakes follow on standard error, and the exit code is 2. Without even an AGENT
nothing is printed.

In JSON every node is an object. It has

- `node`, its kind: one of those below;
- `span`, `[[line, column], [line, column]]`: where it begins and where it ends, the end excluded;
- its fields, all of them and in this order. `A | B` is either, `None` is `null`, `tuple[A, ...]` and
  `Sequence[A]` are arrays, `str`, `int`, `float` and `bool` are texts, numbers and booleans; a number too
  large for JSON is `null`. An `Expression`, a `Statement` and a `Member` are any node of the groups of that
  name.

The whole is a `Program`. Kinds and fields stay what they are from one release to the next; new ones may come.

Made from the tree itself (`python -m agentl_grammar.tree.page`): do not edit.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_groups(), "", *_nodes(), ""])


def _groups() -> Iterator[str]:
    yield "| group | kinds |\n|---|---|"
    for name in ("Member", "Statement", "Expression"):
        kinds = sorted(kind.__name__ for kind in getattr(tree, name).__args__)
        yield f"| {name} | {', '.join(kinds)} |"


def _nodes() -> Iterator[str]:
    yield "| node | fields | what it is |\n|---|---|---|"
    for name in tree.__all__:
        kind = getattr(tree, name)
        if isinstance(kind, type) and issubclass(kind, tree.Node) and kind is not tree.Node:
            told = "; ".join(f"`{slot.name}`: {slot.type}" for slot in fields(kind) if slot.name != "span")
            yield f"| {name} | {_cell(told)} | {_cell(_said(kind))} |"


def _said(kind: type) -> str:
    return re.sub(r" \(§[^)]*\)", "", " ".join((kind.__doc__ or "").split()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page())
