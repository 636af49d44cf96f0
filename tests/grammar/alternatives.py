"""The alternatives of agent.lark, and which of them programs use; `make bench` prints the share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lark

import agentl_grammar

HERE = Path(__file__).parent
PROGRAMS = [
    *(HERE.parents[1] / "docs" / "examples").glob("*.agent"),
    *(HERE / "samples").glob("*.agent"),
    HERE / "rare.agent",
    HERE / "forms.agent",
]
GRAMMAR = Path(agentl_grammar.__file__).with_name("agent.lark").read_text(encoding="utf-8")
WORD_LISTS = {"_keyword", "_free_keyword", "_judge_keyword", "_field_keyword"}
"""Rules that list the reserved words which may be names; that each may is tested apart."""


class Alternatives:
    """Tells which alternatives there are, and which a program uses.

    One is its rule and its symbols, each optional one there or not; separators, and how often something is
    repeated, make no difference.
    """

    def __init__(self) -> None:
        self._lark: Any = lark.Lark(
            GRAMMAR, parser="lalr", lexer="contextual", keep_all_tokens=True, maybe_placeholders=False
        )
        self._used: set[tuple[str, ...]] = set()
        callbacks: dict[Any, Callable[[Any], Any]] = self._lark.parser.parser.parser.callbacks
        self.all = {_alternative(rule) for rule in callbacks if _is_told(rule)}
        for rule, build in [*callbacks.items()]:
            callbacks[rule] = self._noting(_alternative(rule), build)

    def _noting(self, alternative: tuple[str, ...], build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def noted(children: Any) -> Any:
            self._used.add(alternative)
            return build(children)

        return noted

    def used(self, text: str) -> set[tuple[str, ...]]:
        """Return the alternatives that a program uses, none when it is wrong."""
        self._used.clear()
        try:
            self._lark.parse(text)
        except lark.exceptions.UnexpectedInput:
            return set()
        return self._used & self.all


def _is_told(rule: Any) -> bool:
    return not rule.origin.name.startswith("__") and rule.origin.name not in WORD_LISTS


def _alternative(rule: Any) -> tuple[str, ...]:
    dropped = {"_sep", "_COMMA", "_COLON", "_EQ", "_statements", "_arguments", "_expr_items"}
    symbols = [symbol.name for symbol in rule.expansion if symbol.name not in dropped]
    return (str(rule.origin.name), *(name for name in symbols if not name.startswith("__")))


def used_by_samples() -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Return all alternatives, and those that the sample programs use."""
    alternatives = Alternatives()
    texts = [program.read_text(encoding="utf-8") for program in PROGRAMS]
    return alternatives.all, {one for text in texts for one in alternatives.used(text)}
