"""A value of another kind than the one that can stand at a place (S101, S107, S117)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from decimal import Decimal
from difflib import get_close_matches

from agentl_grammar.lexer import END, Token, string_value
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import (
    CONTINUATIONS,
    EXPRESSION,
    NUMBERS,
    OPTIONS,
    SEPARATORS,
    STATEMENT,
    expected,
)
from agentl_grammar.syntax_errors.numbers import is_unit, meant
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, Place, delete, found, insert, replace, shown

_KIND = message_id("expected {expected}, found {found}")
_PLAIN_HINT = message_id("write the number alone, such as {example}")
_PLAIN_NUMBER_HINT = message_id("write a number instead of {found}, such as 3 or 0.5")
_NUMBER_HINT = message_id("write a number instead of {found}, such as 3, 20% or 10s")
_DURATION_HINT = message_id("write its unit at once behind it: ms, s, min, h or d")
_SOME_DURATION_HINT = message_id("write a duration instead of {found}, such as 10s or 5min")
_WRITE_HINT = message_id("write `{text}`")
_QUOTE_HINT = message_id("put {found} in double quotes")
_SOME_TEXT_HINT = message_id("write a text in double quotes instead of {found}")
_UNQUOTED_HINT = message_id("write the name without quotes: {name}")
_MISSING = message_id("expected {expected} behind {previous}")
_MISSING_HINT = message_id("add it behind {previous}")
_MISSING_MORE_HINT = message_id("add it, and what belongs to it, behind {previous}")
BEFORE = message_id("expected {expected} before {found}")
_BEFORE_HINT = message_id("write {expected} before {found}")
_NAME = message_id("a name")
_TOOL = message_id("a tool's name or `*`")
_RESERVED = message_id("`{word}` is a reserved word and cannot be a value or start a path here")
_RESERVED_HINT = message_id('put it in quotes to mean the text: "{word}"')
_COMPARED_HINT = message_id('compare a path with it: <path> == "{word}"')
_RESERVED_NAME = message_id("`{word}` is a reserved word and cannot be a name here")
_RESERVED_NAME_HINT = message_id("choose another name; small letters are never reserved")
_REMOVE_HINT = message_id("remove {found}")
_EITHER_HINT = message_id("remove {found}, or add what is missing before it")
_ASKING = (
    "_AND",
    "_OR",
    "_NOT",
    "_IF",
    "_WHEN",
    "_UNTIL",
    "_VERIFY",
    "_CONDITION",
    "_REQUIRES",
    "_MAINTAIN",
    "_ACHIEVE",
)
NAMED = frozenset(
    [
        "PLAN",
        "STEP",
        "TOOL",
        "HYPOTHESIS",
        "SCENARIO",
        "OUTCOME",
        "GROUP",
        "MESSAGE",
        "ASK",
        "DELEGATE",
        "FOREACH",
    ]
)
# What takes a word behind it, which may be missing at the end of a line.
_TAKING = ("SOURCE", "RISK", "ATTESTS", "TO", "DEFAULT")
# At the end of a line these begin a statement that is being written.
_OPENING = STATEMENT - {"_RETRY", "_ROLLBACK", "_ESCALATE"}
_RULED = ("_NEVER", "_ALLOW", "_DENY", "_FOR")
# What can be missing, and how far behind it the text may go on.
_MISSED = ("NAME", "STRING", "NUMBER", "TIMESPAN", "_ALLOW")
_FAR = 6
_COUNTED = ("MAX", "RETRY", "MAX_DEPTH", "MAX_NODES")
_ALIKE = 0.75
_VALUES = NUMBERS | {"NAME", "STRING", "DATETIME"}


def number(place: Place) -> Problem | None:
    """Report a number of another kind (S117)."""
    token, accepts = place.token, place.accepts
    if token.type not in NUMBERS or not accepts & NUMBERS or "_LPAR" in accepts:
        return None
    wanted = dataclasses.replace(place, accepts=accepts & NUMBERS) if place.may_end() else place
    message = Message(_KIND, {"expected": expected(wanted), "found": found(place)})
    if "NUMBER" not in accepts:
        return _without_unit(place, message)
    digits = token.text.rstrip("%abcdefghijklmnopqrstuvwxyz")
    counted = place.previous is not None and place.previous.text in _COUNTED
    if token.type == "PERCENT":
        digits = "3" if counted else f"{Decimal(digits) / 100:f}"
    # Without its unit a duration is another number.
    fix = dataclasses.replace(replace(token.span, digits), guess=token.type == "TIMESPAN")
    sure = "NAME" not in accepts and not (counted and token.type == "PERCENT")
    return place.problem("S117", message, Message(_PLAIN_HINT, {"example": digits}), *([fix] if sure else []))


def _without_unit(place: Place, message: Message) -> Problem:
    unit = place.following
    if not unit or not is_unit(unit.text) or place.line(unit) != place.line(place.token):
        return place.problem("S117", message, Message(_DURATION_HINT))
    span, text = place.token.span.to(unit.span), meant(place.token.text + unit.text)
    hint = Message(_WRITE_HINT, {"text": text})
    return place.problem("S117", message, hint, replace(span, text), span=span)


def missing(place: Place) -> Problem | None:
    """Report what is missing at the end of a line, or before a comma or a closer (S101)."""
    previous = place.previous
    if previous is None or previous.type in ("_LBRACE", "_LPAR", "_LBRACKET", "_COMMA") or place.may_end():
        return None
    ends = place.token.type in (*CLOSER_TEXTS, "_COMMA", "$END")
    if not (ends or place.starts_line()) or not place.inner or "_COMMA" in place.accepts:
        return None
    if "_LBRACE" in place.accepts and not place.accepts - OPTIONS:
        return None
    return _missing(place, previous)


def cut_path(place: Place) -> Problem | None:
    """Report a path that ends with its point: `SET a. = 1` (S101)."""
    previous, token = place.previous, place.token
    if not previous or previous.type != "_DOT" or token.text[:1].isalnum() or token.type == "STRING":
        return None
    return _missing(place, previous) if place.cursor.would_accept("NAME", token.type) else None


def nameless(place: Place) -> Problem | None:
    """Report what stands behind a name, without it: PAYLOAD { : 1 }, NEVER WHEN a == 1 (S101)."""
    token, following, previous = place.token, place.following, place.previous
    guard = token.type in ("_WHEN", "_IF") and place.head == "POLICY"
    if not (guard or token.type in SEPARATORS) or "NAME" not in place.accepts or not following:
        return None
    if not previous or previous.type not in (_RULED if guard else ("_LBRACE", "_LPAR", "_COMMA")):
        return None
    end = place.index + (len(place.rest_of_line()) + 1 if guard else 4)
    without = [other.type for other in place.tokens[place.index + 1 : end]]
    accepted = place.cursor.would_accept
    if accepted(*without) or not accepted("NAME", token.type, following.type):
        return None
    values: dict[str, object] = {"expected": Message(_TOOL if guard else _NAME), "found": found(place)}
    return place.problem("S101", Message(BEFORE, values), Message(_BEFORE_HINT, values))


def variable(place: Place) -> Problem | None:
    """Report FOREACH IN list, whose IN was read as the name of the variable (S101)."""
    word, head = place.previous, place.tokens[place.index - 2] if place.index > 1 else None
    if not word or not head or head.type != "_FOREACH" or word.text != "IN" or place.token.type == "_IN":
        return None
    values = {"expected": Message(_NAME), "previous": shown(head)}
    span = Span(head.end, head.end)
    return place.problem("S101", Message(_MISSING, values), Message(_MISSING_HINT, values), span=span)


def _missing(place: Place, previous: Token) -> Problem:
    values: dict[str, object] = {"expected": expected(place), "previous": shown(previous)}
    span = Span(previous.end, previous.end)
    fixes = [insert(previous.end, " {")] if _lacks_brace(place) else []
    behind = place.inner.closer if place.inner else END, place.token.type
    accepted = place.cursor.would_accept
    enough = any(accepted(terminal, kind) for terminal in place.accepts for kind in behind)
    hint = Message(_MISSING_HINT if enough else _MISSING_MORE_HINT, values)
    return place.problem("S101", Message(_MISSING, values), hint, *fixes, span=span)


def _lacks_brace(place: Place) -> bool:
    """Tell whether nothing but a `{` leads on behind an expression, to what stands there."""
    leads = place.accepts - CONTINUATIONS
    return leads <= {"_LBRACE", "_DOT"} and place.cursor.would_accept("_LBRACE", place.token.type)


def unnamed(place: Place) -> Problem | None:
    """Report what is missing at the end of a line, or before a `{`, found by what cannot follow (S101).

    `STEP`, and `STEP tell {` below it, is a step named STEP up to the brace; `TOOL {` begins a list of tools.
    What is refused may be wrong for a reason of its own where the first word of the next line was taken.
    """
    cursor_at = place.cursor_at
    if cursor_at is None:
        return None
    for index in _unnamed(place):
        cursor, token = cursor_at(index), place.tokens[index]
        accepts = cursor.accepts()
        between = [other.type for other in (*place.tokens[index : place.index], place.token)]
        fits = any(kind in accepts and cursor.would_accept(kind, *between) for kind in _MISSED)
        if fits or _took_the_next_line(place, index):
            there = dataclasses.replace(place, index=index, token=token, accepts=accepts, cursor=cursor)
            return _missing(there, place.tokens[index - 1])
    return None


def _unnamed(place: Place) -> Iterator[int]:
    """Yield the tokens before which something may be missing."""
    for index in range(place.index - 1, max(0, place.index - _FAR), -1):
        token, behind = place.tokens[index - 1], place.tokens[index]
        if token.text in NAMED and behind.type == "_LBRACE":
            yield index
        elif token.type in ("_LBRACE", "_RBRACE", "_COMMA") or place.line(token) == place.line(behind):
            continue
        elif token.text in (*NAMED, *_TAKING, "SET") or behind.text in WORDS or _is_incomplete(place, index):
            yield index


def _is_incomplete(place: Place, index: int) -> bool:
    """Tell whether what stands before token `index` takes a word, or cannot end above its line."""
    if _taking(place, index):
        return True
    if place.cursor_at is None or index != place.index - len(place.line_so_far()):
        return False
    return not place.cursor_at(index).would_accept(place.inner.closer if place.inner else END)


def _taking(place: Place, index: int) -> bool:
    """Tell whether the token before `index`, or that before its separator, takes a word behind it."""
    before = [token for token in place.tokens[max(0, index - 2) : index] if token.type not in SEPARATORS]
    return bool(before) and before[-1].text in _TAKING


def _took_the_next_line(place: Place, index: int) -> bool:
    """Tell whether the word at `index` was taken for a value or a name, but begins a field or statement."""
    word, behind = place.tokens[index], place.tokens[index + 1] if index + 1 < len(place.tokens) else None
    if index != place.index - 1 or not behind:
        return False
    if _taking(place, index):
        close = word.text.isupper() and get_close_matches(word.text, WORDS, 1, _ALIKE)
        return word.text in WORDS or bool(close)
    named = place.tokens[index - 1].text in NAMED
    return named and (word.text in WORDS or behind.type in ("_LPAR", "_DOT", "_EQ"))


def kind(place: Place) -> Problem | None:
    """Report a value of another kind where only a number, a duration, a text or a name can stand (S117)."""
    token, accepts = place.token, place.accepts - SEPARATORS
    if token.type not in _VALUES or place.may_end() or "_LPAR" in accepts:
        return None
    values: dict[str, object] = {"expected": expected(place), "found": found(place)}
    message = Message(_KIND, values)
    if accepts & NUMBERS:
        if not {"NUMBER", "STRING"} <= accepts:
            return place.problem("S117", message, Message(_hint_of_number(accepts), values))
    elif "STRING" in accepts and "NAME" not in accepts:
        fits = token.type == "NAME" and _fits(place, "STRING")
        fixes = [replace(token.span, f'"{token.text}"')] if fits else []
        return place.problem(
            "S117", message, Message(_QUOTE_HINT if fits else _SOME_TEXT_HINT, values), *fixes
        )
    elif "NAME" in accepts and token.type == "STRING":
        return _quoted_name(place, message)
    return None


def _fits(place: Place, terminal: str) -> bool:
    return place.following is None or place.cursor.would_accept(terminal, place.following.type)


def _hint_of_number(accepts: frozenset[str]) -> str:
    if "NUMBER" not in accepts:
        return _SOME_DURATION_HINT
    return _NUMBER_HINT if "PERCENT" in accepts else _PLAIN_NUMBER_HINT


def _quoted_name(place: Place, message: Message) -> Problem | None:
    name = string_value(place.token.text)
    if not all(part.isidentifier() and part.isascii() for part in name.split(".")) or name in WORDS:
        return None
    return place.problem(
        "S117", message, Message(_UNQUOTED_HINT, {"name": name}), replace(place.token.span, name)
    )


def reserved(place: Place) -> Problem | None:
    """Report a reserved word that stands for a value or a name (S107)."""
    word, accepts = place.token.text, place.accepts
    if WORDS.get(word, "operators") == "operators" or "NAME" not in accepts:
        return None
    values = {"word": word}
    if accepts >= {"NUMBER", "STRING", "_LPAR"}:
        if place.head == "(" and place.following and place.following.type in SEPARATORS:
            return _reserved_name(place)
        ends = place.inner is not None and place.inner.closer in accepts and place.head != "("
        if ends or _begins_anew(place):
            return None
        fixes = (
            [] if _may_be_extra(place) or _is_condition(place) else [replace(place.token.span, f'"{word}"')]
        )
        return place.problem("S107", Message(_RESERVED, values), _hint_of_word(place), *fixes)
    if accepts & STATEMENT or "STRING" in accepts or len(accepts) > len(EXPRESSION):
        return None
    return _reserved_name(place)


def _is_condition(place: Place) -> bool:
    """Tell whether the word is all of a condition, which as a text in quotes would always hold."""
    previous, following = place.previous, place.following
    compared = following is not None and following.type in CONTINUATIONS - {"_AND", "_OR"}
    return previous is not None and previous.type in _ASKING and not compared


def _hint_of_word(place: Place) -> Message:
    """Return the hint at a reserved word, whether or not a text in quotes can stand for it."""
    if _is_condition(place) and (_ends_line(place) or _fits(place, "STRING")):
        return Message(_COMPARED_HINT, {"word": place.token.text})
    if _ends_line(place) or _fits(place, "STRING"):
        return Message(_RESERVED_HINT, {"word": place.token.text})
    if place.following and place.following.type == "_DOT":
        return Message(_RESERVED_NAME_HINT)
    deciding = place.token.type in _RULED or not _is_extra(place)
    return Message(_EITHER_HINT if deciding else _REMOVE_HINT, {"found": found(place)})


def called(place: Place) -> Problem | None:
    """Report a reserved word that stands for the name of a tool: GOAL(1) (S107)."""
    following = place.following
    if place.token.text not in WORDS or not place.accepts >= STATEMENT - {"_THEN"}:
        return None
    if not following or following.type != "_LPAR" or following.start != place.token.end:
        return None
    return _reserved_name(place)


def _begins_anew(place: Place) -> bool:
    """Tell whether the word begins a rule or a statement, before which a value is missing."""
    if _ends_line(place):
        return place.token.type in _OPENING
    behind = [place.following.type] if place.following else []
    return place.cursor.would_accept("NAME", place.token.type, *behind)


def _ends_line(place: Place) -> bool:
    """Tell whether the word is the last of its line, or of what stands in brackets there."""
    behind = [token.type for token in place.rest_of_line()[1:2]]
    return not place.starts_line() and (not behind or behind[0] in CLOSER_TEXTS)


def _may_be_extra(place: Place) -> bool:
    """Tell whether the text goes on without the word as well, or not even with a text in its place."""
    following = place.following
    if _ends_line(place):
        return following is not None and not _fits(place, "STRING")
    return _is_extra(place) or (following is not None and not _fits(place, "STRING"))


def _is_extra(place: Place) -> bool:
    """Tell whether the text goes on without the token."""
    behind = [token.type for token in place.tokens[place.index + 1 : place.index + 4]]
    return bool(behind) and place.cursor.would_accept(*behind)


def _reserved_name(place: Place) -> Problem:
    word = place.token.text
    message = Message(_RESERVED_NAME, {"word": word})
    following = place.following
    if following and not _fits(place, "NAME") and place.cursor.would_accept(following.type):
        if place.token.type in _RULED:
            return place.problem("S107", message, Message(_EITHER_HINT, {"found": found(place)}))
        away = delete(Span(place.token.start, following.start))
        return place.problem("S107", message, Message(_REMOVE_HINT, {"found": found(place)}), away)
    named = place.previous is not None and place.previous.type == "_GOAL"
    fits = _fits(place, "NAME") and (named or not _is_extra(place))
    fixes = [replace(place.token.span, word.lower())] if fits else []
    return place.problem("S107", message, Message(_RESERVED_NAME_HINT), *fixes)
