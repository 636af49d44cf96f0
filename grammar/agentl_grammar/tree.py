"""The syntax tree (language.md §2): frozen, slotted dataclasses; every node has its span.

Equality is blind to spans, so that a program and its reprint compare equal. Repeated fields are folded as §2.3 says
(last wins, or accumulate); the order of members, rules, statements and entries is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Literal, TypeVar

from agentl_grammar.source import Span


@dataclass(frozen=True, slots=True)
class Node:
    """Anything with a place in the text."""

    span: Span = field(compare=False, repr=False)


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below `node`, in the order of its fields."""
    for slot in fields(node):
        value: object = getattr(node, slot.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))  # pyright: ignore[reportUnknownVariableType]


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything below it, parents first."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(list(children(current))))


# ---------------------------------------------------------------------------------------------- names


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A Word (§2.1): an identifier, a reserved word, a number or the text of a string."""

    text: str


@dataclass(frozen=True, slots=True)
class Path(Node):
    """A Path or BucketPath (§2.1). As an expression it reads the state."""

    segments: tuple[Name, ...]

    @property
    def text(self) -> str:
        """The dotted text."""
        return ".".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class NameList(Node):
    """Paths in braces, or one bare path (§2.1)."""

    paths: tuple[Path, ...]


# ---------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class NumberLiteral(Node):
    """A number, percent (value / 100) or duration (value in seconds); `text` is the source, `-` included."""

    value: int | float
    unit: Literal["number", "percent", "duration"]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class StringLiteral(Node):
    """A quoted text, escapes resolved (§1.7)."""

    value: str


@dataclass(frozen=True, slots=True)
class DatetimeLiteral(Node):
    """A date or date and time (§1.6); the value is the text."""

    text: str


@dataclass(frozen=True, slots=True)
class SharedPath(Node):
    """`SHARED.key…` in an expression; `segments` leave SHARED out."""

    segments: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class ListExpression(Node):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """One argument of a call; `name` is None when positional."""

    name: Name | None
    value: Expression


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """`f(x)` in an expression; CONFIDENCE is a one-segment path here."""

    function: Path
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`NOT x` or `-x`; `operator.text` is `NOT` or `-`."""

    operator: Name
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`operator.text` is one of OR AND == != > >= < <= IN + - * /."""

    operator: Name
    left: Expression
    right: Expression


Expression = (
    NumberLiteral
    | StringLiteral
    | DatetimeLiteral
    | Path
    | SharedPath
    | ListExpression
    | FunctionCall
    | Unary
    | Binary
)

# ---------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Block(Node):
    """A statement list; a branch of one bare statement is a block of one."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CallStatement(Node):
    """A tool call."""

    target: Path
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`SET path value` or `path = value`."""

    target: Path
    value: Expression


@dataclass(frozen=True, slots=True)
class Trigger(Node):
    """A path alone: enqueue that plan."""

    plan: Path


@dataclass(frozen=True, slots=True)
class If(Node):
    """IF … THEN … [ELSE …]."""

    condition: Expression
    then: Block
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class Then(Node):
    """`THEN branch` as a plain statement."""

    branch: Block


@dataclass(frozen=True, slots=True)
class Verify(Node):
    """VERIFY as a statement."""

    label: StringLiteral | None
    condition: Expression
    on_fail: Block | None


@dataclass(frozen=True, slots=True)
class Domain(Node):
    """`IN [ … ]` of a PRODUCE field; a Name is a symbol, a negative number has its sign in `value`."""

    items: tuple[NumberLiteral | StringLiteral | Name, ...]


@dataclass(frozen=True, slots=True)
class ProduceField(Node):
    """One field that a REASON asks for."""

    name: Name
    type: Name | None
    domain: Domain | None
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Reason(Node):
    """REASON; `task` is TASK, else the leading string."""

    task: StringLiteral | None
    using: NameList | None
    produce: tuple[ProduceField, ...]


@dataclass(frozen=True, slots=True)
class ChoiceOption(Node):
    """`word: "description"` of a CHOICE question."""

    name: Name
    text: StringLiteral


@dataclass(frozen=True, slots=True)
class Question(Node):
    """A question of JUDGE (1.10)."""

    name: Name
    kind: Literal["NOUL", "CHOICE", "SCORE"]
    text: StringLiteral
    options: tuple[ChoiceOption, ...]
    levels: tuple[StringLiteral, ...]
    abstain_below: NumberLiteral | None
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Judge(Node):
    """JUDGE (1.10)."""

    task: StringLiteral | None
    using: NameList | None
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Ask(Node):
    """ASK, in either form."""

    addressee: Name
    question: StringLiteral | None
    reason: Name | None
    timeout: NumberLiteral | None
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Delegate(Node):
    """DELEGATE to a sub-agent."""

    target: Name
    task: StringLiteral | None
    inputs: NameList | None
    expects: NameList | None


@dataclass(frozen=True, slots=True)
class PayloadEntry(Node):
    """`key value` of a PAYLOAD."""

    key: Name
    value: Expression


@dataclass(frozen=True, slots=True)
class Message(Node):
    """MESSAGE to another agent."""

    name: Name
    to: Name | None
    broadcast: bool
    payload: tuple[PayloadEntry, ...]


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """LOOP, as a statement or as the agent's main loop."""

    until: Expression | None
    maximum: NumberLiteral | None
    body: Block


