"""What an agent does: plans, reactions, inference, planner, main loop, scenarios (language.md §2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentl_grammar.tree.declarations import EffectEntry
from agentl_grammar.tree.expressions import Expression, NumberLiteral, StringLiteral
from agentl_grammar.tree.node import Name, Node, Path
from agentl_grammar.tree.statements import Block, If, Reason


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
    """EVENT path { … }; THEN branches are Then statements, in order. `when` stands inside the braces."""

    source: Path
    when: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class MessageHandler(Node):
    """ON MESSAGE name { … }; `when` stands in the braces of `body`."""

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
    """One evidence; PREDICT is one labelled PREDICT.

    `groups` are the names of the GROUPs around it, outermost first; they stand before it, outside of its
    span.
    """

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
