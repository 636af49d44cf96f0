"""`agentl durable prune` and `repair` (durability.md §4, §5)."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from agentl.cli.reporting import notice
from agentl.cli.terminal import write_line
from agentl.durable import refusals
from agentl.durable.addressing import directory_of, store_at
from agentl.durable.prune import IN_DOUBT, OVER, candidates, leftovers, prune
from agentl.durable.repair import Repair, plan_repair, repair
from agentl.durable.stores.removal import delete_removed
from agentl.errors import UsageError
from agentl.messages import translate
from agentl_grammar.problems import Message, message_id

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}
_REST_DELETED = message_id("deleted  {place}: the rest of a run")
_STATES = ("completed", "cancelled", "interrupted", "corrupt", IN_DOUBT)


def prune_runs(
    places: Sequence[str], older_than: str | None, states: Sequence[str] | None, *, dry_run: bool
) -> int:
    """Delete the runs that fit. Raises UsageError U124, DurableError R105, R106, R304, R602; OSError."""
    chosen = _chosen(states)
    age = 0.0 if older_than is None else _seconds(older_than)
    for path in list(leftovers(places)):
        if not dry_run:
            delete_removed(path)
        text = message_id("would go {place}: the rest of a run") if dry_run else _REST_DELETED
        write_line(translate(Message(text, {"place": str(path)})))
    count, code = 0, 0
    for candidate in candidates(places, chosen, age):
        if candidate.stays is not None:
            if candidate.unreadable:
                code = 2
            values = {"place": candidate.found.place, "why": candidate.stays}
            write_line(translate(Message(message_id("kept     {place}: {why}"), values)), "dim")
            continue
        if not dry_run:
            prune(candidate)
        values = {"place": candidate.found.place, "run": candidate.found.run_id or "-"}
        text = message_id("would go {place}  {run}") if dry_run else message_id("deleted  {place}  {run}")
        write_line(translate(Message(text, values)))
        count += 1
    done = message_id("runs that would go: {count}") if dry_run else message_id("runs deleted: {count}")
    notice(Message(done, {"count": count}))
    return code


def _chosen(states: Sequence[str] | None) -> frozenset[str]:
    wanted = frozenset(states or OVER)
    unknown = sorted(wanted - set(_STATES))
    if unknown:
        raise _misunderstood("--status", unknown[0], ", ".join(_STATES))
    return wanted if wanted - {IN_DOUBT} else wanted | OVER


def _seconds(age: str) -> float:
    found = re.fullmatch(r"(\d{1,6})([mhdw])", age)
    if found is None:
        raise _misunderstood("--older-than", age, "90m, 12h, 30d, 8w")
    return int(found.group(1)) * _SECONDS[found.group(2)]


def _misunderstood(option: str, word: str, known: str) -> UsageError:
    return UsageError(
        "U124",
        Message(message_id("{option} {word} is not understood"), {"option": option, "word": word}),
        action=Message(message_id("write it like one of these: {known}"), {"known": known}),
    )


def repair_run(place: str, by: str | None, *, yes: bool, cancelled: bool | None) -> int:
    """Show what would go, ask, and repair. Raises DurableError, UsageError U125, OSError."""
    directory = directory_of(place)
    if directory is None:
        raise refusals.no_run_there(
            store_at(place).name, Message(message_id("a run in a database cannot be repaired"))
        )
    plan = plan_repair(directory)
    if not plan.needed:
        notice(Message(message_id("there is nothing to repair")))
        return 0
    _show(plan)
    if not (yes or _asked(message_id("repair it? [y/N]"))):
        raise UsageError(
            "U125",
            Message(message_id("nothing was changed")),
            action=Message(message_id("say yes when you are asked, or give --yes")),
        )
    if plan.cancels is None and cancelled is None and not yes:
        cancelled = _asked(message_id("had an entry that is lost cancelled the run? [y/n]"))
    for original in repair(plan, by, cancelled=cancelled):
        notice(Message(message_id("repaired; the original is kept: {path}"), {"path": str(original)}))
    return 0


def _show(plan: Repair) -> None:
    _say(message_id("sound records, which stay: {count}"), count=plan.kept)
    for line in plan.lost:
        told = _told(line.kind, line.subject, line.action)
        _say(message_id("#{number} would go: {what}"), number=line.number, what=told)
    for entry in plan.entries:
        told = _told(entry.kind, entry.subject, entry.who)
        _say(message_id("entry #{number} of the inbox would go: {what}"), number=entry.number, what=told)
    if plan.missing:
        _say(message_id("entries of the inbox that are gone: {count}"), count=plan.missing)
    if plan.cancels:
        _say(message_id("an entry that is lost cancelled the run: it stays cancelled"))
    elif plan.cancels is None:
        _say(message_id("an entry that is lost may have cancelled the run"))
    if plan.lost:
        _say(
            message_id(
                "actions to come that are settled like interrupted ones, for they may have happened: {count}"
            ),
            count=plan.actions,
        )


def _told(*parts: str) -> str:
    return " ".join(filter(None, parts)) or translate(Message(message_id("it cannot be read")))


def _say(template: str, **values: object) -> None:
    write_line(translate(Message(template, values)))


def _asked(question: str) -> bool | None:
    """Return what a person answers at the terminal; None for neither yes nor no, or where nobody is."""
    if not sys.stdin.isatty():
        return None
    print(translate(Message(question)), end=" ", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip().lower()
    return True if answer in {"y", "yes", "o", "oui"} else False if answer in {"n", "no", "non"} else None
