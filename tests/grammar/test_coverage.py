"""The sample programs use every rule of agent.lark."""

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


def test_every_rule_is_used_by_a_sample():
    watched = Watched()
    engine = Engine(load_tables(), watched)
    for program in PROGRAMS:
        cursor = engine.cursor()
        cursor.feed(lex(program.read_text(encoding="utf-8")).tokens)
        cursor.finish(0, 0)
    rules = {*re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.MULTILINE), *re.findall(r"-> ([a-z_]+)", GRAMMAR)}
    print(f"{len(rules & watched.reduced)} of {len(rules)} rules are used by {len(PROGRAMS)} programs")
    assert rules - watched.reduced == set()
