"""Completion, in a first simple form: keywords by place, tools, plans and paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agentl_grammar.parser import place_at
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import keywords
from agentl_grammar.syntax_errors.place import Place
from agentl_grammar.tree import Plan, Tool
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.page import Page
from agentl_server.ide.words import word_text

_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]*)*\Z|\Z")
_ANY_WORD = 100
"""So many reserved words at once mean that a name is being invented here."""

Kind = Literal["keyword", "tool", "plan", "path"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be typed next: `text` replaces `span`, which covers what is typed so far."""

    label: str
    kind: Kind
    span: Span
    text: str
    detail: str = ""
    documentation: str = ""


def completion(page: Page, offset: int) -> list[Candidate]:
    """Return what may stand at `offset`; nothing where a name is made up or the text before is broken."""
    typed = _TYPED.search(page.source.text, max(0, offset - 200), offset)
    span = Span(typed.start() if typed else offset, offset)
    if "." in page.source.slice(span):
        return list(_paths(page.anatomy, span, page.source.slice(span)))
    place = place_at(page.source.text, offset)
    words = keywords(place.accepts) if place else []
    if place is None or len(words) >= _ANY_WORD:
        return []
    return [*_keywords(words, span), *_names(page.anatomy, place, span)]


def _keywords(words: list[str], span: Span) -> Iterator[Candidate]:
    for word in words:
        yield Candidate(word, "keyword", span, word, documentation=word_text(word) if " " not in word else "")


def _names(anatomy: Anatomy | None, place: Place, span: Span) -> Iterator[Candidate]:
    if anatomy is None or "NAME" not in place.accepts:
        return
    statement, target = "_SET" in place.accepts, "_STAR" in place.accepts and "NUMBER" not in place.accepts
    if statement or target:
        yield from (
            _tool(tool, span, call=statement) for agent in anatomy.program.agents for tool in agent.tools
        )
    if statement:
        for agent in anatomy.program.agents:
            yield from (
                Candidate(plan.name.text, "plan", span, plan.name.text, "plan") for plan in agent.of(Plan)
            )
    if "_NOT" in place.accepts or "NUMBER" in place.accepts:
        yield from _paths(anatomy, span, "")


def _tool(tool: Tool, span: Span, *, call: bool) -> Candidate:
    name = tool.name.text
    inputs = ", ".join(entry.name.text for entry in tool.inputs)
    text = f"{name}({', '.join(f'{entry.name.text} = ' for entry in tool.inputs)})" if call else name
    description = tool.description.value if tool.description else ""
    return Candidate(name, "tool", span, text, f"({inputs})", description)


def _paths(anatomy: Anatomy | None, span: Span, prefix: str) -> Iterator[Candidate]:
    if anatomy is None:
        return
    observed = {entry.path.text for agent in anatomy.program.agents for entry in agent.observations}
    for path in sorted(_known_paths(anatomy)):
        if path.startswith(prefix) and path != prefix:
            yield Candidate(path, "path", span, path, "observed" if path in observed else "")


def _known_paths(anatomy: Anatomy) -> set[str]:
    """Return every dotted path that the program mentions, and the facts on its tools."""
    found = {path for path in anatomy.symbols.paths if "." in path}
    for agent in anatomy.program.agents:
        for tool in agent.tools:
            found.add(f"tools.{tool.name.text}.in_doubt")
            found.update(f"{tool.name.text}.{field.name.text}" for field in tool.outputs)
    return found