@dataclass(frozen=True, slots=True)
class ForEach(Node):
    """FOREACH variable IN source."""

    variable: Name
    source: Expression
    maximum: NumberLiteral | None
    body: Block


@dataclass(frozen=True, slots=True)
class Retry(Node):
    """RETRY; None means 1."""

    count: NumberLiteral | None


@dataclass(frozen=True, slots=True)
class Rollback(Node):
    """ROLLBACK."""


@dataclass(frozen=True, slots=True)
class Escalate(Node):
    """ESCALATE."""


@dataclass(frozen=True, slots=True)
class Phase(Node):
    """One of the twelve phase words alone."""

    word: Name


Statement = (
    CallStatement
    | Assign
    | Trigger
    | If
    | Then
    | Verify
    | Reason
    | Judge
    | Ask
    | Delegate
    | Message
    | Loop
    | ForEach
    | Retry
    | Rollback
    | Escalate
    | Phase
)

# ---------------------------------------------------------------------------------------------- members of an agent


@dataclass(frozen=True, slots=True)
class Version(Node):
    """VERSION; the source text is kept (`VERSION 1.10` is "1.10")."""

    text: str


@dataclass(frozen=True, slots=True)
class Description(Node):
    """DESCRIPTION of an agent, tool or hypothesis."""

    text: StringLiteral


@dataclass(frozen=True, slots=True)
class Goal(Node):
    """GOAL; `name` None means `main`."""

    name: Name | None
    mode: Literal["MAINTAIN", "ACHIEVE"]
    condition: Expression | None
    targets: tuple[Expression, ...]
    weight: NumberLiteral | None


@dataclass(frozen=True, slots=True)
class BeliefEntry(Node):
    """An initial belief."""

    path: Path
    value: Expression
    confidence: NumberLiteral | None
    source: Name | None
    updated: Name | None


@dataclass(frozen=True, slots=True)
class Belief(Node):
    """BELIEF { … }."""

    entries: tuple[BeliefEntry, ...]


@dataclass(frozen=True, slots=True)
class OnUnknown(Node):
    """ON UNKNOWN ESCALATE, or DEGRADE with its fallback."""

    action: Literal["ESCALATE", "DEGRADE"]
    fallback: Expression | None


@dataclass(frozen=True, slots=True)
class Observation(Node):
    """An observed path."""

    path: Path
    when: Expression | None
    on_unknown: OnUnknown | None


@dataclass(frozen=True, slots=True)
class Observe(Node):
    """OBSERVE, braced or not."""

    entries: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class MemoryWrite(Node):
    """WRITE; `into` None means LONG_TERM.records."""

    when: Expression | None
    store: NameList | None
    into: Path | None


