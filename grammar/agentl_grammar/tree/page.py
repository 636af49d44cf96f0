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
begins; what is in it stands below, further in. `agentl ast FILE --json` prints the same as one JSON object.
`-` as FILE is standard input.

Lines and columns are counted from 1. A column counts code points (Unicode characters, as Python counts them:
an emoji is one), a tab is one, and a byte order mark at the start is none. A line ends at LF, CRLF or CR.

Of a broken program both print what could be read around the mistakes, on standard output; the mistakes
follow on standard error, and the exit code is 2. The line of `Program` ends in `incomplete` then. Where not
even an AGENT was found, an empty text among them, the program has no agents.

The JSON object is the `Program`, with four fields before its own, there whatever the text is:

- `version`: 1. It changes when a field here is taken away or means something else;
- `path`: the file as it was named, or `<stdin>`;
- `complete`: whether the tree is all of the text. When it is not, a field may be left out (`null`, or an
  array without it), and what the mistakes are in may be missing;
- `problems`: the mistakes, each as `agentl check --format json` tells it: `code`, `severity`, `path`, `start`
  and `end` (each with `line` and `column`, as above), `message`, `hint`, `related`, `fixes`. A member that is
  there twice and may stand once (E018) is a problem of a complete tree.

Every node is an object. It has

- `node`, its kind: one of those below;
- `span`, `[[line, column], [line, column]]`: where it begins and where it ends, the end excluded;
- its fields, all of them and in this order. `A | B` is either, `None` is `null`, `tuple[A, ...]` and
  `Sequence[A]` are arrays, `str`, `int`, `float` and `bool` are texts, numbers and booleans; a number too
  large for JSON is `null`. An `Expression`, a `Statement` and a `Member` are any node of the groups of that
  name.

Kinds and fields stay what they are from one release to the next; new ones may come.

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
