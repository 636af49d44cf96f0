"""The refusals of a durable run, one function each: code, place and next step (durability.md §8)."""

from __future__ import annotations

from collections.abc import Sequence

from agentl.durable.heads import heads_file
from agentl.errors import DurableError, Place, ReplayDivergence, StoreFailure
from agentl_grammar.problems import Message, message_id


def _refusal(
    code: str, message: Message, action: Message, place: Place, details: Sequence[Message] = ()
) -> DurableError:
    return DurableError(code, message, place=place, action=action, details=tuple(details))


def program_changed(path: str, details: Sequence[Message]) -> DurableError:
    """R101: the program no longer says what it said when the run began."""
    message = Message(message_id("the program changed since this run began"))
    action = message_id("restore the program (its text stands in {path}/programs), or start a new run")
    return _refusal("R101", message, Message(action, {"path": path}), Place(path=path, record=0), details)


def diverges(path: str, record: int, journaled: str | Message, now: str | Message) -> ReplayDivergence:
    """R102: the program asks for something else than the journal holds."""
    action = message_id("the journal was left as it is; `agentl durable show {path}` tells what it holds")
    return ReplayDivergence(
        "R102",
        Message(message_id("cannot resume at crossing #{number}"), {"number": record}),
        place=Place(path=path, record=record),
        details=(
            Message(message_id("journaled: {what}"), {"what": journaled}),
            Message(message_id("now: {what}"), {"what": now}),
        ),
        action=Message(action, {"path": path}),
    )


def checkpoint_differs(path: str, record: int, tick: int, what: Message) -> ReplayDivergence:
    """R103: the state or the trace at the end of a tick is another than it was."""
    message = message_id("{what} at the end of tick {tick} differs from the journal")
    return ReplayDivergence(
        "R103",
        Message(message, {"what": what, "tick": tick}),
        place=Place(path=path, record=record),
        action=Message(message_id("use the version of agentl that wrote the run, or start a new run")),
    )


def chain_broken(path: str, record: int) -> DurableError:
    """R201: a line is not the one that was written."""
    message = message_id("durable journal altered at crossing #{number}")
    return _damaged("R201", path, record, Message(message, {"number": record}))


def out_of_sequence(path: str, record: int, found: object) -> DurableError:
    """R202: a record is missing, doubled, misplaced, or follows the end."""
    message = message_id("record #{number} expected, record #{found} found")
    return _damaged("R202", path, record, Message(message, {"number": record, "found": found}))


def unreadable(path: str, record: int) -> DurableError:
    """R203: a line is not a record."""
    message = message_id("record #{number} cannot be read")
    return _damaged("R203", path, record, Message(message, {"number": record}))


def _damaged(code: str, path: str, record: int, message: Message) -> DurableError:
    action = message_id("restore {path} from a copy; nothing was changed")
    return _refusal(code, message, Message(action, {"path": path}), Place(path=path, record=record))


def unknown_format(path: str, record: int, what: str) -> DurableError:
    """R204: the journal was written by another version, or by something else."""
    message = Message(message_id("this version does not know {what}"), {"what": what})
    action = Message(message_id("use the version of agentl that wrote this journal"))
    return _refusal("R204", message, action, Place(path=path, record=record))


def no_header(path: str) -> DurableError:
    """R205: the journal does not begin with a header."""
    action = Message(message_id("name a directory that holds a run, or a new one"))
    return _refusal(
        "R205", Message(message_id("the journal has no header")), action, Place(path=path, record=0)
    )


def no_source(path: str, digest: str) -> DurableError:
    """R206: the source that the run began with is gone, or was altered."""
    message = Message(
        message_id("the source {digest} is missing, or is another text than its digest says"),
        {"digest": f"{digest[:12]}.agent"},
    )
    action = Message(message_id("restore {path} from a copy; nothing was changed"), {"path": path})
    return _refusal("R206", message, action, Place(path=path, record=0))


def no_blob(path: str, record: int, digest: str, *, altered: bool) -> DurableError:
    """R206: a large value that stands beside the journal is gone, or was altered."""
    missing = message_id("the value {digest} of record #{number} is missing")
    other = message_id("the value {digest} of record #{number} is not what its digest says")
    message = Message(other if altered else missing, {"digest": f"{digest[:12]}…", "number": record})
    return _damaged("R206", path, record, message)


def other_run(path: str, wanted: str, found: str) -> DurableError:
    """R301: the directory holds another run."""
    message = message_id("the journal belongs to run {found}, not {wanted}")
    action = message_id("leave the run id out to resume {found}, or name another directory")
    names = {"found": found, "wanted": wanted}
    return _refusal("R301", Message(message, names), Message(action, names), Place(path=path, record=0))


def other_length(path: str, stored: int | None, wanted: int) -> DurableError:
    """R302: a run keeps the length it began with."""
    known = message_id("the run began with {stored} ticks, not {wanted}")
    open_ended = message_id("the run began without a number of ticks, not with {wanted}")
    message = Message(open_ended if stored is None else known, {"stored": stored, "wanted": wanted})
    action = Message(message_id("leave the number of ticks out to resume, or start a new run"))
    return _refusal("R302", message, action, Place(path=path, record=0))


def ended(path: str, record: int) -> DurableError:
    """R303: nothing can follow the end of a run."""
    message = Message(message_id("the run has ended; nothing more can be journaled"))
    action = Message(message_id("start a new run in another directory"))
    return _refusal("R303", message, action, Place(path=path, record=record))


