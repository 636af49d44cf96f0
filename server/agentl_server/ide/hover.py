"""Hover: what is known of the call, tool, path, rule or word under the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from agentl.values import show
from agentl_grammar.lexer import Token, lex
from agentl_grammar.lexicon import CONTEXTUAL, FUNCTIONS, WORDS
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Agent,
    Binary,
    CallStatement,
    Judge,
    Member,
    Name,
    Node,
    Path,
    Phase,
    Reason,
    Rule,
    SharedPath,
    Tool,
    Unary,
)
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.attempts import attempts_text
from agentl_server.ide.model_text import model_text
from agentl_server.ide.page import Page
from agentl_server.ide.places import Places
from agentl_server.ide.run_view import RunView
from agentl_server.ide.tool_text import tool_text
from agentl_server.ide.wording import by_tick, count, reading_text
from agentl_server.ide.words import expectation_text, function_text, word_text

_RUNS_SHOWN = 3
# A reserved word is a part of the language in them: an operator, a phase, the first word of a bucket.
_SPELT = Unary | Binary | Phase | Path | SharedPath


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about `span` of the open text."""

    span: Span
    markdown: str


def hover(page: Page, offset: int) -> Hover | None:
    """Return what is known at `offset` of the open text; None where there is nothing to say."""
    found = _of_node(page, offset)
    return found if found is not None else _of_word(page, offset)


def _of_node(page: Page, offset: int) -> Hover | None:
    found = page.nodes_at(offset)
    if found is None:
        return None
    layer, nodes = found
    agent = next((node for node in nodes if isinstance(node, Agent)), None)
    if agent is None:
        return None
    for node in reversed(nodes):
        span = layer.place(node.span)
        if span is None or (isinstance(node, Reason | Judge) and offset > span.start + len("REASON")):
            continue  # inside a question, its words are explained
        markdown = _about(node, nodes, agent, page, layer.anatomy)
        if markdown:
            return Hover(span, markdown)
    return None


def _about(  # noqa: PLR0911  # one line a kind of node
    node: Node, around: list[Node], agent: Agent, page: Page, anatomy: Anatomy
) -> str | None:
    match node:
        case Path() if any(isinstance(outer, CallStatement) and outer.target is node for outer in around):
            return None
        case Path():
            return _path(node.text, agent, page)
        case CallStatement():
            return _call(node, agent, page, anatomy)
        case Reason() | Judge():
            return _model(node, page, anatomy)
        case Tool() if node.name in around:
            return tool_text(node, agent, page)
        case Rule():
            return _rule(node, agent, page, anatomy)
        case _:
            return None


def _call(node: CallStatement, agent: Agent, page: Page, anatomy: Anatomy) -> str | None:
    parts: list[str] = []
    for view in page.runs[:_RUNS_SHOWN]:
        places = Places(view, anatomy)
        for site, calls in view.history.calls_at.items():
            found = places.find(site)
            if found is not None and found.node is node:
                stale = " · *stale: the program changed here since*" if found.stale else ""
                parts.append(f"**run {view.short_id}** ({view.state}){stale}\n\n{attempts_text(calls)}")
    tool = next((tool for tool in agent.tools if tool.name.text == node.target.text), None)
    if tool is not None:
        parts.append(tool_text(tool, agent, page, brief=bool(parts)))
    return "\n\n---\n\n".join(parts) or None


def _model(node: Reason | Judge, page: Page, anatomy: Anatomy) -> str | None:
    runs = (model_text(node, view, anatomy) for view in page.runs[:_RUNS_SHOWN])
    parts = [text for text in runs if text]
    return "\n\n---\n\n".join([*parts, word_text(type(node).__name__.upper())]) if parts else None


def _path(path: str, agent: Agent, page: Page) -> str | None:
    lines = [
        f"- run {view.short_id}: {by_tick(values)}"
        for view in page.runs[:_RUNS_SHOWN]
        if (values := _values(path, agent, view))
    ]
    observed = any(entry.path.text == path for entry in agent.observations)
    if not lines and not observed:
        return None
    kind = "observed" if observed else "read by the policy"
    return "\n".join([f"`{path}` · {kind}", "", *(lines or ["not read yet"])])


def _values(path: str, agent: Agent, view: RunView) -> list[tuple[str, int]]:
    """Return the values of a path by tick: what its sensor said, else what the policy read."""
    if readings := view.history.readings_of.get(path):
        return [(f"`{reading_text(reading)}`", reading.tick) for reading in readings]
    return list(_read_by_policy(path, agent, view))


def _read_by_policy(path: str, agent: Agent, view: RunView) -> Iterator[tuple[str, int]]:
    for call in view.history.calls:
        if call.agent == agent.name.text and call.decision is not None and path in call.decision.reads:
            yield f"`{show(call.decision.reads[path])}`", call.tick


def _rule(rule: Rule, agent: Agent, page: Page, anatomy: Anatomy) -> str | None:
    text = next((known for (_, known), node in anatomy.rules.items() if node is rule), None)
    lines: list[str] = []
    for view in page.runs[:_RUNS_SHOWN] if text else ():
        decisions = view.history.decisions_by.get(f"{agent.name.text}:{text}", [])
        ticks = by_tick((decision.verdict, decision.tick) for decision in decisions)
        lines.append(f"- run {view.short_id}: decided {count(len(decisions), 'time')} {ticks}".rstrip())
    return "\n".join([f"`{text}`", "", *lines]) if lines else None


def _of_word(page: Page, offset: int) -> Hover | None:
    start = _member_start(page, offset)
    end = page.source.text.find("\n", offset)
    tokens = lex(page.source.text[start : end if end >= 0 else None]).tokens
    for index, token in enumerate(tokens):
        if token.start <= offset - start <= token.end:
            text = _said_of(tokens, index)
            if text and not _is_name(page, offset, token.text):
                return Hover(Span(start + token.start, start + token.end), text)
    return None


def _said_of(tokens: list[Token], index: int) -> str:
    """Return what the language says of a token, by those around it."""
    token = tokens[index]
    before = [other.text.upper() for other in tokens[max(0, index - 2) : index]]
    if before[-1:] == ["."]:
        return ""
    if token.text in FUNCTIONS and [other.type for other in tokens[index + 1 : index + 2]] == ["_LPAR"]:
        return function_text(token.text)
    if token.text.upper() in CONTEXTUAL and (before[-1:] == ["EXPECT"] or before[:1] == ["EXPECT"]):
        return expectation_text(token.text.upper())
    return word_text(token.text) if token.text in WORDS else ""


def _is_name(page: Page, offset: int, word: str) -> bool:
    """Tell whether a reserved word is an ordinary name where it stands."""
    _, nodes = page.nodes_at(offset) or (None, [])
    named = [outer for outer, inner in pairwise(nodes) if isinstance(inner, Name) and inner.text == word]
    return bool(named) and not isinstance(named[-1], _SPELT)


def _member_start(page: Page, offset: int) -> int:
    """Return where the member around `offset` begins: no need to read the words before it."""
    if page.fresh is None or not page.fresh.whole:
        return 0
    _, nodes = page.nodes_at(offset) or (None, [])
    members = [node for node in nodes if isinstance(node, Member)]
    return members[0].span.start if members else 0
