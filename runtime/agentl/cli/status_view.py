"""`agentl durable status`: how a run stands, and the command that resumes it (durability.md §7)."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from agentl.cli.reporting import report
from agentl.cli.terminal import write_line
from agentl.durable import RunStatus, status
from agentl.durable.addressing import directory_of, store_at
from agentl.durable.records import IntentRecord, ResolutionRecord
from agentl.durable.status import glance
from agentl.durable.summary import first_record
from agentl.errors import AgentlError, DurableError
from agentl.files import read_text
from agentl.messages import translate
from agentl_grammar.problems import Message, message_id

_STYLES = {
    "running": "green",
    "completed": "green",
    "cancelled": "yellow",
    "interrupted": "yellow",
    "corrupt": "red",
}
_STATES = {
    "new": message_id("new: it has not begun"),
    "running": message_id("running"),
    "interrupted": message_id("interrupted: the same command resumes it"),
    "completed": message_id("completed"),
    "cancelled": message_id("cancelled"),
    "corrupt": message_id("corrupt"),
}
_REFUSED = {
    "new": message_id("new: its journal is gone, and a run cannot begin in its place"),
    "interrupted": message_id("interrupted: a resume is refused"),
}


def show_status(place: str, *, as_json: bool, quick: bool) -> int:
    """Print how a run stands; a corrupt one is also an error. Raises DurableError R602.

    Of a long journal a first screen comes at once, and nothing else if `quick`.
    """
    file = program_file(place)
    changed = None if file is None else _changed(place, file)
    first = glance(place) if quick or not as_json else None
    if first is not None:
        _show(replace(first, changed=changed), file, as_json=as_json)
        if quick:
            return 0
        write_line("")
    found = replace(status(place), changed=changed)
    _show(found, file, as_json=as_json)
    if found.problem is None:
        return 0
    report(found.problem)
    return found.problem.exit_code


def _show(found: RunStatus, file: Path | None, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_as_data(found, file, _reasons(found)), indent=2))
    else:
        _print(found, file)
        sys.stdout.flush()


def _reasons(found: RunStatus) -> Mapping[int, str]:
    """Return why actions were settled as they were, by record, with what NEVER SEND names masked.

    To mask it, the journal is read as `show` reads it: nothing is told of one of which that cannot be done.
    """
    if found.problem is not None or found.verified_from or not any(s.reason for s in found.settlements):
        return {}
    from agentl.durable.showing import lines_of

    try:
        return {
            line.n: str(line.fields["reason"]) for line in lines_of(found.place) if line.fields.get("reason")
        }
    except DurableError:
        return {}


def program_file(place: str) -> Path | None:
    """Return the file the run began with, as seen from here; None when the journal does not tell.

    Of a run that lies in no directory, the name of the file alone.
    """
    store = store_at(place)
    try:
        header = first_record(store)
    except DurableError:
        return None
    if header is None or header.source is None:
        return None
    return Path(os.path.relpath((store.base or Path()) / header.source))


def _changed(place: str, file: Path) -> bool | None:
    """Tell whether the program means something else than the run's; None when it cannot be read or parsed.

    The parser is only loaded when it is not the text that the run began with.
    """
    store = store_at(place)
    try:
        header = first_record(store)
        if header is None or read_text(file) == store.pinned(header.program):
            return None if header is None else False

        from agentl.durable.header import changed
        from agentl.programs import parse_file

        return changed(header, parse_file(file))
    except AgentlError:
        return None


def resume_command(place: str, file: Path | None) -> str:
    """Return the line that resumes the run, to be copied."""
    name = "FILE.agent" if file is None else str(file)
    return f"agentl run {shlex.quote(name)} --durable {shlex.quote(place)}"


# -------------------------------------------------------------------------------------------- for people


def _print(found: RunStatus, file: Path | None) -> None:
    lines = list(_lines(found, file))
    width = max(len(label) for label, _, _ in lines)
    for label, text, style in lines:
        write_line(f"{label.ljust(width)}  {text}", style)


def _say(template: str, **values: object) -> str:
    return translate(Message(template, values))


def _lines(found: RunStatus, file: Path | None) -> Iterator[tuple[str, str, str]]:
    yield _say(message_id("run")), f"{found.run_id or '-'}  {found.place}", "bold"
    yield _say(message_id("state")), _say(_state(found)), _STYLES.get(found.state, "")
    if found.run_id is not None:
        yield _say(message_id("program")), _program_text(found, file), ""
        yield _say(message_id("began")), found.created or "-", ""
        yield _say(message_id("tick")), _tick_text(found), ""
        yield _say(message_id("entries")), _entries_text(found), ""
    if found.verified_from:
        yield _say(message_id("verified")), _verified_text(found), "yellow"
    if found.holder is not None:
        values = {"pid": found.holder.pid, "since": found.holder.since}
        yield _say(message_id("held by")), _say(message_id("process {pid} since {since}"), **values), ""
    yield from _action_lines(found)
    if found.refusal is not None:
        yield _say(message_id("refused")), f"{found.refusal.code}: {translate(found.refusal.message)}", "red"
        if found.refusal.action is not None:
            yield "", translate(found.refusal.action), ""
    if _is_resumable(found):
        yield _say(message_id("resume")), resume_command(found.place, file), "bold"


def _is_resumable(found: RunStatus) -> bool:
    return found.state == "interrupted" and found.refusal is None


def _action_lines(found: RunStatus) -> Iterator[tuple[str, str, str]]:
    for intent in found.open_intents:
        yield _say(message_id("open")), _intent_text(intent), "yellow"
    for doubt in found.in_doubt:
        yield _say(message_id("in doubt")), f"{doubt.key}  {doubt.action}", "red"
        if doubt.action in found.refused:
            yield _say(message_id("not sent")), found.refused[doubt.action], ""
    for settled in found.settlements:
        if settled.how != "in_doubt":
            yield _say(message_id("settled")), _settled_text(settled), ""
    for entry in found.put_in:
        who = f"{entry.how}  {entry.who}  {entry.at}"
        yield _say(message_id("put in")), f"{entry.tool}  {entry.action}  {who}", ""
    if found.cancelled is not None:
        yield _say(message_id("cancelled")), f"{found.cancelled.who}  {found.cancelled.at}", ""


def _state(found: RunStatus) -> str:
    directory = directory_of(found.place)
    if found.state == "new" and directory is not None and not any(directory.iterdir()):
        return message_id("new: the directory is empty")
    if found.refusal is not None and found.state in _REFUSED:
        return _REFUSED[found.state]
    if found.changed and found.state == "interrupted":
        return message_id("interrupted: the program changed since, so a resume is refused (R101)")
    return _STATES[found.state]


def _program_text(found: RunStatus, file: Path | None) -> str:
    name = f"{file or '-'} ({', '.join(found.agents)})"
    changed = _say(message_id("changed since the run began"))
    return f"{name}  {changed}" if found.changed else name


def _tick_text(found: RunStatus) -> str:
    if found.length is None:
        return str(found.tick)
    return _say(message_id("{tick} of {length}"), tick=found.tick, length=found.length)


def _entries_text(found: RunStatus) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.kinds.items()))
    return f"{found.entries}  ({kinds})" if kinds else str(found.entries)


def _verified_text(found: RunStatus) -> str:
    template = message_id("records {first} to {last}; what is older is not looked at yet")
    return _say(template, first=found.verified_from, last=found.entries)


def _settled_text(settled: ResolutionRecord) -> str:
    by = f"  {settled.who}  {settled.at}" if settled.who is not None else ""
    return f"{settled.key}  {settled.action}  {settled.how}{by}"


def _intent_text(intent: IntentRecord) -> str:
    promise = _say(message_id("promised: {promise}"), promise=intent.promise)
    return f"{intent.key}  {intent.action}  key {intent.idempotency_key}  {promise}"


# -------------------------------------------------------------------------------------------- for programs


def _as_data(found: RunStatus, file: Path | None, reasons: Mapping[int, str]) -> dict[str, object]:
    return {
        "run_id": found.run_id,
        "path": found.place,
        "state": found.state,
        "program": None if file is None else str(file),
        "agents": list(found.agents),
        "changed": found.changed,
        "created": found.created,
        "tick": found.tick,
        "length": found.length,
        "entries": found.entries,
        "kinds": found.kinds,
        "head": found.head,
        "verified_from": found.verified_from,
        "open_intents": [_intent_data(intent) for intent in found.open_intents],
        "in_doubt": [_resolution_data(doubt, reasons) for doubt in found.in_doubt],
        "settlements": [_resolution_data(settled, reasons) for settled in found.settlements],
        "put_in": [entry.model_dump(exclude={"value"}) for entry in found.put_in],
        "refused": dict(found.refused),
        "cancelled": None if found.cancelled is None else found.cancelled.model_dump(),
        "holder": None if found.holder is None else {"pid": found.holder.pid, "since": found.holder.since},
        "problem": error_data(found.problem),
        "repairable": found.repairable,
        "refusal": error_data(found.refusal),
        "resume": resume_command(found.place, file) if _is_resumable(found) else None,
    }


def error_data(error: DurableError | None) -> dict[str, str] | None:
    """Return an error as JSON says it, in English."""
    return None if error is None else {"code": error.code, "message": str(error.message)}


def _intent_data(intent: IntentRecord) -> dict[str, object]:
    return {
        "tool": intent.key,
        "action_id": intent.action,
        "key": intent.idempotency_key,
        "tick": intent.tick,
        "promise": intent.promise,
    }


def _resolution_data(settled: ResolutionRecord, reasons: Mapping[int, str]) -> dict[str, object]:
    return {
        "tool": settled.key,
        "action_id": settled.action,
        "how": settled.how,
        "attempt": settled.attempt,
        "tick": settled.tick,
        "reason": reasons.get(settled.n),
        "who": settled.who,
        "at": settled.at,
    }
