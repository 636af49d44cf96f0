"""Whose answer stands under a name: no part of an answer is read as another's (language.md §6.5, I4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from agentl.values import Value
from agentl_grammar.checks.naming import prefixes
from agentl_grammar.tree import Agent, Ask, Escalate, Node, ProduceField, Question, Scenario, Tool, walk

Fields: TypeAlias = Mapping[str, Value]


class Whose:
    """The names under which an agent reads what it asked somebody for, SCENARIO left out.

    `answer.WHO` of a person, `result.T` of a tool, `reason.F`, `judge.F` and `confidence` of a model.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def forges(self, path: str, answer: Fields) -> bool:
        """Tell whether a part of `answer`, read under `path`, would be read as the answer of another.

        That of a tool is a dict: below `result`, a plain value is none.
        """
        return any(
            f"{path}.{key}" in self._names and (path != "result" or isinstance(value, dict))
            for key, value in answer.items()
        )

    def is_answer(self, path: str) -> bool:
        """Tell whether an answer is read at `path`, or one that holds it."""
        return not self._names.isdisjoint(prefixes(path))

    def is_of_a_person(self, key: str) -> bool:
        """Tell whether the bare name `key` is what a person is asked for, also before the asking."""
        return key == "answer" and self._asks

    @cached_property
    def _asks(self) -> bool:
        return any(isinstance(node, Ask | Escalate) for node in walk(self._agent))

    @cached_property
    def _names(self) -> frozenset[str]:
        members = (member for member in self._agent.members if not isinstance(member, Scenario))
        return frozenset(name for member in members for node in walk(member) for name in _names_of(node))


def _names_of(node: Node) -> Iterator[str]:
    match node:
        case Ask():
            yield f"answer.{node.addressee.text}"
        case Tool():
            yield f"result.{node.name.text}"
        case ProduceField():
            yield f"reason.{node.name.text}"
            if node.name.text == "confidence":
                yield node.name.text
        case Question():
            yield from (f"reason.{node.name.text}", f"judge.{node.name.text}")
        case _:
            pass