@dataclass(frozen=True, slots=True)
class Memory(Node):
    """MEMORY; a bare path counts as LONG_TERM."""

    short_term: tuple[Path, ...]
    long_term: tuple[Path, ...]
    knowledge: tuple[Path, ...]
    shared: tuple[Path, ...]
    writes: tuple[MemoryWrite, ...]


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`name: Type`; None means Any."""

    name: Name
    type: Name | None


@dataclass(frozen=True, slots=True)
class InputField(Node):
    """A parameter of a tool."""

    name: Name
    type: Name | None
    bind: Path | None
    attests: Name | None


@dataclass(frozen=True, slots=True)
class RiskEntry(Node):
    """RISK: a level, with the key it stands behind inside a block."""

    key: Name | None
    level: Name


@dataclass(frozen=True, slots=True)
class EffectEntry(Node):
    """`path = value [INTERNAL]` of EFFECT, OUTCOME and GIVEN."""

    path: Path
    value: Expression
    internal: bool


@dataclass(frozen=True, slots=True)
class ToolOutcome(Node):
    """OUTCOME name [WITH probability] { … }."""

    name: Name
    probability: NumberLiteral | None
    effects: tuple[EffectEntry, ...]


@dataclass(frozen=True, slots=True)
class Tool(Node):
    """A tool's contract. A tool of the short form has only a name and `inputs`."""

    name: Name
    description: StringLiteral | None
    inputs: tuple[InputField, ...]
    outputs: tuple[Field, ...]
    side_effects: tuple[Path, ...]
    risk: tuple[RiskEntry, ...]
    requires: Expression | None
    effects: tuple[EffectEntry, ...]
    outcomes: tuple[ToolOutcome, ...]
    cost: NumberLiteral | None
    duration: NumberLiteral | None


@dataclass(frozen=True, slots=True)
class ToolList(Node):
    """The short form: TOOL { a(x: Number) b }."""

    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class PolicyDefault(Node):
    """DEFAULT ALLOW or DENY."""

    verdict: Literal["ALLOW", "DENY"]


@dataclass(frozen=True, slots=True)
class Redaction(Node):
    """NEVER SEND a, b."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Guard(Node):
    """IF or WHEN behind a rule; the two mean the same."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Rule(Node):
    """A rule of a POLICY; `target` None means `*`. REQUIRE is REQUIRE APPROVAL."""

    kind: Literal["NEVER", "DENY", "ALLOW", "REQUIRE"]
    target: Path | None
    guard: Guard | None


