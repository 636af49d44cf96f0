"""What the machine asks of the world, and what it hears back (architecture.md "The interpreter is sans-I/O").

A crossing is data. `kind` names the journal record that answers it, `key` and `arguments` are what a
re-derivation compares (durability.md §6). `site` is the path of the statement in the tree; it is for people
and never compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from agentl.kernel import Permit
from agentl.values import show
from agentl.vocabulary import Failure, OperatorHow
from agentl_grammar.tree import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """One question to the world."""

    kind: ClassVar[str]
    agent: str
    tick: int
    site: str = ""

    @property
    def key(self) -> str:
        """What the crossing is about, in one word or line."""
        return ""

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """What else must be equal for an old answer to serve; None when the key says all."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin(Crossing):
    """The first crossing of a run: answered by the header of the journal, with the facts of the run."""

    kind: ClassVar[str] = "header"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Crossing):
    """Read a sensor. The answer None means mute."""

    kind: ClassVar[str] = "read"
    path: str

    @property
    def key(self) -> str:
        """The path."""
        return self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain(Crossing):
    """Take the events that wait. The answer is a list of {id, source, payload}."""

    kind: ClassVar[str] = "drain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason(Crossing):
    """Ask the model for fields. The answer is {"fields": {…}, "missing": [names] or None}.

    `schema` maps a field to the text that describes its type and domain.
    """

    kind: ClassVar[str] = "reason"
    task: str
    context: Mapping[str, Any]
    schema: Mapping[str, str]

    @property
    def key(self) -> str:
        """The task."""
        return self.task

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """What the model is told, and the fields it is asked for."""
        return {"context": self.context, "schema": self.schema}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge(Crossing):
    """Ask the model for judgements. The answer is {"fields": {name: {value, p, confidence}}, "missing": …}.

    `questions` maps a field to its kind, instructions, criteria or levels, schema and abstain_below.
    """

    kind: ClassVar[str] = "judge"
    task: str
    context: Mapping[str, Any]
    questions: Mapping[str, Mapping[str, Any]]

    @property
    def key(self) -> str:
        """The task."""
        return self.task

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """What the model is told, and what it is asked."""
        return {"context": self.context, "questions": self.questions}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectPlan(Crossing):
    """Ask the model for one of `candidates`. The answer is a name, or None."""

    kind: ClassVar[str] = "select_plan"
    context: Mapping[str, Any]
    candidates: tuple[str, ...]

    @property
    def key(self) -> str:
        """The candidates, in the order of the program."""
        return "|".join(self.candidates)

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """What the model is told."""
        return {"context": self.context, "candidates": list(self.candidates)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Crossing):
    """Ask a person. The answer is what they said; Lapsed when nobody did within `timeout` seconds."""

    kind: ClassVar[str] = "ask"
    addressee: str
    question: str
    reason: str | None = None
    timeout: float | None = None

    @property
    def key(self) -> str:
        """The question."""
        return self.question

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """Whom it is put to, and why."""
        return {"addressee": self.addressee, "reason": self.reason}


