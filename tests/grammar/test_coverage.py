"""The sample programs use every rule of agent.lark; `make bench` prints the share."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import agentl_grammar
from agentl_grammar.builder import Builder
from agentl_grammar.lalr import Engine
from agentl_grammar.lexer import lex
from agentl_grammar.tables import load_tables

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "grammar"
PROGRAMS = [
    *(ROOT / "docs" / "examples").glob("*.agent"),
    *(TESTS / "samples").glob("*.agent"),
    TESTS / "rare.agent",
]
GRAMMAR = Path(agentl_grammar.__file__).with_name("agent.lark").read_text(encoding="utf-8")


class Watched:
    """A builder that notes which rules are reduced."""

    def __init__(self) -> None:
        self.reduced: set[str] = set()
        self._builder = Builder()

    def __getattr__(self, rule: str) -> Callable[[list[Any]], Any]:
        reduce = getattr(self._builder, rule)

        def noted(children: list[Any]) -> Any:
            self.reduced.add(rule)
            return reduce(children)

        return noted


def rules_used() -> tuple[set[str], set[str]]:
    """Return the rules of agent.lark, and those that the programs use."""
    watched = Watched()
    engine = Engine(load_tables(), watched)
    for program in PROGRAMS:
        cursor = engine.cursor()
        cursor.feed(lex(program.read_text(encoding="utf-8")).tokens)
        cursor.finish()
    rules = {*re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.MULTILINE), *re.findall(r"-> ([a-z_]+)", GRAMMAR)}
    return rules, rules & watched.reduced


def test_every_rule_is_used_by_a_sample():
    rules, used = rules_used()
    assert len(PROGRAMS) > 3
    assert len(rules) > 100
    assert rules - used == set()
