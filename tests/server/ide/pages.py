"""Real runs of a small program, and a page as a person sees it: lenses above the lines, hints behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentl import Host, InDoubt
from agentl.durable import DurableRun, FileStore
from agentl.host.source import HostSource
from agentl_grammar.parser import Parser, parse
from agentl_grammar.source import Source
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.hints import hints
from agentl_server.ide.lenses import lenses
from agentl_server.ide.page import Page
from agentl_server.runs import RunIndex

PAYMENTS = """\
AGENT payments {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number  to: String } SIDE_EFFECT { ledger } RISK HIGH }
  TOOL notify { INPUT { msg: String } OUTPUT { sent: Bool } }
  POLICY {
    NEVER transfer WHEN tools.transfer.in_doubt == true
  }
  PLAN pay WHEN queue.pending > 0 {
    STEP send { transfer(amount=100, to="acct-9") }
    STEP tell { notify(msg="paid") }
  }
}
"""
RUN = "6c463a7a4312"


def transfer_in_doubt() -> Host:
    """The bank may or may not have moved the money; the queue does not know."""
    host = Host()
    host.sensors["queue.pending"] = lambda: 1

    @host.tool("transfer")
    def transfer(amount: float, to: str) -> dict[str, Any]:
        raise InDoubt("the line went dead")

    @host.tool("notify")
    def notify(msg: str) -> dict[str, Any]:
        return {"sent": True}

    return host


class Dies(BaseException):
    """The process ends inside a tool."""


def run(
    folder: Path,
    program: str = PAYMENTS,
    host: Callable[[], Host] = transfer_in_doubt,
    ticks: int = 2,
    run_id: str = RUN,
) -> Path:
    """Run a program of `folder` durably; return the directory of the run."""
    path = folder / "payments.agent"
    path.write_text(program)
    parsed = parse(program, str(path))
    assert parsed.program, parsed.problems
    directory = folder / "runs" / run_id
    durable = DurableRun(
        parsed.program, host(), store=FileStore(directory), run_id=run_id, source=parsed.source
    )
    with suppress(Dies):
        durable.run(ticks)
    return directory


def page(
    folder: Path, text: str | None = None, host: HostSource | None = None, before: str | None = None
) -> Page:
    """Return the page of the program in `folder` with `text` open; `before` had no mistake."""
    path = folder / "payments.agent"
    index = RunIndex()
    index.discovery.programs = [path]
    asyncio.run(index.refresh())
    shown = Source(path.read_text() if text is None else text, str(path))
    parsed, last = Parser().parse_source(shown), parse(shown.text if before is None else before, str(path))
    good = Anatomy(last.program, last.source) if last.program and last.complete else None
    mistakes = tuple(found for found in parsed.problems if found.code.startswith("S"))
    anatomy = Anatomy(parsed.program, shown, mistakes) if parsed.program else good
    return Page(shown, parsed.problems, anatomy, host, tuple(index.of_program(path, good)), good=good)


def drawn(page: Page) -> str:
    """Return a page as text."""
    source = page.source
    above: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    for lens in lenses(page, "file:///payments.agent"):
        above.setdefault(source.position(lens.span.start).line, []).append(lens.title)
    for hint in hints(page):
        behind.setdefault(source.position(hint.offset).line, []).append(hint.text)
    lines: list[str] = []
    for number in range(source.line_count):
        if number in above:
            lines.append(f"    [{' | '.join(above[number])}]")
        lines.append(source.line(number) + "".join(f"   «{text}»" for text in behind.get(number, [])))
    return "\n".join(lines)
