"""The journal of a run as a document that a person reads: tick by tick, in the order of what happened."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.durable.records import (
    AnswerRecord,
    ApproveRecord,
    CheckpointRecord,
    DrainRecord,
    EndedRecord,
    Header,
    IntentRecord,
    ModelRecord,
    ReadRecord,
    Record,
    ResolutionRecord,
    ResultRecord,
    ResumedRecord,
    VerdictRecord,
)
from agentl.durable.showing import usage_text
from agentl.values import show
from agentl_server.ide.run_view import NOBODY, Call, History, RunView
from agentl_server.ide.wording import call_text, count, reads_text, result_text, settlement_text


def journal_title(view: RunView) -> str:
    """Return what the document is called."""
    agents = ", ".join(view.history.header.agents) if view.history.header else view.directory.name
    return f"{agents} · run {view.short_id}"


def journal_document(view: RunView) -> str:
    """Return the journal as Markdown. Values that NEVER SEND protects do not appear in it."""
    return "\n".join([*_head(view), *_ticks(view), ""])


def _head(view: RunView) -> Iterator[str]:
    header = view.history.header
    yield f"# {journal_title(view)}"
    yield ""
    yield f"| state | **{view.state}**{f' ({view.problem})' if view.problem else ''} |"
    yield "|---|---|"
    yield f"| run | `{view.run_id}` |"
    yield f"| directory | `{view.directory}` |"
    if header is not None:
        yield f"| program | `{header.source or 'text without a file'}` · `{header.program[:12]}` |"
        yield f"| began | {header.created} |"
        promises = ", ".join(f"{tool}: {promise}" for tool, promise in header.host.tools.items())
        yield f"| promises of the host | {promises or 'no tools'} |"
    yield f"| records | {count(view.entries, 'entry', 'entries')} |"
    for call in view.open_intents:
        yield f"| open intent | `{call_text(call)}` · {call.action} |"
    for call in view.in_doubt:
        yield f"| in doubt | `{call_text(call)}` · tick {call.tick} · {call.action} |"


def _ticks(view: RunView) -> Iterator[str]:
    tick = 0
    for record in view.history.records:
        if isinstance(record, Header):
            continue
        # what belongs to the whole run, not to a tick, stands where it happened
        if record.tick not in (tick, 0):
            tick = record.tick
            yield ""
            yield f"## Tick {tick}"
            yield ""
        yield f"- `#{record.n}` {_sentence(record, view)}"


def _sentence(record: Record, view: RunView) -> str:
    told = _of_the_run(record) or _answered(record, view.history)
    return told or _action_sentence(record, view.history)


def _of_the_run(record: Record) -> str | None:
    match record:
        case DrainRecord():
            return f"{count(len(record.value or ()), 'event')} taken from the inbox"
        case CheckpointRecord():
            return f"end of tick {record.tick}, state `{record.state[:12]}`"
        case ResumedRecord():
            return f"**resumed**, for the {_ordinal(record.count)} time"
        case EndedRecord():
            return f"**{record.how}**"
        case _:
            return None


def _answered(record: Record, history: History) -> str | None:
    match record:
        case ReadRecord():
            return f"read `{record.key}` → {_said(history, history.reading(record).value, record)}"
        case AnswerRecord():
            return f"asked “{record.key}” → {_said(history, history.clean('', record.value), record)}"
        case ModelRecord():
            said = _said(history, history.clean("", record.value), record)
            took = "" if record.usage is None else f" ({usage_text(record.usage.model_dump())})"
            return f"the model answered “{record.key}” → {said}{took}"
        case ApproveRecord():
            # the key shows the arguments as they are; the call shows them without what is protected
            asked = call_text(call) if (call := history.call_of(record)) else "an action"
            value = history.clean("", record.value)
            nobody = value is None and record.error is None
            return f"approval of `{asked}` → {NOBODY if nobody else _said(history, value, record)}"
        case _:
            return None


def _action_sentence(record: Record, history: History) -> str:
    match record, history.call_of(record):
        case VerdictRecord(), Call() as call:
            return f"`{call_text(call)}`: {record.verdict} by `{record.rule}`{reads_text(call)}"
        case IntentRecord(), Call() as call:
            return f"intent `{call_text(call)}` · promise: {record.promise} · key `{record.idempotency_key}`"
        case ResultRecord(), Call() as call:
            return f"result of `{record.key}` {result_text(call, limit=None)}"
        case ResolutionRecord(), _:
            return f"`{record.key}`: {settlement_text(record.how, record.attempt, history.reason(record))}"
        case _:
            return f"{record.kind} `{record.key}`"


def _said(
    history: History, value: object, record: ReadRecord | ModelRecord | AnswerRecord | ApproveRecord
) -> str:
    if (error := history.clean_error(record.error)) is not None:
        return f"✗ {error.class_name}: {error.message}"
    return "mute" if value is None else f"`{show(value)}`"


def _ordinal(number: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number if number < 20 else number % 10, "th")  # noqa: PLR2004  # 11th to 19th are regular
    return f"{number}{suffix}"
