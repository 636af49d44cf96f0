"""What a rule is: a small function that carries its code and says what it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeAlias, TypeVar

from agentl_grammar.problems import Fix, Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.near import is_slip
from agentl_grammar.tree import Node

_S = TypeVar("_S")
_DIGITS = re.compile(r"\d")
_ALIKE = 0.66
"""How alike two names are at least that one is taken for the other: `pey` and `pay` are."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found; its code and severity are the rule's."""

    span: Span
    message: Message
    hint: Message | None = None
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()


Find: TypeAlias = Callable[[_S], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Rule(Generic[_S]):
    """A rule over a subject: an agent, or a program. `unnecessary`: what it marks could as well be gone.

    With `of` it looks at one member of an agent after the other, at those with a node of one of these kinds,
    through `own…` of the index; what it asks about the others is noted.
    """

    code: str
    severity: Severity
    find: Find[_S]
    of: tuple[type[Node], ...] = ()
    unnecessary: bool = False

    def problems(self, subject: _S) -> Iterator[Problem]:
        """Return the findings as problems."""
        return map(self._problem, self.find(subject))

    def _problem(self, found: Found) -> Problem:
        return Problem(
            self.code,
            self.severity,
            found.span,
            found.message,
            found.hint,
            found.related,
            found.fixes,
        )


def error(code: str, *of: type[Node]) -> Callable[[Find[_S]], Rule[_S]]:
    """Make a rule of a function: over members with such nodes, an agent, or a program. It blocks a run."""
    return lambda find: Rule(code, Severity.ERROR, find, of)


def warning(code: str, *of: type[Node], unnecessary: bool = False) -> Callable[[Find[_S]], Rule[_S]]:
    """Make a rule of a function: over members with such nodes, an agent, or a program. It warns."""
    return lambda find: Rule(code, Severity.WARNING, find, of, unnecessary)


def hint(code: str, *of: type[Node]) -> Callable[[Find[_S]], Rule[_S]]:
    """Make a rule of a function: over members with such nodes, an agent, or a program. It hints."""
    return lambda find: Rule(code, Severity.HINT, find, of)


def said(template: str, **values: object) -> Message:
    """Return a message with its holes filled. `template` comes from `message_id`."""
    return Message(template, values)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the one known name that is spelled almost like `name`; None when there is none, or a choice."""
    found = get_close_matches(name, set(known), n=2, cutoff=_ALIKE)
    return found[0] if len(found) == 1 else None


def writing(span: Span, text: str, *, guess: bool = False) -> tuple[Fix, ...]:
    """Return the fix that writes a text at `span`."""
    return (Fix(said(message_id("Write {name}"), name=text), ((span, text),), guess=guess),)


def renaming(span: Span, name: str, near: str | None, *, opens: bool = False) -> tuple[Fix, ...]:
    """Return the fix that writes the near name for `name` at `span`; none without one.

    It is a guess when the two are more than one slip apart, when one is a single letter, when they differ
    by a digit, and where it `opens`
    something: what it makes possible then is a person's to say.
    """
    if near is None:
        return ()
    same = name.casefold() == near.casefold()
    short = min(len(name), len(near)) == 1
    slip = not short and is_slip(name, near) and _DIGITS.findall(name) == _DIGITS.findall(near)
    return writing(span, near, guess=opens or not (same or slip))


def did_you_mean(name: str | None, otherwise: Message) -> Message:
    """Return the hint at a near name, or the other one."""
    return said(message_id("did you mean {name}?"), name=name) if name else otherwise
