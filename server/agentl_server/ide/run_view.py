"""What a run did, as the features read it: calls, readings and decisions by the place in the program.

A `History` is fed the records of a journal in order, each once. Nothing here decides what a run may do: its
state comes from `agentl.durable`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from agentl.codec import Undecodable, decode
from agentl.durable.records import (
    ApproveRecord,
    ErrorData,
    Header,
    IntentRecord,
    ModelRecord,
    ModelUsage,
    ReadRecord,
    Record,
    ResolutionRecord,
    ResultRecord,
    VerdictRecord,
)
from agentl.redaction import Redactor, protected_paths
from agentl.vocabulary import PLACEHOLDER
from agentl_grammar.tree import CallStatement, walk
from agentl_grammar.tree import Path as StatePath
from agentl_server.ide.anatomy import Anatomy

Outcome = Literal["decided", "denied", "refused", "unasked", "open", "done", "failed", "in doubt"]
NOBODY = "nobody was asked"
"""The answer to an approval where the host has no one to give it."""
_DIGITS_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy decided on one action: `rule` is its canonical text, `reads` are path → value."""

    n: int
    tick: int
    agent: str
    site: str
    tool: str
    verdict: str
    rule: str
    reads: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Settlement:
    """How an open intent was settled, or that the action was sent again as attempt `attempt`."""

    n: int
    how: str
    attempt: int
    reason: str | None


@dataclass(slots=True)
class Call:
    """One action of the program, from the decision on it to its result."""

    agent: str
    site: str
    tick: int
    tool: str
    arguments: Mapping[str, Any]
    outcome: Outcome = "decided"
    decision: Decision | None = None
    action: str | None = None
    key: str | None = None
    promise: str | None = None
    approval: str | None = None
    settlements: list[Settlement] = field(default_factory=list[Settlement])
    value: Any = None
    error: ErrorData | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a sensor; `error` when it raised, and a value of None when it was mute."""

    site: str
    path: str
    tick: int
    value: Any
    error: ErrorData | None


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One answer of a model, {"fields": …, "missing": …}; `error` when it raised, `usage` what it took."""

    tick: int
    value: Any
    error: ErrorData | None
    usage: ModelUsage | None


@dataclass(frozen=True, slots=True)
class Pinned:
    """The program a run began with, as it stands in `path`."""

    path: Path
    anatomy: Anatomy


