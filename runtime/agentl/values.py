"""The kinds of value a program has (language.md §3.1–§3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Symbol:
    """A bare word as a value: `healthy`, `yes`. Not a string, though both may read alike."""

    text: str

    def __str__(self) -> str:
        return self.text


class _Undefined(Enum):
    """The singleton behind UNDEFINED."""

    UNDEFINED = "undefined"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _Undefined.UNDEFINED
"""Nothing is known: falsy, never equal to anything in the language."""
