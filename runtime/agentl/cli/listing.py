"""`agentl durable list`: the runs in a directory or a database, and how each stands (durability.md §7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args

from agentl.cli.status_view import error_data
from agentl.cli.terminal import visible, write
from agentl.durable import RunStatus, status
from agentl.durable.addressing import addresses, store_at
from agentl.durable.heads import read_register
from agentl.durable.prune import IN_DOUBT
from agentl.durable.status import State
from agentl.durable.summary import first_record
from agentl.errors import DurableError, UsageError
from agentl.messages import translate
from agentl_grammar.problems import Message, message_id

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_STYLES = {"running": "green", "interrupted": "yellow", "corrupt": "red"}
_HEADS = (
    message_id("run"),
    message_id("state"),
    message_id("agents"),
    message_id("began"),
    message_id("tick"),
    message_id("program"),
    message_id("place"),
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are listed: all that fit every part that is given."""

    states: tuple[str, ...] = ()
    program: str | None = None
    agent: str | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class _Listed:
    """One run, with the program that its header names: a source, and a digest."""

    found: RunStatus
    source: str | None
    digest: str | None


def print_runs(place: str, wanted: Filter, *, as_json: bool) -> int:
    """List the runs at a place, oldest first. Raises DurableError R602, UsageError U115, U116."""
    _refuse_states(wanted.states)
    since = None if wanted.since is None else _moment(wanted.since)
    listed = [run for run in _runs(place) if _fits(run, wanted, since)]
    listed.sort(key=lambda run: (_began(run.found) or datetime.max.replace(tzinfo=UTC), run.found.place))
    if as_json:
        print(json.dumps([_as_data(run) for run in listed], indent=2))
    else:
        _print(listed)
    return 0


def _runs(place: str) -> Iterator[_Listed]:
    register = read_register()
    for address in addresses(place):
        store = store_at(address)
        try:
            found = status(store, register=register)
            header = None if found.state == "corrupt" else first_record(store)
        except DurableError as problem:
            yield _Listed(RunStatus(store.name, "corrupt", problem=problem), None, None)
            continue
        source, digest = (None, None) if header is None else (header.source, header.program)
        yield _Listed(found, source, digest)


# -------------------------------------------------------------------------------------------- the filters


def _refuse_states(states: tuple[str, ...]) -> None:
    known = (*get_args(State), IN_DOUBT)
    unknown = [state for state in states if state not in known]
    if unknown:
        raise UsageError(
            "U115",
            Message(message_id("{state} is no state of a run"), {"state": unknown[0]}),
            action=Message(message_id("use one of: {states}"), {"states": ", ".join(known)}),
        )


def _moment(text: str) -> datetime:
    """Return the moment that `--since` names: a date, a time, or so long ago; without a zone, a local one."""
    if (ago := re.fullmatch(r"(\d{1,6})([mhdw])", text)) is not None:
        return datetime.now(UTC) - timedelta(**{_UNITS[ago.group(2)]: int(ago.group(1))})
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise UsageError(
            "U116",
            Message(message_id("--since {text} is no moment"), {"text": text}),
            action=Message(
                message_id("name a date, a time, or a while ago: 2026-11-29, 2026-11-29T08:30, 7d")
            ),
        ) from None


def _fits(run: _Listed, wanted: Filter, since: datetime | None) -> bool:
    began = _began(run.found)
    return (
        _stands(run.found, wanted.states)
        and (wanted.agent is None or wanted.agent in run.found.agents)
        and (wanted.program is None or _is_program(run, wanted.program))
        and (since is None or (began is not None and began >= since))
    )


def _stands(found: RunStatus, states: tuple[str, ...]) -> bool:
    """Tell whether a run is in one of these states; what is being performed right now is not in doubt."""
    doubtful = bool(found.unsettled) and found.state != "running"
    return not states or found.state in states or (IN_DOUBT in states and doubtful)


def _is_program(run: _Listed, wanted: str) -> bool:
    """Tell whether a run is of a program: its file, the end of its path, or the beginning of its digest.

    Of a run that knows no more than the name of its file, that decides.
    """
    path = (run.source or "").split("/")
    parts = [part for part in wanted.split("/") if part not in {"", "."}][-len(path) :]
    by_file = bool(parts) and path[-len(parts) :] == parts
    return by_file or (len(wanted) >= 6 and (run.digest or "").startswith(wanted))  # noqa: PLR2004  # fewer digits than 6 are a name


def _began(found: RunStatus) -> datetime | None:
    try:
        return None if found.created is None else datetime.fromisoformat(found.created).astimezone()
    except ValueError:
        return None


# -------------------------------------------------------------------------------------------- the list


def _print(listed: list[_Listed]) -> None:
    if not listed:
        write(translate(Message(message_id("no runs"))))
        return
    rows = [tuple(translate(Message(head)) for head in _HEADS), *(_row(run) for run in listed)]
    rows = [tuple(visible(cell) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    styles = ["bold", *(_STYLES.get(run.found.state, "") for run in listed)]
    for row, style in zip(rows, styles, strict=True):
        write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), style)


def _row(run: _Listed) -> tuple[str, ...]:
    found = run.found
    word = translate(Message(message_id("in doubt")))
    doubts = f" ({word}: {len(found.in_doubt)})" if found.in_doubt else ""
    refused = "".join(f" ({error.code})" for error in (found.problem, found.refusal) if error is not None)
    tick = f"{found.tick}" if found.length is None else f"{found.tick}/{found.length}"
    program = (run.source or "-").rpartition("/")[2]
    agents = ", ".join(found.agents) or "-"
    return (
        found.run_id or "-",
        found.state + doubts + refused,
        agents,
        found.created or "-",
        tick,
        program,
        found.place,
    )


def _as_data(run: _Listed) -> dict[str, object]:
    found = run.found
    return {
        "run_id": found.run_id,
        "path": found.place,
        "state": found.state,
        "in_doubt": len(found.in_doubt),
        "open_intents": len(found.open_intents),
        "agents": list(found.agents),
        "program": run.source,
        "digest": run.digest,
        "created": found.created,
        "tick": found.tick,
        "length": found.length,
        "entries": found.entries,
        "problem": error_data(found.problem),
        "refusal": error_data(found.refusal),
    }
