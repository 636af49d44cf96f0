"""The words of the language: the one source of them and of what is said about them (language.md §1.4).

agent.lark spells the same words as terminals; a test holds the two equal. `documentation` is one line,
`syntax` the shape (its signs are told at the head of docs/words.md), `example` a piece of a program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agentl_grammar.lexicon import members, statements


@dataclass(frozen=True, slots=True)
class Word:
    """A reserved word: `level` is the language level that brought it, `group` the part that it serves."""

    text: str
    level: str
    group: str
    documentation: str
    syntax: str
    example: str

    def explained(self) -> str:
        """Return what it means, with the level that brought it where that is not 1.9."""
        return self.documentation + (f" (level {self.level})" if self.level != "1.9" else "")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of expressions; function names are not reserved (CONFIDENCE, which is, is one too)."""

    name: str
    signature: str
    documentation: str


_ORDER = (
    "agent goal belief perception memory tool policy plan verify oracle messages reaction phases inference "
    "planner scenario operators judge"
)
_DESCRIPTIONS = {**members.GROUPS, **statements.GROUPS}

GROUPS: Final[Mapping[str, str]] = MappingProxyType(
    {group: " ".join(_DESCRIPTIONS[group]) for group in _ORDER.split()}
)
"""The reserved words of each part of the language, in the order of §1.4, between spaces."""

WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {word: group for group, words in GROUPS.items() for word in words.split()}
)
"""The group of each reserved word."""

DESCRIPTIONS: Final[Mapping[str, Word]] = MappingProxyType(
    {
        word: Word(word, "1.10" if group == "judge" else "1.9", group, *_DESCRIPTIONS[group][word])
        for word, group in WORDS.items()
    }
)
"""What is said about each reserved word."""

UNITS: Final[Mapping[str, float]] = MappingProxyType(
    {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
)
"""Units of a duration, in seconds (§1.5)."""

PHASES: Final = (
    "RECEIVE",
    "OBSERVE",
    "UPDATE_BELIEFS",
    "UPDATE_HYPOTHESES",
    "EVALUATE_GOALS",
    "SELECT_PLAN",
    "SYNTHESIZE",
    "DECIDE",
    "EXECUTE",
    "ACT",
    "VERIFY",
    "UPDATE_MEMORY",
)
"""Words that run a phase when they stand alone as a statement (§2.4)."""

CONTEXTUAL: Final = ("CALL", "BLOCKED", "NO", "ERROR")
"""Words that mean something behind EXPECT and are free everywhere else (§1.4)."""

_FUNCTIONS = (
    Function("len", "len(value)", "How many items or characters the value has; 0 when it has none."),
    Function("abs", "abs(number)", "The number without its sign."),
    Function("min", "min(a, b, …)", "The smallest of the values."),
    Function("max", "max(a, b, …)", "The largest of the values."),
    Function("round", "round(number[, digits])", "The number rounded."),
    Function("CONFIDENCE", "CONFIDENCE(path)", "How sure the belief is, from 0 to 1; 0 when there is none."),
    Function(
        "UNCERTAINTY", "UNCERTAINTY(path)", "1 minus the confidence of the belief; 1 when there is none."
    ),
    Function("P", "P(hypothesis)", "The posterior probability of the hypothesis; 0 when it is unknown."),
    Function("PROBABILITY", "PROBABILITY(hypothesis)", "The same as P."),
    Function("POSTERIOR", "POSTERIOR(hypothesis)", "The same as P."),
    Function("ORIGIN", "ORIGIN(path)", "The sources that the value comes from, as a sorted list of symbols."),
    Function("UNTRUSTED", "UNTRUSTED(path | action)", "True when any part of the value came from outside."),
    Function("TRUSTED", "TRUSTED(path | action)", "True when no part of the value came from outside."),
    Function("LLM_DERIVED", "LLM_DERIVED(path | action)", "True when a model had a hand in the value."),
    Function(
        "ATTESTED", "ATTESTED(path[, tool])", "True when a tool, or this one, has vouched for the value."
    ),
)
FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {function.name: function for function in _FUNCTIONS}
)
