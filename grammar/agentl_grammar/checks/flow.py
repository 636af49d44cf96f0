"""What certainly happens behind a call, on every way through a body (W102)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.parts import Part
from agentl_grammar.tree import (
    Block,
    CallStatement,
    Decide,
    EventHandler,
    ForEach,
    If,
    Loop,
    MainLoop,
    Member,
    MessageHandler,
    Plan,
    Statement,
    Then,
    Trigger,
    Verify,
    VerifyFailHandler,
)

Checked = frozenset[str]
Visit = Callable[[CallStatement, Checked], None]
_NOTHING: Checked = frozenset()


def bodies(member: Member) -> list[Sequence[Statement]]:
    """Return the statement lists of a member that run from beginning to end."""
    if isinstance(member, Plan):
        return [[statement for step in member.steps for statement in step.body.statements]]
    if isinstance(member, EventHandler | MessageHandler | VerifyFailHandler | MainLoop):
        return [member.body.statements]
    return [[rule] for rule in member.rules] if isinstance(member, Decide) else []


class VerifiedBehind:
    """Goes backwards through a body and tells for each call which paths are surely verified behind it.

    Behind the name of a plan alone stand the VERIFYs that every run of that plan reaches.
    """

    def __init__(self, index: Index, part: Part, visit: Visit) -> None:
        self._index = index
        self._part = part
        self._visit = visit

    def body(self, statements: Sequence[Statement], behind: Checked = _NOTHING) -> Checked:
        """Visit every call and return the paths that are verified from the beginning of the body on."""
        for statement in reversed(statements):
            behind = self._statement(statement, behind)
        return behind

    def _block(self, block: Block | None, behind: Checked) -> Checked:
        return self.body(block.statements, behind) if block else behind

    def _statement(self, statement: Statement, behind: Checked) -> Checked:
        match statement:
            case CallStatement():
                self._visit(statement, behind)
            case Verify():
                self._block(statement.on_fail, _NOTHING)
                return behind | set(self._part.reads(statement.condition))
            case If():
                row = list(statement.row())
                found = self._block(row[-1].otherwise, behind)
                for each in row:
                    found &= self._block(each.then, behind)
                return found
            case Then() | Loop():
                return self._block(
                    statement.branch if isinstance(statement, Then) else statement.body, behind
                )
            case ForEach():
                self._block(statement.body, behind)  # it may have no element
            case Trigger():
                return behind | self._plan(statement.plan.text)
            case _:
                pass
        return behind

    def _plan(self, name: str) -> Checked:
        known = self._index.plans.get(name)
        if known is None:
            return _NOTHING
        home, plan = known
        statements = (each for step in plan.steps for each in step.body.statements)
        verified = (home.reads(each.condition) for each in statements if isinstance(each, Verify))
        return frozenset(path for paths in verified for path in paths)