@dataclass(frozen=True, slots=True)
class Policy(Node):
    """POLICY { … }."""

    rules: tuple[PolicyDefault | Redaction | Rule, ...]


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A step of a plan."""

    name: Name
    body: Block


@dataclass(frozen=True, slots=True)
class Plan(Node):
    """PLAN; a plain statement list is one step named `main`, whose name has the plan's name's span."""

    name: Name
    when: Expression | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class EventHandler(Node):
    """EVENT path { … }; THEN branches are Then statements, order kept."""

    source: Path
    when: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class MessageHandler(Node):
    """ON MESSAGE name { … }."""

    name: Name
    when: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class VerifyFailHandler(Node):
    """ON VERIFY.FAIL { … }."""

    body: Block


@dataclass(frozen=True, slots=True)
class Decide(Node):
    """DECIDE { … }."""

    rules: tuple[If, ...]
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class PriorFrom(Node):
    """PRIOR FROM bucket [WHERE …]."""

    bucket: Path
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Evidence(Node):
    """One evidence; PREDICT is one labelled PREDICT. `groups` are the GROUPs around it, outermost first."""

    condition: Expression
    likelihood: NumberLiteral | None
    given_not: NumberLiteral | None
    groups: tuple[Name, ...]
    predicted: bool


@dataclass(frozen=True, slots=True)
class Explains(Node):
    """EXPLAINS path [= value]."""

    path: Path
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Hypothesis(Node):
    """HYPOTHESIS name { … }."""

    name: Name
    description: StringLiteral | None
    prior: NumberLiteral | None
    prior_from: PriorFrom | None
    threshold: NumberLiteral | None
    max_evidence: NumberLiteral | None
    evidence: tuple[Evidence, ...]
    explains: Explains | None


@dataclass(frozen=True, slots=True)
class Planner(Node):
    """PLANNER { … }."""

    achieve: tuple[Expression, ...]
    max_depth: NumberLiteral | None
    max_nodes: NumberLiteral | None
    approval_cost: NumberLiteral | None
    target_confidence: NumberLiteral | None
    deadline: NumberLiteral | None
    time_weight: NumberLiteral | None


@dataclass(frozen=True, slots=True)
class UtilityEntry(Node):
    """`condition VALUE number`; the sign is in the number."""

    condition: Expression
    value: NumberLiteral


@dataclass(frozen=True, slots=True)
class Utility(Node):
    """UTILITY { … }."""

    entries: tuple[UtilityEntry, ...]


@dataclass(frozen=True, slots=True)
class MainLoop(Node):
    """LOOP at agent level."""

    until: Expression | None
    maximum: NumberLiteral | None
    body: Block


@dataclass(frozen=True, slots=True)
class Given(Node):
    """GIVEN { … }."""

    effects: tuple[EffectEntry, ...]


@dataclass(frozen=True, slots=True)
class GivenEvent(Node):
    """GIVEN EVENT path { … }."""

    source: Path
    payload: tuple[EffectEntry, ...]


@dataclass(frozen=True, slots=True)
class GivenMessage(Node):
    """GIVEN MESSAGE path FROM word { … }."""

    name: Path
    sender: Name
    payload: tuple[EffectEntry, ...]


@dataclass(frozen=True, slots=True)
class Expect(Node):
    """EXPECT { … }."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ExpectTrace(Node):
    """A trace form of EXPECT; `target` is None for NO ERROR."""

    kind: Literal["CALL", "NEVER CALL", "BLOCKED", "EVENT", "NO ERROR"]
    target: Path | None


@dataclass(frozen=True, slots=True)
class Scenario(Node):
    """SCENARIO; `within` None means 1."""

    name: Name
    given: tuple[Given | GivenEvent | GivenMessage, ...]
    expectations: tuple[Expect | ExpectTrace, ...]
    within: NumberLiteral | None


Member = (
    Version
    | Description
    | Goal
    | Belief
    | Observe
    | Memory
    | Tool
    | ToolList
    | Policy
    | Plan
    | EventHandler
    | MessageHandler
    | VerifyFailHandler
    | Decide
    | Hypothesis
    | Planner
    | Utility
    | MainLoop
    | Scenario
)

_M = TypeVar("_M", bound=Node)


@dataclass(frozen=True, slots=True)
class Agent(Node):
    """AGENT name { … }; members in the order of the text."""

    name: Name
    members: tuple[Member, ...]

    def of(self, kind: type[_M]) -> tuple[_M, ...]:
        """Return the members of one kind, in order."""
        return tuple(member for member in self.members if isinstance(member, kind))

    def last(self, kind: type[_M]) -> _M | None:
        """Return the last member of a kind of which the last wins (§2.2), if any."""
        found = self.of(kind)
        return found[-1] if found else None

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool, of the full and of the short form."""
        found: list[Tool] = []
        for member in self.members:
            if isinstance(member, Tool):
                found.append(member)
            elif isinstance(member, ToolList):
                found.extend(member.tools)
        return tuple(found)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Every observed path, in order."""
        return tuple(entry for member in self.of(Observe) for entry in member.entries)

    @property
    def policy_rules(self) -> tuple[PolicyDefault | Redaction | Rule, ...]:
        """Every entry of every POLICY, in order."""
        return tuple(rule for member in self.of(Policy) for rule in member.rules)


@dataclass(frozen=True, slots=True)
class Program(Node):
    """One or more agents."""

    agents: tuple[Agent, ...]
