"""What a program means to a run, as a digest: of all of it, an agent, a declaration (language.md §0 row 19).

Two texts have the same digest when they differ in layout, comments, DESCRIPTION, VERSION and SCENARIO only,
or in the order of fields that have no order (§2.3). Every other order counts, and so does every word, and
the way a number is written: permits and events quote rules and conditions with their numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from agentl_grammar.declared import agent_keys, declared
from agentl_grammar.printer.expressions import number
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent, Description, Node, NumberLiteral, Program, Scenario, Version
from agentl_grammar.tree.node import Row
from agentl_grammar.tree.shift import Moved

# JSON that nests deeper than a few hundred levels cannot be written.
_FOLDED = 100
_NOTHING: Mapping[int, Any] = {}
_SILENT = (Version, Description, Scenario)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration: `span` is that of its first member, `digest` covers all of them."""

    key: str
    nodes: tuple[Node, ...]
    span: Span
    digest: str


def program_digest(program: Program) -> str:
    """Return the SHA-256 of the canonical form, in hexadecimal."""
    return _digest(program)


def agent_digest(agent: Agent) -> str:
    """Return the SHA-256 of one agent's canonical form, in hexadecimal."""
    return _digest(agent)


def declarations(agent: Agent, agent_key: str | None = None) -> dict[str, Declaration]:
    """Return the declarations of an agent by key, SCENARIO included, in the order of the text.

    `agent_key` is the first part of every key, by default the agent's name.
    """
    return {
        entry.key: Declaration(entry.key, entry.nodes, entry.nodes[0].span, _digest(*entry.nodes))
        for entry in declared(agent, agent_key)
        if not isinstance(entry.nodes[0], Version | Description)
    }


def declaration_digests(program: Program) -> dict[str, str]:
    """Return the digest of every declaration that a run depends on: all but SCENARIO."""
    return {
        declaration.key: declaration.digest
        for key, agent in agent_keys(program)
        for declaration in declarations(agent, key).values()
        if not isinstance(declaration.nodes[0], Scenario)
    }


def unordered_digest(nodes: Sequence[Node]) -> str:
    """Return a digest that is the same when the parts of `nodes` stand in another order only."""
    return _hash(_sorted([_canonical(node) for node in nodes]))


def _digest(*nodes: Node) -> str:
    return _hash([_canonical(node) for node in nodes])


def _hash(canonical: list[Any]) -> str:
    return hashlib.sha256(json.dumps(canonical, separators=(",", ":")).encode()).hexdigest()


def _sorted(canonical: Any) -> Any:
    if isinstance(canonical, list):
        return sorted(map(_sorted, cast("list[Any]", canonical)), key=json.dumps)
    return canonical


def _canonical(value: Any, known: Mapping[int, Any] = _NOTHING) -> Any:
    """Return what `value` says as lists; `known` is that of the rest of a row. Loops need less stack."""
    if id(value) in known:
        return known[id(value)]
    told: list[Any] = []
    if isinstance(value, Node):
        rest = value.rest() if isinstance(value, Row) else None
        if isinstance(value, Row) and rest and id(rest) not in known:
            return _row(value)
        told.append(type(value).__name__)
        for slot in fields(value):
            part = getattr(value, slot.name)
            if slot.name not in _silent(value) and _says(part):
                told.append([slot.name, _canonical(part, known)])
        return told
    if isinstance(value, tuple | Moved):
        items = cast("Sequence[object]", value)
        return [_canonical(item, known) for item in items if not isinstance(item, _SILENT)]
    return value


def _row(first: Row) -> Any:
    """Return the form of a row, the last first; of a long one a part is told by its digest alone."""
    told: Any = None
    known: dict[int, Any] = {}
    for count, each in enumerate(reversed(list(first.row())), start=1):
        told = _canonical(each, known)
        known = {id(each): told if count % _FOLDED else [_hash(told)]}
    return told


def _silent(node: Node) -> tuple[str, ...]:
    if isinstance(node, NumberLiteral) and node.text == number(replace(node, text="")):
        return "span", "text"  # the usual way to write it
    return "span", "description"


def _says(part: object) -> bool:
    # What is left out is not told, so that a new optional field of the tree leaves every digest as it is.
    return part is not None and part is not False and part != ()
