"""Repairs that leave out a part of a line, where what stands around it is well."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Problem
from agentl_grammar.recovery.heads import Repair, begins_anew
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.conditional import NO_VALUE
from agentl_grammar.syntax_errors.expectations import OPTIONS, STATEMENT
from agentl_grammar.syntax_errors.habits import RECORD
from agentl_grammar.syntax_errors.misplaced import MEMBER, MIXED
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place
from agentl_grammar.syntax_errors.rules import RULES

_PAIRED = ("_LPAR", "_LBRACKET")


def without_default(place: Place, problem: Problem, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens without a DEFAULT of a POLICY that says neither ALLOW nor DENY."""
    if problem.code != "S115" or "_ALLOW" not in place.accepts:
        return
    start = next((at for at in (place.index - 1, place.index - 2) if tokens[at].type == "_DEFAULT"), -1)
    end = bisect_left(tokens, problem.span.end, key=lambda token: token.start)
    if start >= 0:
        yield start, tokens[:start] + tokens[end:], max(len(tokens) - end - 1, 0)


def without_branch(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens without THEN or ELSE behind a rule of a POLICY, and what belongs to it."""
    if place.head != "POLICY" or place.token.type not in ("_THEN", "_ELSE"):
        return
    end = place.index
    for token in place.rest_of_line():
        begins = token.type in RULES and tokens[end - 1].type not in ("_THEN", "_ELSE")
        if begins or token.type in CLOSER_TEXTS:
            break
        end += 1
    yield place.index, tokens[: place.index] + tokens[end:], len(tokens) - end


def without_set(place: Place, problem: Problem, tokens: list[Token], least: int) -> Iterator[Repair]:
    """Yield the tokens without SET and a condition behind it, where no value stands."""
    start = end = place.index
    while start > least and problem.message.template == NO_VALUE:
        start -= 1
        if tokens[start].type == "_SET":
            line = place.rest_of_line()
            closed = (at for at, token in enumerate(line) if token.type in CLOSER_TEXTS)
            end += next(closed, len(line))
            yield start, tokens[:start] + tokens[end:], len(tokens) - end
            return


def as_branch(place: Place, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with THEN for an ELSE before a block, and without that ELSE."""
    index, token, behind = place.index, place.token, tokens[place.index + 1 :]
    if token.type != "_ELSE" or index >= len(tokens):
        return
    if behind and behind[0].type == "_LBRACE" and "_THEN" in place.accepts:
        then = token._replace(type="_THEN", text="THEN")
        yield index, [*tokens[:index], then, *behind], len(behind)
    if place.head not in ("", "AGENT"):
        yield index, tokens[:index] + behind, len(behind)


def as_step(place: Place, problem: Problem, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with a STEP for the plain statements behind STEPs in braces."""
    if problem.message.template == MIXED and place.token.type != "_STEP":
        word, name = (
            place.token._replace(type=kind, text=text, end=place.token.start)
            for kind, text in (("_STEP", "STEP"), ("NAME", "unnamed"))
        )
        index = place.index
        yield index, [*tokens[:index], word, name, *tokens[index:]], len(tokens) - index - 1


def without_member(place: Place, problem: Problem, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens without a member of AGENT that stands in another block."""
    found = misplaced_member(place, problem, tokens)
    if found:
        start, end = found
        yield start, tokens[:start] + tokens[end:], len(tokens) - end


def misplaced_member(place: Place, problem: Problem, tokens: list[Token]) -> tuple[int, int] | None:
    """Return where the misplaced member of AGENT is that was told: its braces, or its line."""
    if problem.message.template != MEMBER:
        return None
    start = bisect_left(tokens, problem.span.start, key=lambda token: token.start)
    end, depth = start + 1, 0
    while end < len(tokens):
        kind = tokens[end].type
        ends = not depth and (begins_anew(place.source, tokens, end) or kind == "_RBRACE")
        if ends and kind != "_LBRACE":
            break
        depth += (kind == "_LBRACE") - (kind == "_RBRACE")
        end += 1
    return start, end


def without_record(place: Place, problem: Problem, tokens: list[Token]) -> Iterator[Repair]:
    """Yield the tokens with a name in the place of a value in braces."""
    end = closer_of(place, place.index) if problem.message.template == RECORD else None
    if end is not None:
        value = place.token._replace(type="NAME", text="unnamed", end=tokens[end].end)
        yield place.index, [*tokens[: place.index], value, *tokens[end + 1 :]], len(tokens) - end - 1


def without_head(place: Place, tokens: list[Token], least: int) -> Iterator[Repair]:
    """Yield the tokens without the head of a statement whose block does not come, on its line or below it."""
    if not is_cut_off(place) and not lacks_block(place):
        return
    start = place.index
    while start > least:
        start -= 1
        if begins_anew(place.source, tokens, start):
            yield start, tokens[:start] + tokens[place.index :], len(tokens) - place.index
            return


def without_line(source: Source, tokens: list[Token], offset: int, least: int) -> tuple[int, list[Token]]:
    """Return the tokens without the line at `offset` and the blocks it opens, and the first that changes."""
    start = max(bisect_right(tokens, offset, key=lambda token: token.start) - 1, least)
    while start > least and not begins_anew(source, tokens, start):
        start -= 1
    end, depth = start, 0
    while end < len(tokens):
        kind = tokens[end].type
        anew = kind != "_ELSE" and begins_anew(source, tokens, end)
        if end > start and depth == 0 and (anew or kind in CLOSER_TEXTS):
            break
        depth += (kind in CLOSERS) - (kind in CLOSER_TEXTS)
        end += 1
    return start, tokens[:start] + tokens[end:]


def lacks_block(place: Place) -> bool:
    """Tell whether what follows a head is no block of it: it stands below it, and not further in."""
    previous, token, cursor_at = place.previous, place.token, place.cursor_at
    if not previous or cursor_at is None or not place.starts_line() or token.type == "_LBRACE":
        return False
    if "_LBRACE" not in place.accepts or not place.accepts <= OPTIONS or place.index >= len(place.tokens):
        return False
    start = place.index - len(place.line_before())
    deeper = place.indent(token) > place.indent(previous)
    return not deeper and cursor_at(start).accepts() >= STATEMENT - {"_THEN"}


def is_cut_off(place: Place) -> bool:
    """Tell whether a block is missing behind a text without end, which may have taken it."""
    text = place.previous
    if not text or text.type != "STRING" or not place.accepts <= OPTIONS:
        return False
    return place.source.slice(text.span) != text.text


def may_stand(place: Place, kind: str, *, instead: bool) -> bool:
    """Tell whether a bracket put in before the token of a place, or `instead` of it, may be right by chance.

    Brackets are closed on their own line as a rule, or by what is alone on its line: what closes a bracket of
    another line, or opens one for it, makes one mistake of two.
    """
    if kind in CLOSER_TEXTS:
        inner = place.inner
        alone = place.starts_line() and len(place.rest_of_line()) == 1
        fits = alone and place.token.type not in CLOSER_TEXTS if instead else kind == "_RBRACE"
        return fits or inner is None or place.line(inner.token) == place.line(place.token)
    return kind not in _PAIRED or CLOSERS[kind] in _surplus_closers(place)


def _surplus_closers(place: Place) -> set[str]:
    """Return the closers on the line of the place that close nothing there."""
    opened: list[str] = []
    found: set[str] = set()
    for token in (*place.line_so_far(), *place.rest_of_line()):
        if token.type in CLOSERS:
            opened.append(CLOSERS[token.type])
        elif opened and opened[-1] == token.type:
            opened.pop()
        elif token.type in CLOSER_TEXTS and token.start >= place.token.start:
            found.add(token.type)
    return found
