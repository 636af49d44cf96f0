"""`agentl explain`: the pages of docs/codes, also in an installed package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agentl.errors import UsageError
from agentl_grammar.problems import Message, message_id

_PACKAGE = Path(__file__).parents[1]
_SHIPPED = _PACKAGE / "codes"
_CHECKOUT = _PACKAGE.parents[1] / "docs" / "codes"


@cache
def pages() -> dict[str, Path]:
    """Return the page of every code, in the order of the codes."""
    room = _SHIPPED if _SHIPPED.is_dir() else _CHECKOUT
    return {path.stem: path for path in sorted(room.glob("[A-Z][0-9][0-9][0-9].md"))}


def explain_code(code: str | None) -> int:
    """Print one page, or the list of all. Raises UsageError U108."""
    known = pages()
    if code is None:
        for path in known.values():
            print(path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "))  # the command line
        return 0
    page = known.get(code.upper())
    if page is None:
        raise UsageError(
            "U108",
            Message(message_id("there is no code {code}"), {"code": code}),
            action=Message(message_id("`agentl explain` lists all codes")),
        )
    print(page.read_text(encoding="utf-8"), end="")  # the command line
    return 0
