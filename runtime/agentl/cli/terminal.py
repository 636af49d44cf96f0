"""Standard output: plain when it is piped, coloured on a terminal (NO_COLOR respected)."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from agentl.cli.streams import results

if TYPE_CHECKING:
    from rich.console import Console


_STEERING = frozenset({"Cc", "Cs", "Zl", "Zp"})


@cache
def _console() -> Console | None:
    if not results().isatty():
        return None
    from rich.console import Console

    return Console(file=results(), highlight=False, soft_wrap=True)


def visible(text: str) -> str:
    """Return a text as one line of a terminal: what would break or steer it is shown as it is written."""
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    hidden = unicodedata.category(char) in _STEERING
    return char.encode("unicode_escape").decode() if hidden else char


def write_line(text: str, style: str = "") -> None:
    """Print one line that holds what people, hosts and models said: none of it passes for a line of ours."""
    write(visible(text), style)


def write(text: str, style: str = "") -> None:
    """Print `text` as it is; `style` is one of rich's, and counts on a terminal only."""
    console = _console()
    if console is None:
        print(text, file=results(), flush=True)
        return
    from rich.text import Text

    console.print(Text(text, style=style))