class History:
    """The records of one run, indexed. Values that NEVER SEND protects are replaced as they come in."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.pinned: Pinned | None = None
        self.records: list[Record] = []
        self.tick = 0
        self.calls: list[Call] = []
        self.calls_at: defaultdict[str, list[Call]] = defaultdict(list)
        self.readings_of: defaultdict[str, list[Reading]] = defaultdict(list)
        self.answers_at: defaultdict[str, list[ModelAnswer]] = defaultdict(list)
        self.decisions_by: defaultdict[str, list[Decision]] = defaultdict(list)
        self._by_record: dict[int, Call] = {}
        self._readings: dict[int, Reading] = {}
        self._by_action: dict[str, Call] = {}
        self._decided: dict[str, Call] = {}
        self._protected: tuple[str, ...] = ()
        self._redactor = Redactor(())

    def pin(self, pinned: Pinned | None) -> None:
        """Take the program the run began with; done before the records that follow the header."""
        self.pinned = pinned
        if pinned is not None:
            paths = [path for agent in pinned.anatomy.program.agents for path in protected_paths(agent)]
            self._protected = tuple(dict.fromkeys(paths))
            self._redactor = Redactor(self._protected)

    def feed(self, record: Record) -> None:
        """Take the next record."""
        self.records.append(record)
        self.tick = max(self.tick, record.tick)
        match record:
            case Header():
                self.header = record
            case ReadRecord():
                value = self._clean(record.key, _decoded(record.value))
                reading = Reading(record.site, record.key, record.tick, value, self.clean_error(record.error))
                self.readings_of[record.key].append(reading)
                self._readings[record.n] = reading
            case ModelRecord():
                value = self._clean("", _decoded(record.value))
                answer = ModelAnswer(record.tick, value, self.clean_error(record.error), record.usage)
                self.answers_at[record.site].append(answer)
            case VerdictRecord():
                self._decide(record)
            case ApproveRecord():
                self._approve(record)
            case IntentRecord():
                self._intend(record)
            case ResolutionRecord():
                self._settle(record)
            case ResultRecord():
                self._finish(record)
            case _:
                pass

    def reading(self, record: ReadRecord) -> Reading:
        """Return the reading that a record made."""
        return self._readings[record.n]

    def call_of(self, record: Record) -> Call | None:
        """Return the call that a verdict, intent, resolution or result belongs to."""
        return self._by_record.get(record.n)

    def clean_error(self, error: ErrorData | None) -> ErrorData | None:
        """Return an error whose text quotes nothing protected."""
        if error is None:
            return None
        return error.model_copy(update={"message": self._redactor.scrub(error.message)})

    def reason(self, record: ResolutionRecord) -> str | None:
        """Return why an action was settled as it was, without what is protected."""
        return None if record.reason is None else self._redactor.scrub(record.reason)

    def clean(self, path: str, data: object) -> Any:
        """Return encoded data as a value, without what is protected; `path` is where it was read."""
        return self._clean(path, _decoded(data))

    # --------------------------------------------------------------------------------------- one kind each

    def _decide(self, record: VerdictRecord) -> None:
        reads = self._reads(record.site, record.reads)
        made = Decision(
            record.n, record.tick, record.agent, record.site, record.key, record.verdict, record.rule, reads
        )
        call = Call(
            record.agent, record.site, record.tick, record.key, self._arguments(record.site, record.args)
        )
        call.decision = made
        call.outcome = "denied" if record.verdict == "DENIED" else "decided"
        self.decisions_by[f"{record.agent}:{record.rule}"].append(made)
        self.calls.append(call)
        self.calls_at[record.site].append(call)
        self._decided[record.agent] = call
        self._by_record[record.n] = call

    def _approve(self, record: ApproveRecord) -> None:
        call = self._decided.get(record.agent)
        if call is not None:
            self._by_record[record.n] = call
            answer = NOBODY if record.value is None else str(_decoded(record.value))
            call.approval = "error" if record.error else answer
            # an intent follows when it was approved; until then the answer stood in the way
            call.outcome = "unasked" if call.approval is NOBODY else "refused"

    def _intend(self, record: IntentRecord) -> None:
        call = self._decided.pop(record.agent, None)
        if call is None or (call.site, call.tool) != (record.site, record.key):
            call = Call(record.agent, record.site, record.tick, record.key, {})
            self.calls.append(call)
            self.calls_at[record.site].append(call)
        call.arguments = self._arguments(record.site, record.args)
        call.action, call.key, call.promise = record.action, record.idempotency_key, record.promise
        call.outcome = "open"
        self._by_action[record.action] = self._by_record[record.n] = call

    def _settle(self, record: ResolutionRecord) -> None:
        call = self._by_action.get(record.action)
        if call is not None:
            self._by_record[record.n] = call
            call.settlements.append(Settlement(record.n, record.how, record.attempt, self.reason(record)))
            self._conclude(call, record)

    def _conclude(self, call: Call, record: ResolutionRecord) -> None:
        if record.how == "in_doubt":
            call.outcome = "in doubt"
        elif record.how == "operator_happened":
            call.outcome, call.value = "done", self._clean(call.tool, _decoded(record.value))
        elif record.how == "operator_not":
            call.outcome = "failed"
            call.error = ErrorData(class_name="NotExecuted", message="it did not happen", code=None)

    def _finish(self, record: ResultRecord) -> None:
        call = self._by_action.get(record.action)
        if call is not None:
            self._by_record[record.n] = call
            call.error = self.clean_error(record.error)
            call.value = self._clean(call.tool, _decoded(record.value))
            call.outcome = "failed" if record.error else "done"

    # ---------------------------------------------------------------------------------------------- values

    def _arguments(self, site: str, data: object) -> dict[str, Any]:
        hidden = self._hidden_arguments(site)
        return {
            name: PLACEHOLDER if name in hidden else self._redactor.scrub(value)
            for name, value in _mapping(_decoded(data)).items()
        }

    def _hidden_arguments(self, site: str) -> set[str]:
        """Return the arguments of the call at `site` whose expression reads something protected."""
        node = self.pinned.anatomy.sites.node(site) if self.pinned and self._protected else None
        if not isinstance(node, CallStatement):
            return set()
        return {
            argument.name.text if argument.name else f"arg{index}"
            for index, argument in enumerate(node.arguments)
            if any(
                isinstance(part, StatePath) and self._is_hidden(part.text) for part in walk(argument.value)
            )
        }

    def _is_hidden(self, path: str) -> bool:
        return any(
            path == secret or path.startswith(f"{secret}.") or secret.startswith(f"{path}.")
            for secret in self._protected
        )

    def _reads(self, site: str, data: object) -> dict[str, Any]:
        hidden = self._hidden_arguments(site)
        return {
            path: PLACEHOLDER if path.removeprefix("action.args.") in hidden else self._clean(path, value)
            for path, value in _mapping(_decoded(data)).items()
        }

    def _clean(self, path: str, value: Any) -> Any:
        return self._redactor.scrub(self._redactor.clean(path, value))


def _decoded(data: object) -> Any:
    try:
        return decode(data)
    except Undecodable:
        return data


def _mapping(value: Any) -> dict[str, Any]:
    return {str(name): item for name, item in value.items()} if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]


@dataclass(frozen=True, slots=True)
class RunView:
    """One run at one moment. `state` is that of durability.md §7; `directory` is where it lives.

    `changed` is when its journal last changed, in nanoseconds.
    """

    directory: Path
    state: str
    history: History
    in_doubt: tuple[Call, ...] = ()
    open_intents: tuple[Call, ...] = ()
    problem: str | None = None
    changed: int = 0

    @property
    def run_id(self) -> str:
        """The id of the run; empty while it has no header."""
        return self.history.header.key if self.history.header else ""

    @property
    def short_id(self) -> str:
        """The id as a person reads it."""
        return self.run_id[:_DIGITS_SHOWN] or self.directory.name

    @property
    def entries(self) -> int:
        """How many records there are, the header left out."""
        return max(0, len(self.history.records) - 1)

    @property
    def is_open(self) -> bool:
        """Whether the run could still go on."""
        return self.state not in ("completed", "cancelled")
