"""A condition as other languages write it: `x = IF c THEN 1 ELSE 2`, `x = 1 IF c` (S116)."""

from __future__ import annotations

from dataclasses import dataclass

from agentl_grammar.lexer import Token, lex
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import PHASES, STATEMENT
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Place, rewrite

_STATEMENT = message_id("IF is a statement: it gives no value")
_WRITE_HINT = message_id("write `{text}`")
_BRANCHES_HINT = message_id(
    "give each value in a branch of its own: IF <condition> THEN {{ … }} ELSE {{ … }}"
)
_BEHIND = message_id("the condition stands before what depends on it")
NO_VALUE = message_id("no value stands behind SET {name}")
_NO_VALUE_HINT = message_id("write IF <condition> THEN {{ SET {name} = <value> }}")
_NONE = message_id("expected a condition behind `{word}`")
_NONE_HINT = message_id("write IF <condition> THEN …, or remove it")
_LONGEST, _FAR = 100, 40
# A value of more tokens is none of these.
_MOST_TOKENS = 200
# Behind these a statement begins, though not on a line of its own.
_GOING_ON = ("_DOT", "_VERIFY", "_VERIFY_LABELLED")
_BEFORE = ("_THEN", "_ELSE", "_LBRACE", "_RBRACE", "_COMMA")


@dataclass(frozen=True, slots=True)
class _Conditional:
    """Where its parts begin, in the tokens of a place; `end` is behind the last."""

    start: int
    word: int
    end: int
    text: str


def conditional(place: Place) -> Problem | None:
    """Report IF, or what other languages write in its place, behind `=`."""
    begin, nearest = place.index, max(place.index - _MOST_TOKENS, 0)
    while begin > nearest and place.line(place.tokens[begin - 1]) == place.line(place.token):
        begin -= 1
    for equal in range(begin, min(place.index + 1, len(place.tokens))):
        if place.tokens[equal].type == "_EQ":
            found = _read(place, equal)
            if found:
                return _told(place, found)
    return None


def _told(place: Place, found: _Conditional) -> Problem | None:
    span = place.tokens[found.word].span
    whole = Span(place.tokens[found.start].start, place.tokens[found.end - 1].end)
    kinds = [token.type for token in lex(found.text).tokens]
    behind = [token.type for token in place.tokens[found.end : found.end + 1]]
    if place.cursor_at is None or not place.cursor_at(found.start).would_accept(*kinds, *behind):
        told = place.problem("S116", Message(_STATEMENT), Message(_BRANCHES_HINT), span=span)
        return told if place.tokens[found.word - 1].type == "_EQ" else None
    hint = (
        Message(_WRITE_HINT, {"text": found.text}) if len(found.text) < _LONGEST else Message(_BRANCHES_HINT)
    )
    return place.problem("S116", Message(_STATEMENT), hint, rewrite(hint, (whole, found.text)), span=span)


def _read(place: Place, equal: int) -> _Conditional | None:
    """Return the conditional value behind the `=` at `equal`, in either order, if one stands there."""
    end = _end(place, equal + 1)
    if end - equal > _MOST_TOKENS:
        return None
    words = {
        place.tokens[at].text.upper(): at
        for at in range(end - 1, equal, -1)
        if place.tokens[at].text.upper() in ("IF", "THEN", "ELSE")
    }
    test, then, other = words.get("IF", 0), words.get("THEN", end), words.get("ELSE", end)
    if test == equal + 1 and test < then < end and then < other:
        parts = ((test + 1, then), (then + 1, other), (other + 1, end))
    elif equal + 1 < test < other < end == then:
        parts = ((test + 1, other), (equal + 1, test), (other + 1, end))
    else:
        return None
    condition, first, second = (_slice(place, *part) for part in parts)
    start = _target(place, equal)
    target = _slice(place, start, equal).removeprefix("SET").strip()
    text = f"IF {condition} THEN {{ SET {target} = {first} }}"
    if second:
        text += f" ELSE {{ SET {target} = {second} }}"
    return _Conditional(start, test, end, text)


def _target(place: Place, equal: int) -> int:
    start = equal
    while start and place.tokens[start - 1].type in ("NAME", "_DOT"):
        start -= 1
        if place.tokens[start].type == "NAME" and place.tokens[start - 1].type != "_DOT":
            break
    return start - 1 if start and place.tokens[start - 1].type == "_SET" else start


