"""Statements (language.md §2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentl_grammar.tree.expressions import Argument, Expression, NumberLiteral, StringLiteral
from agentl_grammar.tree.node import Name, NameList, Node, Path, Row


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class If(Row):
    """IF … THEN … [ELSE …]."""

    condition: Expression
    then: Block
    otherwise: Block | None

    def rest(self) -> If | None:
        """Return the IF that is all of this one's ELSE."""
        statements = self.otherwise.statements if self.otherwise else ()
        return statements[0] if len(statements) == 1 and isinstance(statements[0], If) else None

    def own(self) -> tuple[object, ...]:
        """Return the condition and its branch; of the last, what stands behind its ELSE as well."""
        otherwise = None if self.rest() else self.otherwise
        return self.condition, self.then, otherwise


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