def locked(path: str, pid: int | None, since: str | None) -> DurableError:
    """R304: another process runs it."""
    known = message_id("the run is held by process {pid} since {since}")
    unknown = message_id("the run is held by another process")
    message = Message(unknown if pid is None else known, {"pid": pid, "since": since})
    action = message_id("wait until it is done, or stop it; `agentl durable status {path}` shows it")
    return _refusal("R304", message, Message(action, {"path": path}), Place(path=path))


def unreadable_entry(path: str, number: int) -> DurableError:
    """R203: an entry of the inbox is none."""
    message = Message(message_id("entry #{number} of the inbox cannot be read"), {"number": number})
    action = message_id("`agentl durable repair {path}` shows what would go, and keeps the rest")
    return _refusal("R203", message, Message(action, {"path": path}), Place(path=path, record=number))


def in_doubt(path: str, count: int) -> DurableError:
    """R105: actions may have happened, and nobody has said whether they did."""
    message = message_id("{count} actions are in doubt")
    action = message_id("settle them first: `agentl durable settle {path}`; or name the status `in_doubt`")
    values = {"count": count, "path": path}
    return _refusal("R105", Message(message, values), Message(action, values), Place(path=path))


def interrupted(path: str) -> DurableError:
    """R106: the run has not ended, and can go on."""
    message = Message(message_id("the run is interrupted: it can be resumed"))
    action = message_id("resume or cancel it first (`agentl durable cancel {path}`), or name its status")
    return _refusal("R106", message, Message(action, {"path": path}), Place(path=path))


def older(path: str, seen: int, found: int) -> DurableError:
    """R207: an older copy of the journal stands where a newer one was."""
    message = message_id("the journal ends at record #{found}; #{seen} was seen here before")
    action = message_id(
        "restore the newer journal: what it holds has happened; to go on with the older one, "
        "remove the run's lines from {heads}"
    )
    return _refusal(
        "R207",
        Message(message, {"found": found, "seen": seen}),
        Message(action, {"heads": str(heads_file())}),
        Place(path=path, record=found),
    )


def already_settled(path: str, action: str, how: str) -> DurableError:
    """R403: somebody has settled this action already; the first word holds."""
    message = Message(message_id("{action} is settled already: {how}"), {"action": action, "how": how})
    return _refusal(
        "R403",
        message,
        Message(message_id("`agentl durable status {path}` shows who said what"), {"path": path}),
        Place(path=path),
    )


def cancelled(path: str, record: int, who: str | None, at: str | None) -> DurableError:
    """R502: somebody cancelled the run; it does not go on."""
    message = Message(
        message_id("the run was cancelled by {who} at {at}"), {"who": who or "-", "at": at or "-"}
    )
    action = Message(message_id("start a new run in another directory"))
    return _refusal("R502", message, action, Place(path=path, record=record))


def host_lacks(path: str, names: Sequence[str]) -> DurableError:
    """R305: the host no longer offers what the journal used."""
    message = Message(message_id("the host lacks what this run used: {names}"), {"names": ", ".join(names)})
    action = Message(message_id("give it back to the host script, then run the same command again"))
    return _refusal("R305", message, action, Place(path=path))


def not_a_run(path: str, why: Message) -> DurableError:
    """R602: this is not the directory of a run."""
    message = Message(message_id("not a run directory: {why}"), {"why": why})
    action = Message(message_id("name a new or empty directory, or one that holds a run"))
    return _refusal("R602", message, action, Place(path=path))


def no_such_run(path: str, why: Message) -> DurableError:
    """R602: there is no run at this place of a database, or the database cannot be used."""
    message = Message(message_id("no run can be reached here: {why}"), {"why": why})
    action = Message(message_id("name a database that can be reached, `#`, and a run in it"))
    return _refusal("R602", message, action, Place(path=path))


def not_an_export(path: str, why: Message) -> DurableError:
    """R203: this is not an exported run."""
    message = Message(message_id("not an exported run: {why}"), {"why": why})
    action = Message(message_id("write one with `agentl durable export DIR -o FILE`"))
    return _refusal("R203", message, action, Place(path=path))


def changed_meanwhile(path: str) -> DurableError:
    """R603: the run is no longer the one that was looked at."""
    return _refusal(
        "R603",
        Message(message_id("the run changed while it was looked at; nothing was done")),
        Message(message_id("look again, then give the same command")),
        Place(path=path),
    )


def store_failed(path: str, error: OSError | Message | None) -> StoreFailure:
    """R601: the journal could not be written; the store is poisoned and nothing more is tried."""
    reason: object = error or Message(message_id("an earlier write failed"))
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
    return StoreFailure(
        "R601",
        Message(message_id("the journal cannot be written: {reason}"), {"reason": reason}),
        place=Place(path=path),
        action=Message(message_id("mend the disk, then run the same command again to resume")),
    )


def fenced(path: str) -> StoreFailure:
    """R601: the journal does not end where this process left it; nothing was written."""
    reason = Message(message_id("another process has gone on with this run"))
    return StoreFailure(
        "R601",
        Message(message_id("the journal cannot be written: {reason}"), {"reason": reason}),
        place=Place(path=path),
        action=Message(
            message_id("leave the run to the other process; `agentl durable status {path}` shows it"),
            {"path": path},
        ),
    )
