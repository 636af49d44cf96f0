"""What every part of the interpreter shares.

The agent, its state, and the way to the world (architecture.md).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

from agentl.expressions import EvaluationError, evaluator
from agentl.interpreter.crossings import Crossing, Outcome
from agentl.interpreter.names import Names, owned_paths
from agentl.interpreter.whose import Fields, Whose
from agentl.kept import Kept
from agentl.kernel import Action, Kernel
from agentl.labelling import label_read, read_by
from agentl.policy import PolicyEngine
from agentl.provenance import (
    DECLARED,
    NOTHING,
    RUNTIME,
    Label,
    is_untrusted,
    of,
    without_secrets,
)
from agentl.redaction import protected_paths
from agentl.run_state import RunState
from agentl.spaces import Space
from agentl.state import View
from agentl.trace import Trace
from agentl.trivalent import guard_of
from agentl.values import UNDEFINED, Value, truth
from agentl_grammar.printer import print_node
from agentl_grammar.tree import (
    Agent,
    Block,
    Expression,
    Node,
    Plan,
    Retry,
    Tool,
    Verify,
    VerifyFailHandler,
)

_T = TypeVar("_T")
_M = TypeVar("_M", bound=Node)
Steps: TypeAlias = Generator[Crossing, Outcome, _T]
"""A part of a run: yields crossings, receives outcomes, returns a value."""
StatementHandler: TypeAlias = Callable[["Core", Any], Steps[None]]


_DECLARED, _RUNTIME = of(DECLARED), of(RUNTIME)


class Arrival(NamedTuple):
    """An event or a message: its name, its payload, and who sent the message.

    `marked` are the keys of the payload that its host marked as outside data.
    """

    kind: Literal["event", "message"]
    source: str
    payload: dict[str, Value]
    sender: str = ""
    marked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Completed:
    """An action that happened: what ROLLBACK hands to its compensation.

    `labels` say where the arguments came from, and what led to the action.
    """

    action: Action
    labels: Mapping[str, Label]
    result: Value


MAX_NESTED_PHASES = 20
"""Phases that may run inside one another, by phase words in handlers and plans."""


class VerifyFailure(Exception):  # noqa: N818  # leaves a statement list, it is no error
    """A VERIFY does not hold: what runs it, plan or handler, stops (language.md §5.9)."""

    def __init__(self, statement: Verify) -> None:
        super().__init__()
        self.statement = statement


class TickCut(Exception):  # noqa: N818  # leaves a tick, it is no error
    """The tick ends here."""


class _Under:
    """The block of `Core.under`; a generator would cost a plan and a branch more than what it decides."""

    __slots__ = ("_control", "_label")

    def __init__(self, control: list[Label], label: Label) -> None:
        self._control = control
        self._label = label

    def __enter__(self) -> None:
        self._control.append(self._label)

    def __exit__(self, *_: object) -> None:
        self._control.pop()


class _Body:
    """The block of `Core.body`: what `pass_on` was told in it, and which node runs, end with it."""

    __slots__ = ("_before", "_core", "_node")

    def __init__(self, core: Core, node: Node) -> None:
        self._core = core
        self._node = node

    def __enter__(self) -> None:
        self._before = self._core.passed, self._core.running
        self._core.running = self._node

    def __exit__(self, *_: object) -> None:
        self._core.passed, self._core.running = self._before


class Core:
    """One agent in the middle of its run. Only `state` and the events of `trace` outlive a tick."""

    def __init__(
        self,
        agent: Agent,
        state: RunState,
        *,
        run_id: str,
        site_of: Callable[[Node], str],
        handlers: Mapping[type[Node], StatementHandler],
    ) -> None:
        self.agent = agent
        self.name = agent.name.text
        self.state = state
        self.site_of = site_of
        self.protected = state.protected = protected_paths(agent)
        self.trace = Trace(state, self.protected)
        self.policy = PolicyEngine(agent)
        self.kernel = Kernel(run_id, self.name, self.policy.digest)
        self.tools: dict[str, Tool] = {tool.name.text: tool for tool in agent.tools}
        self.plans: dict[str, Plan] = {plan.name.text: plan for plan in agent.of(Plan)}
        self.observations = [(entry.path.text, entry) for entry in agent.observations]
        self.observed = dict.fromkeys(path for path, _ in self.observations)
        self.names = Names(agent)
        self.whose = Whose(agent)
        state.observed = frozenset(self.observed)
        state.owned = owned_paths(agent, self.names)
        self.bound: Arrival | None = None
        self.shadowed: dict[str, tuple[Value, Label]] = {}
        self.bound_keys: list[str] = []
        self.may: dict[int, Any] = {}
        self.rests: dict[tuple[int, int], Node] = {}
        self.marks: dict[str, list[tuple[Space, str]]] = {}
        self.outputs: dict[str, list[tuple[Space, str]]] = {}
        self._members: dict[type[Node], tuple[Any, ...]] = {}
        self.evaluator = Kept(evaluator)
        self._strictly = Kept(partial(evaluator, strict=True))
        self.guard = Kept(guard_of)
        self.read_by = Kept(read_by)
        self._view = View(state)
        self._handlers = handlers
        self._listeners: list[Callable[[], None]] = []
        self.begin_tick()

    def begin_tick(self) -> None:
        """Forget what does not outlive a tick.

        The paths just read, and how deep phases and plans are nested.
        """
        self.fresh: dict[str, None] = {}
        self.nested_phases = 0
        self.executing = False
        self.plan_starts = 0
        self.completed: list[Completed] = []
        self.judged: Label = NOTHING
        self.arrivals: dict[str, Arrival] = {}
        self._control = [NOTHING]
        self.passed: Label = NOTHING
        self.running: Node | None = None

    def of(self, kind: type[_M]) -> tuple[_M, ...]:
        """Return the members of the agent that are of one kind, in order."""
        if kind not in self._members:
            self._members[kind] = self.agent.of(kind)
        return self._members[kind]

    def last(self, kind: type[_M]) -> _M | None:
        """Return the last member of a kind of which the last wins, if any."""
        found = self.of(kind)
        return found[-1] if found else None

    def follow(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every statement and every phase from now on."""
        self._listeners.append(listener)

    def step_done(self) -> None:
        """Tell the listeners that a statement or a phase is done."""
        for listener in self._listeners:
            listener()

    # ------------------------------------------------------------------------------------ provenance

    def context(self) -> Label:
        """Return the sources of the decisions in force: what decided that this statement runs (§6.4)."""
        decided = self._control[-1]
        return self.passed | decided if self.passed else decided

    def under(self, label: Label) -> AbstractContextManager[None]:
        """Count `label` into the context of everything that runs inside this block.

        What was decided on a secret is not itself the secret.
        """
        return _Under(self._control, self._control[-1] | without_secrets(label))

    def body(self, node: Node) -> AbstractContextManager[None]:
        """Count what `pass_on` is told inside this block into the context until the block ends.

        `node` is the plan or handler that runs in it.
        """
        return _Body(self, node)

    def pass_on(self, label: Label) -> None:
        """Count `label` into the context of the rest of this plan or handler: it decided how that goes on."""
        self.passed |= without_secrets(label)

    def label_of(self, expression: Expression) -> Label:
        """Return where the value of `expression` comes from, without the context."""
        return label_read(*self.read_by(expression), self.state.label)

    def guard_label(self, guard: Expression | None) -> Label:
        """Return the label of a guard; an absent one is a declaration of the program."""
        return _DECLARED if guard is None else self.label_of(guard)

    def put_local(self, name: str, value: Value, label: Label) -> None:
        """Write a local with its label and the context."""
        self.state.locals.put(name, value, label | self.context())

    def put_local_fact(self, name: str, value: Value, label: Label = NOTHING) -> None:
        """Write a local that the runtime computes, such as `last_action.blocked`, of what has `label`."""
        self.put_local(name, value, _RUNTIME | without_secrets(label))

    def put_answer(self, name: str, value: Value, label: Label) -> None:
        """Write what a model, a person or a sender said as a local; a name with a meaning keeps it (I4)."""
        if isinstance(value, dict) and self.whose.forges(name, cast("Fields", value)):
            self.forget(self.state.locals, name, label)  # the answer before is not that of this question
            self.trace.emit("name.taken", path=name)
        elif self.names.holds(name, value):
            if not self.names.holds(name, None):
                self.decide(self.state.locals, name, label | self.context())
            self.trace.emit("name.taken", path=name)
        else:
            self.put_local(name, value, label)

    def decide(self, space: Space, path: str, label: Label) -> None:
        """Count `label` into the sources of what `path` has in `space`, or of its having nothing.

        Nobody asks the latter of trusted sources.
        """
        if not label:
            return
        if path in space.plain:
            if space is self.state.facts:
                self.state.put_fact(path, space[path], label)
            else:
                space.join(path, label)
        elif is_untrusted(label):
            space.join(path, label)

    def forget(self, space: Space, path: str, label: Label = NOTHING) -> None:
        """Take `path` out of a space; `label` and the context decided that it has nothing now."""
        space.forget(path, NOTHING)
        self.decide(space, path, without_secrets(label) | self.context())

    def admits_answer(self, key: str) -> bool:
        """Tell whether what a tool or a sub-agent answers as `key` is also read under that bare name."""
        return self.names.admits_answer(key) and not self.whose.is_of_a_person(key)

    # ------------------------------------------------------------------------------------ the world

    def cross(self, crossing: Crossing) -> Steps[Outcome]:
        """Ask the world.

        A resume told with the answer is a fact before the answer is used (durability.md §6).
        """
        outcome = yield crossing
        if outcome.resumes is not None:
            self.state.facts["run.resumed"] = True
            self.state.facts["run.resumes"] = outcome.resumes
        return outcome

    def person_spoke(self, outcome: Outcome) -> None:
        """Take note that a person approved or answered; an answer given before the resume changes nothing."""
        if outcome.resumes is None or outcome.since:
            self.state.facts["run.resumed"] = False

    # ------------------------------------------------------------------------------------ conditions

    def value(self, expression: Expression) -> Value:
        """Return the value of `expression`. Raises EvaluationError."""
        return self.evaluator(expression)(self._view)

    def value_or_undefined(self, expression: Expression) -> Value:
        """Return the value of `expression`; when it has none, trace that and return UNDEFINED (§0 ⚠8)."""
        try:
            return self.value(expression)
        except EvaluationError as error:
            self.trace.emit(
                "guard.failed", "; it is undefined", guard=print_node(expression), error=str(error)
            )
            return UNDEFINED

    def holds(self, guard: Expression | None, *, strict: bool = False) -> bool:
        """Tell whether `guard` is true.

        An absent one is, one that cannot be told is not (language.md §3.9).
        """
        if guard is None:
            return True
        try:
            kept = self._strictly if strict else self.evaluator
            return truth(kept(guard)(self._view))
        except EvaluationError as error:
            self.trace.emit("guard.failed", "; it counts as false", guard=print_node(guard), error=str(error))
            return False

    # ------------------------------------------------------------------------------------ statements

    def run_block(self, block: Block) -> Steps[None]:
        """Run the statements of a block in order. Raises VerifyFailure and TickCut."""
        for statement in block.statements:
            yield from self._handlers[type(statement)](self, statement)
            self.step_done()

    def run_body(self, block: Block) -> Steps[None]:
        """Run a block that belongs to no plan.

        A failing VERIFY stops it and its handler runs, without RETRY.
        """
        failed: Verify | None = None
        with self.body(block):
            try:
                yield from self.run_block(block)
            except VerifyFailure as failure:
                failed = failure.statement
            if failed is not None:
                yield from self.run_failure_handler(self.failure_handler(failed))

    def failure_handler(self, statement: Verify) -> Block | None:
        """Return what runs when `statement` failed: its own ON FAIL, else ON VERIFY.FAIL."""
        if statement.on_fail is not None and statement.on_fail.statements:
            return statement.on_fail
        handler = self.last(VerifyFailHandler)
        return None if handler is None else handler.body

    def run_failure_handler(self, handler: Block | None) -> Steps[None]:
        """Run a failure handler without its RETRY; a VERIFY that fails inside only stops it."""
        self.put_local_fact("still_failed", True)
        for statement in () if handler is None else handler.statements:
            if isinstance(statement, Retry):
                continue
            try:
                yield from self._handlers[type(statement)](self, statement)
            except VerifyFailure:
                return
            self.step_done()
