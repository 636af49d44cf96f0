"""What a run prints: its trace, the actions that were settled, its metrics (durability.md §1)."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from agentl import codec
from agentl.cli.streams import as_named_before
from agentl.cli.terminal import write, write_line
from agentl.files import naming
from agentl.trace import Event, Trace

_STYLES = {
    "TICK": "bold",
    "TOOL": "green",
    "BLOCKED": "red",
    "ERROR": "red",
    "VERIFY_FAIL": "red",
    "VERIFY_OK": "green",
    "ASK": "yellow",
    "APPROVAL": "yellow",
    "LLM": "magenta",
    "DELEGATE": "green",
    "MESSAGE": "cyan",
    "EVENT": "cyan",
    "RETRY": "yellow",
    "POLICY": "yellow",
    "MEMORY": "dim",
    "SHARED": "dim",
    "OBSERVE": "dim",
    "BELIEF": "dim",
    "GOAL": "dim",
}


def trace_style(kind: str) -> str:
    """Return how a trace line of this kind looks on a terminal, as a style of rich."""
    return _STYLES.get(kind, "")


class TraceOutput:
    """Prints a trace while it grows, or at its end; `events` also gets every event as a line of JSON."""

    def __init__(self, agent: str, *, quiet: bool, events: IO[str] | None) -> None:
        self._agent = agent
        self._quiet = quiet
        self._events = events
        self._kept: list[tuple[str, str]] = []
        self._sequence = 0
        self._traces: list[Trace] = []

    def follow(self, trace: Trace) -> None:
        """Take every event of `trace` from now on; the trace itself need not hold them."""
        self._traces.append(trace)
        trace.subscribe(lambda event: self._take(trace, event))
        trace.keep_none()

    def _take(self, trace: Trace, event: Event) -> None:
        line = (trace.line(event), trace_style(event.kind))
        if self._quiet:
            self._kept.append(line)
        else:
            write(*line)
        if self._events:
            self._write_event(self._events, trace, event)

    def _write_event(self, stream: IO[str], trace: Trace, event: Event) -> None:
        body = {
            "seq": self._sequence,
            "agent": self._agent,
            "tick": event.tick,
            "kind": event.kind,
            "code": event.code,
            "text": trace.text(event),
            "detail": codec.encode(dict(trace.masked(event.arguments, event.hidden))),
        }
        self._sequence += 1
        with naming(Path(stream.name)):
            stream.write(json.dumps(body) + "\n")
            stream.flush()

    def scrub(self, text: str) -> str:
        """Return a text that stands in no trace without what NEVER SEND protects in these."""
        for trace in self._traces:
            text = trace.scrub(text)
        return text

    def finish(self) -> None:
        """Print what was kept back."""
        for line in self._kept:
            write(*line)
        self._kept.clear()


@contextmanager
def trace_output(agent: str, *, quiet: bool, events: Path | None) -> Generator[TraceOutput]:
    """Open the output of a run; however it ends, what was kept back is printed. Raises OSError."""
    stream = as_named_before(events).open("w", encoding="utf-8") if events else None
    output = TraceOutput(agent, quiet=quiet, events=stream)
    try:
        yield output
    finally:
        output.finish()
        if stream and events:
            with naming(events):
                stream.close()


_SETTLED = {
    "retry": "sent again with the same key",
    "not_executed": "had not happened; performed now",
    "reconciled": "had happened; its result was found",
    "in_doubt": "in doubt; it will not be sent again",
    "operator_happened": "had happened, says an operator",
    "operator_not": "did not happen, says an operator",
    "operator_resend": "to be sent again with the same key, says an operator",
}


def print_settled(resolutions: Sequence[Mapping[str, Any]]) -> None:
    """Print one line for each action that was interrupted and settled."""
    if resolutions:
        write("")
        write("settled", "bold")
    for settled in resolutions:
        undoing = "undo " if settled["does"] == "compensate" else ""
        write_line(f"  {undoing}{settled['tool']} ({settled['action_id']}): {_SETTLED[settled['how']]}")


def print_metrics(metrics: Mapping[str, int]) -> None:
    """Print the counters that counted anything."""
    write("")
    write("metrics", "bold")
    counted = {name: count for name, count in metrics.items() if count}
    width = max((len(name) for name in counted), default=0)
    for name, count in counted.items():
        write(f"  {name.ljust(width)}  {count}")


def print_ledger(drift: Mapping[str, Sequence[int]]) -> None:
    """Print how often each EFFECT was found to be so, and how often not (language.md §5.3)."""
    if not drift:
        return
    write("")
    write("effects", "bold")
    pairs = {pair.replace(" ", " → ", 1): counts for pair, counts in drift.items()}
    width = max(map(len, pairs))
    for pair, (confirmed, refuted) in pairs.items():
        write(f"  {pair.ljust(width)}  confirmed {confirmed}, refuted {refuted}", "red" if refuted else "")
