"""Completion, in a first simple form: keywords by place, tools, plans and paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from agentl_grammar.parser import place_at
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import MANY, candidates, keywords
from agentl_grammar.syntax_errors.place import Place
from agentl_grammar.tree import EventHandler, Plan, Tool
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.page import Page
from agentl_server.ide.words import any_word_text

_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]*)*\Z|\Z")
_SEPARATORS = ("_COLON", "_EQ")

Kind = Literal["keyword", "tool", "plan", "path", "argument", "agent", "event"]


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
    if place is None:
        return []
    known = list(_known(page.anatomy, place, span)) if page.anatomy else []
    words = candidates(place)
    if known or len(words) >= MANY:
        return known or list(_keywords(_options(place, words), span))
    return [*_keywords(words, span), *_names(page.anatomy, place, span)]


def _known(anatomy: Anatomy, place: Place, span: Span) -> Iterator[Candidate]:
    """Yield the names of the one kind that can stand behind the word before."""
    agents = anatomy.program.agents
    before = [token for token in place.tokens[: place.index][-3:] if token.type not in _SEPARATORS]
    word, head = (before[-1].text.upper() if before else ""), place.head
    verb = before[-2].text.upper() if len(before) > 1 else ""
    if word in ("CALL", "BLOCKED") and verb in ("EXPECT", "NEVER"):
        yield from (_tool(tool, span, call=False) for agent in agents for tool in agent.tools)
    elif word == "EVENT" and verb in ("EXPECT", "GIVEN"):
        sources = {handler.source.text for agent in agents for handler in agent.of(EventHandler)}
        yield from (Candidate(source, "event", span, source) for source in sorted(sources))
    elif before and before[-1].type == "_TO" and head == "MESSAGE":
        yield from (Candidate(agent.name.text, "agent", span, agent.name.text, "agent") for agent in agents)


def _options(place: Place, words: list[str]) -> list[str]:
    """Return what may stand behind a field where any word may be the name of the next one: BIND, ABSTAIN."""
    start, before = _opened_at(place), place.previous
    if (
        start is None
        or place.cursor_at is None
        or not before
        or before.type in (*_SEPARATORS, "_COMMA", "_LBRACE")
    ):
        return []
    first = keywords(place.cursor_at(start + 1).accepts())
    return [word for word in words if word not in first]


def _keywords(words: list[str], span: Span) -> Iterator[Candidate]:
    for word in words:
        yield Candidate(word, "keyword", span, word, documentation=any_word_text(word))


def _names(anatomy: Anatomy | None, place: Place, span: Span) -> Iterator[Candidate]:
    if anatomy is None or "NAME" not in place.accepts:
        return
    statement, target = "_SET" in place.accepts, "_STAR" in place.accepts and "_SLASH" not in place.accepts
    if statement or target:
        yield from (
            _tool(tool, span, call=statement) for agent in anatomy.program.agents for tool in agent.tools
        )
    if statement:
        for agent in anatomy.program.agents:
            yield from (
                Candidate(plan.name.text, "plan", span, plan.name.text, "plan") for plan in agent.of(Plan)
            )
    if place.head == "(" and place.previous and place.previous.type in ("_LPAR", "_COMMA"):
        yield from _arguments(anatomy, place, span)
    if "_NOT" in place.accepts or "NUMBER" in place.accepts:
        yield from _paths(anatomy, span, "")


def _tool(tool: Tool, span: Span, *, call: bool) -> Candidate:
    name = tool.name.text
    inputs = ", ".join(entry.name.text for entry in tool.inputs)
    text = f"{name}({', '.join(f'{entry.name.text} = ' for entry in tool.inputs)})" if call else name
    description = tool.description.value if tool.description else ""
    return Candidate(name, "tool", span, text, f"({inputs})", description)


def _arguments(anatomy: Anatomy, place: Place, span: Span) -> Iterator[Candidate]:
    """Yield the arguments that the call around `place` does not give yet."""
    start = _opened_at(place) or 0
    named = pairwise(place.tokens[start + 1 : place.index])
    given = {name.text for name, sign in named if sign.type in _SEPARATORS}
    called = place.tokens[start - 1].text if start else ""
    for tool in (tool for agent in anatomy.program.agents for tool in agent.tools):
        for entry in tool.inputs if tool.name.text == called else ():
            name = entry.name.text
            if name not in given:
                detail = entry.type.text if entry.type else ""
                yield Candidate(name, "argument", span, f"{name} = ", detail)


def _opened_at(place: Place) -> int | None:
    """Return the index of the bracket around `place`."""
    opener = place.inner.token if place.inner else None
    return next((index for index, token in enumerate(place.tokens) if token is opener), None)


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