UNDOING = "rollback"
"""The origin of an action that undoes another one."""


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """What an approver is shown (language.md §8.2)."""

    tool: str
    args: Mapping[str, Any]
    risk: str
    side_effects: tuple[str, ...]
    origin: str
    confidence: float
    rule: str = ""

    @property
    def undoes(self) -> bool:
        """Tell whether the action is the undoing of this call (ROLLBACK), not the call."""
        return self.origin == UNDOING

    def render(self) -> str:
        """Return the action as one line, texts quoted and escaped: `transfer(amount=100, to="acct-9")`.

        The undoing of a call is `undo transfer(…)`.
        """
        return f"undo {self.call()}" if self.undoes else self.call()

    def call(self) -> str:
        """Return the call, be it to be done or undone."""
        arguments = (f"{name}={show(value, limit=None)}" for name, value in self.args.items())
        return f"{self.tool}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve(Crossing):
    """Ask a person to approve an action. The answer is what they said; the machine judges it (§5.8)."""

    kind: ClassVar[str] = "approve"
    request: ActionRequest
    digest: str

    @property
    def key(self) -> str:
        """The call as one line; what of it is asked for, `arguments` tell."""
        return self.request.call()

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The digest of the exact action."""
        return {"digest": self.digest}


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorised(Crossing):
    """Tell what the policy decided on one action, and on which values. Answered by Done.

    `rule` is the canonical text of the rule that decided (`NEVER transfer WHEN …`), or `DEFAULT ALLOW`.
    """

    kind: ClassVar[str] = "verdict"
    target: str
    action_arguments: Mapping[str, Any]
    verdict: Literal["ALLOWED", "DENIED", "APPROVAL_REQUIRED"]
    rule: str
    reads: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The target."""
        return self.target

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The action, what was decided, and by which rule."""
        return {"args": self.action_arguments, "verdict": self.verdict, "rule": self.rule}


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoke(Crossing):
    """Perform an action under its permit. Answered by Answered, Failed or Doubtful.

    `outputs` is what the tool's contract says of a result: a reconciler that answers something else knows
    nothing. `attempt` is above 1 when an operator has an action in doubt sent again.
    """

    kind: ClassVar[str] = "invoke"
    permit: Permit
    outputs: tuple[Field, ...] = ()
    attempt: int = 1

    @property
    def key(self) -> str:
        """The tool."""
        return self.permit.action.target

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """Its arguments."""
        return self.permit.action.arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegate(Invoke):
    """Hand a payload to a sub-agent, under a permit for it. Answered as Invoke is."""

    kind: ClassVar[str] = "delegate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compensate(Invoke):
    """Undo a completed action, under a permit of its own. Answered as Invoke is."""

    kind: ClassVar[str] = "compensate"


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegateLookup(Crossing):
    """Ask whether the host has a sub-agent of this name. The answer is a boolean."""

    kind: ClassVar[str] = "delegate_lookup"
    name: str

    @property
    def key(self) -> str:
        """The name."""
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationLookup(Crossing):
    """Ask whether the host can undo calls of this tool. The answer is a boolean."""

    kind: ClassVar[str] = "compensation_lookup"
    name: str

    @property
    def key(self) -> str:
        """The tool."""
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle(Crossing):
    """Ask whether an operator has settled one of the actions in doubt. Answered by Settled, else by Done."""

    kind: ClassVar[str] = "resolution"
    unsettled: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(Crossing):
    """A tick ended: digest of the RunState, chained digest of the trace events (durability.md §6).

    Whoever keeps or compares a digest asks before it answers: it is worked out then, of the machine as it
    waits. A run without a journal keeps none.
    """

    kind: ClassVar[str] = "checkpoint"
    state_digest: Callable[[], str]
    events_digest: Callable[[], str]

    @property
    def state(self) -> str:
        """The digest of the RunState."""
        return self.state_digest()

    @property
    def events(self) -> str:
        """The chained digest of the trace events."""
        return self.events_digest()

    @property
    def key(self) -> str:
        """The number of the tick."""
        return str(self.tick)


# ------------------------------------------------------------------------------------------------ outcomes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An answer. `resumes` is set when the run was resumed right before it was handed over: the new count.

    `since` tells that a person gave it after that resume.

    `usage` is what a model call cost, when the adapter tells: `oracles.model.Usage` as data.
    """

    resumes: int | None = None
    since: bool = False
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Outcome):
    """The crossing was taken note of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Outcome):
    """A value, as it came out of the codec."""

    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Outcome):
    """An operator settled an action in doubt. `value` is its result if it happened.

    `attempt` is the next one if it is to be sent again. `who` said so.
    """

    action: str
    how: OperatorHow
    attempt: int
    who: str
    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsed(Outcome):
    """Nobody answered in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Outcome):
    """It did not happen: the host or the model raised."""

    failure: Failure = field(default_factory=lambda: Failure("Error", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubtful(Outcome):
    """It may have happened; it will not be sent again (durability.md §3).

    `under_way`: the call was given up, but its thread still runs and may yet act.
    """

    reason: str = ""
    under_way: bool = False
