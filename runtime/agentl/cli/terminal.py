"""Standard output: plain when it is piped, colours and tables on a terminal (NO_COLOR respected)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
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


def write_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their heads; piped, columns are padded with spaces and nothing is drawn."""
    console = _console()
    if console is None:
        _write_columns([heads, *rows])
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _write_columns(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
