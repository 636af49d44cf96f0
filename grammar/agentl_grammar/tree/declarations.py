"""What an agent is, knows and may do: goals, beliefs, observations, memory, tools, policy (§2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentl_grammar.tree.expressions import Expression, NumberLiteral, StringLiteral
from agentl_grammar.tree.node import Name, NameList, Node, Path


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
