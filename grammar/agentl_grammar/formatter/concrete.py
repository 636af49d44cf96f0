"""The concrete tree of a text: every token, under the rules of agent.lark that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from agentl_grammar.lalr import Engine, UnexpectedTokenError
from agentl_grammar.lexer import Token
from agentl_grammar.tables import load_tables


@dataclass(frozen=True, slots=True)
class Branch:
    """A rule and what it was reduced from, in order; rules that begin with `_` are spliced into theirs.

    `depth` counts the rules on the longest way down; terms of one row stand side by side.
    """

    rule: str
    children: tuple[Branch | Token, ...]
    depth: int

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens below, in order."""
        for child in self.children:
            if isinstance(child, Token):
                yield child
            else:
                yield from child.tokens()


Child = Branch | Token
# A tree of the deepest nodes there may be (100) has fewer; each costs the layout three calls.
_DEEPEST = 250


def _goes_down(rule: str, child: Branch) -> bool:
    """Tell whether the layout walks down to a child: a row of terms it walks along."""
    return rule != "binary" or child.rule != rule


class _Builder:
    """Makes a Branch of every rule."""

    def __getattr__(self, rule: str) -> Callable[[Sequence[Child]], Branch]:
        if rule.startswith("_") or not rule.islower():
            raise AttributeError(rule)  # the parser splices it, or leaves the token as it is

        def reduce(children: Sequence[Child]) -> Branch:
            deepest = (
                child.depth + _goes_down(rule, child) for child in children if isinstance(child, Branch)
            )
            return Branch(rule, tuple(children), max(deepest, default=1))

        return reduce


@cache
def _engine() -> Engine:
    return Engine(load_tables(), _Builder())


def read_members(head: Sequence[Token], tokens: Sequence[Token]) -> tuple[Branch, ...] | None:
    """Return the members of an agent that `tokens` are, or None when they are not all of some members.

    None, too, when they are nested deeper than the layout is ready to walk.

    `head` is what begins the agent, up to its brace.
    """
    cursor = _engine().cursor()
    end = tokens[-1].end
    try:
        cursor.feed([*head, *tokens, Token("_RBRACE", "}", end, end)])
        program: Any = cursor.finish()
    except UnexpectedTokenError:
        return None
    agent, *others = program.children
    if others or agent.depth > _DEEPEST:
        return None
    return tuple(child for child in agent.children if isinstance(child, Branch))
