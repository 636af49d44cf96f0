"""Standard output: plain when it is piped, coloured on a terminal (NO_COLOR respected)."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@cache
def _console() -> Console | None:
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def write(text: str, style: str = "") -> None:
    """Print `text` as it is; `style` is one of rich's, and counts on a terminal only."""
    console = _console()
    if console is None:
        print(text, flush=True)
        return
    from rich.text import Text

    console.print(Text(text, style=style))
