"""What a program means to a run, as a digest: of all of it, an agent, a declaration (language.md §0 row 19).

Two texts have the same digest when they differ in layout, comments, DESCRIPTION, VERSION and SCENARIO only,
or in the order of fields that have no order (§2.3). Every other order counts, and so does every word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from agentl_grammar.declared import agent_keys, declared
from agentl_grammar.source import Span
from agentl_grammar.tree import Agent, Description, Node, NumberLiteral, Program, Scenario, Version
from agentl_grammar.tree.shift import Moved

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


def _canonical(value: Any) -> Any:
    if isinstance(value, Node):
        slots = ((slot.name, getattr(value, slot.name)) for slot in fields(value))
        told = [
            [name, _canonical(part)] for name, part in slots if name not in _silent(value) and _says(part)
        ]
        return [type(value).__name__, *told]
    if isinstance(value, tuple | Moved):
        items = cast("Sequence[object]", value)
        return [_canonical(item) for item in items if not isinstance(item, _SILENT)]
    return value


def _silent(node: Node) -> tuple[str, ...]:
    return ("span", "text") if isinstance(node, NumberLiteral) else ("span", "description")


def _says(part: object) -> bool:
    # What is left out is not told, so that a new optional field of the tree leaves every digest as it is.
    return part is not None and part is not False and part != ()
