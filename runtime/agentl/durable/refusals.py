"""The refusals of a durable run, one function each: code, place and next step (durability.md §8)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from agentl.durable.heads import heads_file
from agentl.errors import DurableError, Place, ReplayDivergence, StoreFailure
from agentl_grammar.problems import Message, message_id


def _refusal(
    code: str, message: Message, action: Message, place: Place, details: Sequence[Message] = ()
) -> DurableError:
    return DurableError(code, message, place=place, action=action, details=tuple(details))


def _with_place(action: str, path: str) -> Message:
    """Return a next step whose commands name the place of a run, as `{place}`: quoted for the shell."""
    return Message(action, {"place": quote(path)})


def program_changed(path: str, details: Sequence[Message]) -> DurableError:
    """R101: the program no longer says what it said when the run began."""
    message = Message(message_id("the program changed since this run began"))
    action = message_id(
        "restore the program (`agentl durable export {place} --program` prints its text), or start a new run"
    )
    return _refusal("R101", message, _with_place(action, path), Place(path=path, record=0), details)


def other_source(path: str) -> DurableError:
    """R101: the source in an exported run is not the one that its records began with."""
    message = Message(message_id("the source in this file is not the one that the run began with"))
    return _refusal("R101", message, _mending(path), Place(path=path, record=0))


def diverges(path: str, record: int, journaled: str | Message, now: str | Message) -> ReplayDivergence:
    """R102: the program asks for something else than the journal holds."""
    action = message_id("the journal was left as it is; `agentl durable show {place}` tells what it holds")
    if Path(path).is_file():
        action = message_id(
            "replay it with the version of agentl that wrote the run, or export the run again"
        )
    return ReplayDivergence(
        "R102",
        Message(message_id("cannot resume at crossing #{number}"), {"number": record}),
        place=Place(path=path, record=record),
        details=(
            Message(message_id("journaled: {what}"), {"what": journaled}),
            Message(message_id("now: {what}"), {"what": now}),
        ),
        action=_with_place(action, path),
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
    other = message_id("record #{number} expected, record #{found} found")
    none = message_id("record #{number} expected, and the line has no number")
    message = Message(none if found is None else other, {"number": record, "found": found})
    return _damaged("R202", path, record, message)


def unreadable(path: str, record: int) -> DurableError:
    """R203: a line is not a record."""
    message = message_id("record #{number} cannot be read")
    return _damaged("R203", path, record, Message(message, {"number": record}))


def _damaged(code: str, path: str, record: int, message: Message) -> DurableError:
    return _refusal(code, message, _mending(path), Place(path=path, record=record))


def _mending(path: str) -> Message:
    """Return the next step for what was damaged: a directory, an exported file, or a run in a database."""
    if Path(path).is_dir():
        text = message_id(
            "restore {path} from a copy, or see what can be kept: `agentl durable repair {place}`"
        )
    elif Path(path).is_file():
        text = message_id("export the run again: `agentl durable export PLACE -o {place}`")
    else:
        text = message_id("restore {path} from a copy; nothing was changed")
    return Message(text, {"path": path, "place": quote(path)})


def unknown_format(path: str, record: int, what: str) -> DurableError:
    """R204: the journal was written by another version, or by something else."""
    message = Message(message_id("this version does not know {what}"), {"what": what})
    action = Message(message_id("use the version of agentl that wrote this journal"))
    return _refusal("R204", message, action, Place(path=path, record=record))


def no_header(path: str) -> DurableError:
    """R205: the journal does not begin with a header."""
    action = Message(
        message_id("restore {path} from a copy, or name another place for a new run"), {"path": path}
    )
    if Path(path).is_file():
        action = _mending(path)
    message = message_id("the journal is damaged: it does not begin with a header")
    return _refusal("R205", Message(message), action, Place(path=path, record=0))


def not_begun(path: str) -> DurableError:
    """R107: the place is that of a run, and nothing was journaled yet."""
    message = Message(message_id("the run has not begun: its journal is empty"))
    action = message_id("begin it: `agentl run FILE.agent --durable {place}`")
    return _refusal("R107", message, _with_place(action, path), Place(path=path))


def no_source(path: str, digest: str) -> DurableError:
    """R206: the source that the run began with is gone, or was altered."""
    message = Message(
        message_id("the source {digest} is missing, or is another text than its digest says"),
        {"digest": f"{digest[:12]}.agent"},
    )
    text = message_id("restore {path} from a copy; nothing was changed")
    if Path(path).is_dir():
        text = message_id(
            "put the text back into {file}: from a copy of the run, or from its program, if that did not "
            "change since"
        )
    values = {"path": path, "file": str(Path(path, "programs", f"{digest}.agent"))}
    return _refusal("R206", message, Message(text, values), Place(path=path, record=0))


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
    action = message_id("wait until it is done, or stop it; `agentl durable status {place}` shows it")
    return _refusal("R304", message, _with_place(action, path), Place(path=path))


def being_performed(path: str, action: str, pid: int | None, since: str | None) -> DurableError:
    """R304: the action that is to be settled is being performed right now."""
    known = message_id("{action} is being performed by process {pid} since {since}")
    unknown = message_id("{action} is being performed by another process")
    values = {"action": action, "pid": pid, "since": since}
    return _refusal(
        "R304",
        Message(unknown if pid is None else known, values),
        Message(message_id("wait for its result; to stop the process now would leave it unknown")),
        Place(path=path),
    )


def entry_altered(path: str, number: int) -> DurableError:
    """R201: an entry of the inbox is not the one that was put in."""
    message = Message(message_id("entry #{number} of the inbox was altered"), {"number": number})
    return _damaged("R201", path, number, message)


def entry_missing(path: str, number: int) -> DurableError:
    """R202: the inbox holds less than was put in."""
    message = Message(
        message_id("entry #{number} was put into the inbox, and is not there"), {"number": number}
    )
    return _damaged("R202", path, number, message)


def unreadable_entry(path: str, number: int) -> DurableError:
    """R203: an entry of the inbox is none."""
    message = Message(message_id("entry #{number} of the inbox cannot be read"), {"number": number})
    return _damaged("R203", path, number, message)


def in_doubt(path: str, actions: Sequence[str], *, ended: bool) -> DurableError:
    """R105: actions may have happened, and nobody has said whether they did."""
    message = Message(message_id("actions in doubt: {actions}"), {"actions": ", ".join(actions)})
    action = message_id(
        "say what became of each: `agentl durable settle {place} {action}` with `--happened JSON`, "
        "`--did-not-happen` or `--resend`; or delete it as it is, with `--status in_doubt`"
    )
    if ended:
        action = message_id(
            "say what became of each: `agentl durable settle {place} {action}` with `--happened JSON` or "
            "`--did-not-happen`; or delete it as it is, with `--status in_doubt`"
        )
    values = {"place": quote(path), "action": quote(actions[0])}
    return _refusal("R105", message, Message(action, values), Place(path=path))


def interrupted(path: str) -> DurableError:
    """R106: the run has not ended, and can go on."""
    message = Message(message_id("the run is interrupted: it can be resumed"))
    action = message_id(
        "resume it, or cancel it: `agentl durable cancel {place}`; or delete it as it is, with "
        "`--status interrupted`"
    )
    return _refusal("R106", message, _with_place(action, path), Place(path=path))


def older(path: str, found: int, seen: int | None, elsewhere: str | None) -> DurableError:
    """R207: an older copy of the journal; a newer one was seen, here or at another place."""
    if elsewhere is None:
        message = message_id("the journal ends at record #{found}; #{seen} was seen here before")
        action = message_id(
            "restore the newer journal: what it holds has happened; to go on with the older one, "
            "remove the run's lines from {heads}"
        )
    else:
        message = message_id("this is a copy, and the run went on in {elsewhere}")
        action = message_id(
            "go on there: what that journal holds has happened (to move a run, use mv); to go on with "
            "this copy all the same, remove the run's lines from {heads}"
        )
    return _refusal(
        "R207",
        Message(message, {"found": found, "seen": seen, "elsewhere": elsewhere}),
        Message(action, {"heads": str(heads_file())}),
        Place(path=path, record=found),
    )


def lost(path: str, run: str, seen: int) -> DurableError:
    """R207: a run was seen here, and its journal is gone; a new one would do again what it did."""
    message = message_id("the journal of run {run} is gone; its record #{seen} was seen here before")
    action = message_id(
        "restore it: what it holds has happened; for another run, take another place and another name; to "
        "begin this one anew all the same, remove the run's lines from {heads}"
    )
    return _refusal(
        "R207",
        Message(message, {"run": run, "seen": seen}),
        Message(action, {"heads": str(heads_file())}),
        Place(path=path),
    )


def already_settled(path: str, action: str, how: str) -> DurableError:
    """R403: somebody has settled this action already; the first word holds."""
    message = Message(message_id("{action} is settled already: {how}"), {"action": action, "how": how})
    return _refusal(
        "R403",
        message,
        _with_place(message_id("`agentl durable status {place}` shows who said what"), path),
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
    """R602: a run can neither be nor begin in this directory."""
    message = Message(message_id("not a run directory: {why}"), {"why": why})
    action = Message(message_id("name a new or empty directory, or one that holds a run"))
    return _refusal("R602", message, action, Place(path=path))


def no_run_there(path: str, why: Message) -> DurableError:
    """R602: somebody wants to read a run where none is."""
    message = Message(message_id("not a run directory: {why}"), {"why": why})
    action = message_id("name the directory of a run; `agentl durable list DIR` tells which there are")
    return _refusal("R602", message, Message(action), Place(path=path))


def no_such_run(path: str, why: Message) -> DurableError:
    """R602: there is no run at this place of a database, or the database cannot be used."""
    message = Message(message_id("no run can be reached here: {why}"), {"why": why})
    action = message_id(
        "name a database that can be reached, `#`, and a run in it; `agentl durable list` with the database "
        "tells which there are"
    )
    return _refusal("R602", message, Message(action), Place(path=path))


def nothing_to_list(path: str) -> DurableError:
    """R602: runs are looked for in what is neither a directory nor a database."""
    message = Message(message_id("there is no such directory or database"))
    action = Message(message_id("name a directory with runs in it, a SQLite file, or the URL of a database"))
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


def moved_away(path: str) -> StoreFailure:
    """R601: the files of the run are no more where they were when this process opened them."""
    reason = Message(message_id("it was moved or deleted while it ran"))
    return StoreFailure(
        "R601",
        Message(message_id("the journal cannot be written: {reason}"), {"reason": reason}),
        place=Place(path=path),
        action=Message(message_id("resume the run where it lies now; move one only while nobody runs it")),
    )


def fenced(path: str) -> StoreFailure:
    """R601: the journal does not end where this process left it; nothing was written."""
    reason = Message(message_id("another process has gone on with this run"))
    return StoreFailure(
        "R601",
        Message(message_id("the journal cannot be written: {reason}"), {"reason": reason}),
        place=Place(path=path),
        action=_with_place(
            message_id("leave the run to the other process; `agentl durable status {place}` shows it"), path
        ),
    )
