"""`agentl durable show` and `export`: the journal as a person reads it, and as a file (durability.md §1)."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from agentl import codec
from agentl.cli.reporting import notice
from agentl.cli.terminal import write, write_line
from agentl.durable import Line, status
from agentl.durable.addressing import refuse_output_over
from agentl.durable.entries import cancellation
from agentl.durable.export import exporter, program_text
from agentl.durable.showing import lines_of, usage_text
from agentl.durable.status import glance
from agentl.durable.stores import Store
from agentl.errors import DurableError
from agentl.files import write_parts
from agentl.values import Value
from agentl.values import show as show_value
from agentl_grammar.problems import Message, message_id

_POLL_SECONDS = 0.2
_STYLES = {"open": "yellow", "in doubt": "red", "failed": "red"}


def show_journal(place: str, *, tick: int | None, follow: bool, as_json: bool) -> int:
    """Print the records of a run, or of one tick; with `follow`, until it ends. Raises DurableError."""
    printer = _Printer(as_json=as_json)
    printer.print(lines_of(place, tick))
    if follow:
        _follow(place, tick, printer)
    return 0


def _follow(place: str, tick: int | None, printer: _Printer) -> None:
    """Print what comes, until the run ends. The journal is read anew only when it has grown."""
    head = ""
    while True:
        found = glance(place) or status(place)
        if found.head != head or found.state == "corrupt":
            printer.print(lines_of(place, tick, printer.last))
            head = found.head
        if found.state in {"completed", "cancelled"}:
            return
        time.sleep(_POLL_SECONDS)


class _Printer:
    """Prints every record once, under the head of its tick."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.last = 0
        self._tick: int | None = None

    def print(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.last = line.n
            if self._as_json:
                print(json.dumps(_as_data(line)), flush=True)
            else:
                self._print_line(line)

    def _print_line(self, line: Line) -> None:
        if line.tick != self._tick and line.kind != "ended":
            self._tick = line.tick
            write(f"tick {line.tick}", "bold")
        write_line(f"  #{line.n:<4} {line.kind:<11} {describe(line)}", _STYLES.get(line.state, ""))


def describe(line: Line) -> str:
    """Return what a record says, in one line."""
    return _DESCRIBED.get(line.kind, _answer)(line)


def _verdict(line: Line) -> str:
    return f"{_call(line)}  {line.fields['verdict']} by {line.fields['rule']}{_reads(line.fields)}"


def _intent(line: Line) -> str:
    fields = line.fields
    about = f"id {fields['action']}  key {fields['idempotency_key']}  promise {fields['promise']}"
    return f"{_call(line)}  {line.state}  {about}"


def _resolution(line: Line) -> str:
    reason = f": {line.fields['reason']}" if "reason" in line.fields else ""
    who = f", {line.fields['who']}" if "who" in line.fields else ""
    return f"{line.subject}  {line.fields['how']}, attempt {line.fields['attempt']}{who}{reason}"


def _ended(line: Line) -> str:
    return ", ".join(str(line.fields[name]) for name in ("how", "who") if name in line.fields)


def _repaired(line: Line) -> str:
    lost, actions, who = (line.fields[name] for name in ("lost", "actions", "who"))
    return f"lines lost: {lost}, actions among them: {actions}, {who}"


def _answer(line: Line) -> str:
    usage = line.fields.get("usage")
    took = "" if usage is None else f"  [{usage_text(usage)}]"
    if "error" in line.fields:
        error = line.fields["error"]
        return f"{line.subject}  failed: {error['class_name']}: {error['message']}{took}"
    arrow = "→" if line.kind == "invoke" else "="
    return f"{line.subject} {arrow} {show_value(line.fields.get('value'))}{took}".strip()


def _call(line: Line) -> str:
    arguments = line.fields.get("args")
    if not isinstance(arguments, dict):
        return line.subject
    pairs = cast("dict[str, Value]", arguments).items()
    return f"{line.subject}({', '.join(f'{name}={show_value(value)}' for name, value in pairs)})"


def _reads(fields: Mapping[str, Any]) -> str:
    reads = cast("dict[str, Value]", fields.get("reads") or {})
    if not reads:
        return ""
    return "  [" + ", ".join(f"{path} = {show_value(value)}" for path, value in reads.items()) + "]"


_DESCRIBED: dict[str, Callable[[Line], str]] = {
    "verdict": _verdict,
    "intent": _intent,
    "resolution": _resolution,
    "checkpoint": lambda _: "end of tick",
    "resumed": lambda line: f"number {line.fields['count']}",
    "ended": _ended,
    "repaired": _repaired,
}


def _as_data(line: Line) -> dict[str, object]:
    return {
        "n": line.n,
        "tick": line.tick,
        "kind": line.kind,
        "agent": line.agent,
        "subject": line.subject,
        "site": line.site,
        "state": line.state,
        "fields": {name: codec.encode(value) for name, value in line.fields.items()},
    }


def export_program(place: str, output: Path | None) -> int:
    """Write the text of the program that a run began with. Raises DurableError, UsageError U111, OSError."""
    text = program_text(place)
    if output is None:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    else:
        refuse_output_over(place, output)
        write_parts(output, [text.encode("utf-8", "surrogatepass")])
    return 0


def export_run(place: str, output: Path | None) -> int:
    """Write the run as a replay journal. Raises DurableError, UsageError U111, OSError."""
    export = exporter(place)
    if output is None:
        sys.stdout.writelines(export.pieces())
    else:
        refuse_output_over(place, output)
        # It holds all values in clear, as the journal does.
        write_parts(output, (piece.encode("ascii") for piece in export.pieces()), mode=0o600)
        values = {"run": export.header.key, "path": str(output)}
        notice(Message(message_id("run {run} exported: {path}"), values))
    if export.partial:
        notice(Message(_why_partial(export.store)))
    return 0


def _why_partial(store: Store) -> str:
    with contextlib.suppress(DurableError):  # of a damaged inbox the journal can be exported all the same
        if cancellation(store) is not None:
            return message_id(
                "the run was cancelled, which its journal does not say yet: the export is marked partial"
            )
    return message_id("the run has not ended: the export is marked partial")
