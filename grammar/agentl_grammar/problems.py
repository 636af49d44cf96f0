"""What is wrong with a text: one type, many renderers (architecture.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agentl_grammar.source import Span


class Severity(StrEnum):
    """How much a problem matters."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


def message_id(template: str) -> str:
    """Mark `template` as a message of the gettext catalogue; it is translated where it is shown."""
    return template


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence with holes (`str.format` fields): `template` is the English text and the catalogue's key."""

    template: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])

    def __str__(self) -> str:
        return self.translated(str)

    def translated(self, translate: Callable[[str], str]) -> str:
        """Return the sentence in the language of `translate`, a template's; holes may be messages too."""
        values = {
            name: value.translated(translate) if isinstance(value, Message) else value
            for name, value in self.arguments.items()
        }
        return translate(self.template).format(**values)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a problem; `name` is the file when it is not the program itself."""

    span: Span
    message: Message
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that removes a problem: `replacements` in order, not overlapping.

    They are in the problem's own text; `name` is the file when it is another one. A `guess` is offered to a
    person, and never applied with all others unasked.
    """

    title: Message
    replacements: tuple[tuple[Span, str], ...]
    name: str | None = None
    guess: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: a stable code, its place, what is wrong and what to do next."""

    code: str
    severity: Severity
    span: Span
    message: Message
    hint: Message | None = None
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