def _slice(place: Place, begin: int, end: int) -> str:
    inside = place.tokens[begin:end]
    return place.source.text[inside[0].start : inside[-1].end] if inside else ""


def _end(place: Place, begin: int) -> int:
    """Return the end of a statement of one line that goes on at `begin`."""
    depth, tokens = 0, place.tokens
    last = min(begin + _MOST_TOKENS, len(tokens))
    for at in range(begin, last):
        depth += (tokens[at].type in CLOSERS) - (tokens[at].type in CLOSER_TEXTS)
        ends = tokens[at].type == "_COMMA" and not depth
        if depth < 0 or ends or _below(place, tokens[begin - 1], tokens[at]):
            return at
    return last


def _below(place: Place, above: Token, token: Token) -> bool:
    return place.line(token) > place.line(above)


def behind(place: Place) -> Problem | None:
    """Report `a() IF c`, found at what stands where THEN is due, and `SET x IF c`."""
    if place.token.type == "_IF":
        return _without_value(place)
    if "_THEN" not in place.accepts or not (place.starts_line() or place.token.type in CLOSER_TEXTS):
        return None
    word = place.index - 1
    while (
        word
        and place.tokens[word].type != "_IF"
        and not _below(place, place.tokens[word - 1], place.tokens[word])
    ):
        word -= 1
    begin = _statement(place, word)
    return _moved(place, begin, word) if place.tokens[word].type == "_IF" and begin < word else None


def _statement(place: Place, word: int) -> int:
    """Return where the statement begins that stands before token `word` on its line; there, if none does."""
    begin = word
    while begin and place.cursor_at and place.tokens[begin - 1].type not in _BEFORE:
        if _below(place, place.tokens[begin - 1], place.tokens[begin]):
            break
        begin -= 1
        before = place.tokens[begin - 1].type
        starts = before not in _GOING_ON and place.tokens[begin].type in STATEMENT | PHASES | {"NAME"}
        if starts and place.cursor_at(begin).accepts() >= STATEMENT - {"_THEN"}:
            break
    return begin


def _moved(place: Place, begin: int, word: int) -> Problem | None:
    """Tell that the condition at `word` stands before the statement that begins at `begin`."""
    done, condition = _slice(place, begin, word), _slice(place, word + 1, place.index)
    text = f"IF {condition} THEN {{ {done} }}"
    kinds = [token.type for token in lex(text).tokens]
    if place.cursor_at is None or not place.cursor_at(begin).would_accept(*kinds, place.token.type):
        return None
    hint = Message(_WRITE_HINT, {"text": text}) if len(text) < _LONGEST else Message(_BRANCHES_HINT)
    whole = Span(place.tokens[begin].start, place.tokens[place.index - 1].end)
    span = place.tokens[word].span
    return place.problem("S116", Message(_BEHIND), hint, rewrite(hint, (whole, text)), span=span)


def _without_value(place: Place) -> Problem | None:
    start = _target(place, place.index)
    if start == place.index or place.tokens[start].type != "_SET" or start + 1 == place.index:
        return None
    if place.starts_line() or any(token.type == "_THEN" for token in place.rest_of_line()):
        return None
    values = {"name": _slice(place, start + 1, place.index)}
    return place.problem("S101", Message(NO_VALUE, values), Message(_NO_VALUE_HINT, values))


def without_condition(place: Place) -> Problem | None:
    """Report IF at the end of its line, which took the line below for its condition (S101)."""
    if place.cursor_at is None or "_THEN" not in place.accepts:
        return None
    for at in range(min(place.index, len(place.tokens) - 1) - 1, max(0, place.index - _FAR), -1):
        word, behind = place.tokens[at], place.tokens[at + 1]
        if word.type != "_IF" or place.line(word) == place.line(behind):
            continue
        if place.indent(word) < place.indent(behind):
            continue
        if place.cursor_at(at).refused(place.tokens[at + 1 : place.index]) is None:
            values = {"word": word.text}
            span = Span(word.end, word.end)
            return place.problem("S101", Message(_NONE, values), Message(_NONE_HINT), span=span)
    return None
