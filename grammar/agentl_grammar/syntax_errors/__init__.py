"""A token that cannot stand where it stands: what is wrong, in the words of the language, and the next step.

Each rule looks at a `Place` and returns a problem when it knows better than the rule behind it; the last
one always answers. Codes: S101 unexpected, S102 bracket missing, S103-S105 lexical, S106 no agent, S107
reserved word, S108 misspelt word, S109 comma, S110 `:` and `=`, S111 EVERY, S112 too deep, S113 and S114
repeated names (builder), S115 DEFAULT of POLICY, S116 wrong place, S117 kind of number, S118 name of a
field, S119 bracket too many, S120 chained comparison, S121 nothing asked or expected.
"""

from __future__ import annotations

from collections.abc import Callable

from agentl_grammar.excerpt import visible
from agentl_grammar.lexer import END
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors import misplaced, misspelt
from agentl_grammar.syntax_errors.expectations import (
    COMPARISONS,
    EXPRESSION,
    NUMBERS,
    STATEMENT,
    expected,
    only_word,
    spelling,
)
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, Opener, Place, delete, insert, replace

_EMPTY = message_id("a program needs at least one AGENT")
_EMPTY_HINT = message_id("write `AGENT name {{ … }}`")
_TOO_DEEP = message_id("nested more than {limit} levels deep")
_TOO_DEEP_HINT = message_id("move the inner part to a PLAN or an expression of its own")
_EVERY = message_id("EVERY was removed from the language (1.8): it never scheduled anything")
_EVERY_HINT = message_id("say when to read it with a guard: WHEN <condition>")
_MISSING = message_id("expected `{closer}` to close {title}, opened on line {line}")
_MISSING_HINT = message_id("insert `{closer}` before {found}")
_MISSING_AT_END_HINT = message_id("insert `{closer}` at the end")
_OPENED = message_id("it is opened here")
_TOO_MANY = message_id("this `{closer}` closes nothing")
_TOO_MANY_HINT = message_id("remove it, or add the bracket that it should close")
_TWO_COMMAS = message_id("two commas with nothing between them")
_FIRST_COMMA = message_id("a comma with nothing before it")
_MEMBER_COMMA = message_id("no comma stands between the members of AGENT")
_STEP_COMMA = message_id("no comma stands behind a STEP in braces")
_WRONG_COMMA = message_id("no comma can stand here: expected {expected}")
_COMMA_HINT = message_id("remove the comma")
_ELSE_COMMA = message_id("this comma ends the IF, so that ELSE belongs to nothing")
_EQUAL_NOT_ASSIGN = message_id("`=` gives a value; a comparison is written `==`")
_ASSIGN_NOT_EQUAL = message_id("`==` compares; a value is given with `=`")
_TYPE_COLON = message_id("a type stands behind `:`, not behind `=`")
_ASSIGN_COLON = message_id("`:` gives no value in a statement; write `=`")
_NO_SEPARATOR = message_id("no `{text}` can stand here")
_WRITE_HINT = message_id("write `{text}`")
_REMOVE_HINT = message_id("remove it")
_RESERVED = message_id("`{word}` is a reserved word and cannot be a value or start a path here")
_RESERVED_HINT = message_id('put it in quotes to mean the text: "{word}"')
_RESERVED_NAME = message_id("`{word}` is a reserved word and cannot be a name here")
_RESERVED_NAME_HINT = message_id("choose another name; small letters are never reserved")
_NUMBER_KIND = message_id("expected {expected}, found `{found}`")
_PLAIN_HINT = message_id("write the number alone, such as {example}")
_DURATION_HINT = message_id("write its unit at once behind it: ms, s, min, h or d")
_NUMBER_HINT = message_id("a number has digits before its point: {example}")
_CHAIN = message_id("a comparison cannot be compared again")
_CHAIN_HINT = message_id("join two comparisons: a < b AND b < c")
_NO_EXPECT = message_id("{title} expects nothing: it needs at least one EXPECT")
_NO_EXPECT_HINT = message_id("add what must hold: EXPECT {{ … }}")
_NO_QUESTION = message_id("JUDGE needs at least one question")
_NO_QUESTION_HINT = message_id('add one: name NOUL "…", name CHOICE "…" {{ … }} or name SCORE "…" [ … ]')
_UNEXPECTED = message_id("expected {expected}, found {found}")
_UNEXPECTED_HINT = message_id("add what is missing before {found}, or remove it")
_UNEXPECTED_END_HINT = message_id("add what is missing at the end")
_FOUND = message_id("`{text}`")
_FOUND_END = message_id("the end of the text")
_LONGEST_FOUND = 30


def syntax_problem(place: Place) -> Problem:
    """Return the problem at `place`."""
    for rule in _RULES:
        problem = rule(place)
        if problem:
            return problem
    return _unexpected(place)


def too_deep(span: Span, limit: int) -> Problem:
    """Return the problem of a text that nests too deeply (S112)."""
    message = Message(_TOO_DEEP, {"limit": limit})
    return Problem("S112", Severity.ERROR, span, message, Message(_TOO_DEEP_HINT))


def _found(place: Place) -> Message:
    if place.token.type == END:
        return Message(_FOUND_END)
    text = visible(place.token.text.split("\n")[0].rstrip("\r"))
    if len(text) > _LONGEST_FOUND:
        text = text[:_LONGEST_FOUND] + "…"
    return Message(_FOUND, {"text": text})


def _no_agent(place: Place) -> Problem | None:
    if place.tokens:
        return None
    return place.problem("S106", Message(_EMPTY), Message(_EMPTY_HINT))


def _every(place: Place) -> Problem | None:
    if place.token.type != "_EVERY":
        return None
    return place.problem("S111", Message(_EVERY), Message(_EVERY_HINT))


def _chained(place: Place) -> Problem | None:
    if place.token.type not in COMPARISONS or "_AND" not in place.accepts or "_PLUS" not in place.accepts:
        return None
    return place.problem("S120", Message(_CHAIN), Message(_CHAIN_HINT))


def _nothing_asked(place: Place) -> Problem | None:
    if place.token.type != "_RBRACE" or not place.inner:
        return None
    if place.head == "SCENARIO" and "_EXPECT" in place.accepts:
        message, hint = Message(_NO_EXPECT, {"title": place.inner.title}), Message(_NO_EXPECT_HINT)
    elif place.head == "JUDGE" and "_USING" in place.accepts:
        message, hint = Message(_NO_QUESTION), Message(_NO_QUESTION_HINT)
    else:
        return None
    return place.problem("S121", message, hint)


def _missing_bracket(place: Place) -> Problem | None:
    """Report the innermost bracket when its closer, and those of brackets around it, make the token fit."""
    inner = place.inner
    ends = place.token.type == END or place.token.type in CLOSER_TEXTS
    if not inner or (inner.closer == "_RBRACE" and not ends and not place.starts_line()):
        return None
    closers = [opener.closer for opener in reversed(place.openers)]
    following = place.tokens[place.index : place.index + (1 if ends else 2)]
    count = place.cursor.missing(closers, [token.type for token in following] or [END])
    return _missing(place, closers[:count]) if count else None


def _missing(place: Place, closers: list[str]) -> Problem:
    inner = place.openers[-1]
    closer = CLOSER_TEXTS[inner.closer]
    message = Message(_MISSING, {"closer": closer, "title": inner.title, "line": place.line(inner.token)})
    before = place.previous or inner.token
    text = "".join(_closing(place, opener) for opener in place.openers[: -len(closers) - 1 : -1])
    values: dict[str, object] = {"closer": " ".join(text.split()), "found": _found(place)}
    hint = Message(_MISSING_AT_END_HINT if place.token.type == END else _MISSING_HINT, values)
    related = Related(inner.token.span, Message(_OPENED))
    return place.problem("S102", message, hint, insert(before.end, text), related=[related])


def _closing(place: Place, opener: Opener) -> str:
    """Return the closer of a bracket; that of a brace over several lines stands on a line of its own."""
    closer = CLOSER_TEXTS[opener.closer]
    if closer != "}":
        return closer
    number = place.line(opener.token)
    if place.previous and number == place.line(place.previous):
        return f" {closer}"
    line = place.source.line(number - 1)
    return f"\n{line[: len(line) - len(line.lstrip())]}{closer}"


def _too_many(place: Place) -> Problem | None:
    closer = CLOSER_TEXTS.get(place.token.type)
    if not closer or any(opener.closer == place.token.type for opener in place.openers):
        return None
    message = Message(_TOO_MANY, {"closer": closer})
    return place.problem("S119", message, Message(_TOO_MANY_HINT), delete(place.token.span))


def _comma(place: Place) -> Problem | None:
    previous = place.previous
    hint = Message(_COMMA_HINT)
    if place.token.type == "_ELSE" and previous and previous.type == "_COMMA":
        return place.problem("S109", Message(_ELSE_COMMA), hint, delete(previous.span), span=previous.span)
    if place.token.type != "_COMMA":
        return None
    if previous and previous.type == "_COMMA":
        message = Message(_TWO_COMMAS)
    elif previous and previous.type in ("_LBRACE", "_LPAR", "_LBRACKET"):
        message = Message(_FIRST_COMMA)
    elif place.head == "AGENT":
        message = Message(_MEMBER_COMMA)
    elif place.head == "PLAN" and previous and previous.type == "_RBRACE":
        message = Message(_STEP_COMMA)
    else:
        message = Message(_WRONG_COMMA, {"expected": expected(place)})
    return place.problem("S109", message, hint, delete(place.token.span))


def _separator(place: Place) -> Problem | None:
    token, accepts = place.token, place.accepts
    wrong = {
        ("_EQ", "EQUAL"): (_EQUAL_NOT_ASSIGN, "=="),
        ("EQUAL", "_EQ"): (_ASSIGN_NOT_EQUAL, "="),
        ("_EQ", "_COLON"): (_TYPE_COLON, ":"),
        ("_COLON", "_EQ"): (_ASSIGN_COLON, "="),
    }
    for (found, wanted), (message, text) in wrong.items():
        if token.type == found and wanted in accepts:
            fix = replace(token.span, text)
            return place.problem("S110", Message(message), Message(_WRITE_HINT, {"text": text}), fix)
    if token.type not in ("_COLON", "_EQ") or place.index + 1 >= len(place.tokens):
        return None
    if not place.cursor.would_accept(place.tokens[place.index + 1].type):
        return None
    message = Message(_NO_SEPARATOR, {"text": token.text})
    return place.problem("S110", message, Message(_REMOVE_HINT), delete(token.span))


def _reserved(place: Place) -> Problem | None:
    word = place.token.text
    if WORDS.get(word, "operators") == "operators" or "NAME" not in place.accepts:
        return None
    values = {"word": word}
    if place.accepts >= {"NUMBER", "STRING", "_LPAR"}:
        ends = place.inner is not None and place.inner.closer in place.accepts
        if ends or place.cursor.would_accept("NAME", place.token.type):
            return None
        fix = replace(place.token.span, f'"{word}"')
        return place.problem("S107", Message(_RESERVED, values), Message(_RESERVED_HINT, values), fix)
    if place.accepts & STATEMENT or "STRING" in place.accepts or len(place.accepts) > len(EXPRESSION):
        return None
    return place.problem("S107", Message(_RESERVED_NAME, values), Message(_RESERVED_NAME_HINT))


def _number(place: Place) -> Problem | None:
    token, accepts = place.token, place.accepts
    if token.type == "_DOT" and {"NUMBER", "_LPAR"} <= accepts:
        return _point(place)
    if token.type not in NUMBERS or not accepts & NUMBERS or "_LPAR" in accepts:
        return None
    message = Message(_NUMBER_KIND, {"expected": expected(place), "found": token.text})
    if "NUMBER" not in accepts:
        return place.problem("S117", message, Message(_DURATION_HINT))
    digits = token.text.rstrip("%abcdefghijklmnopqrstuvwxyz")
    return place.problem("S117", message, Message(_PLAIN_HINT, {"example": digits}))


def _point(place: Place) -> Problem | None:
    following = place.tokens[place.index + 1] if place.index + 1 < len(place.tokens) else None
    if not following or following.type not in NUMBERS or following.start != place.token.end:
        return None
    message = Message(_NUMBER_KIND, {"expected": expected(place), "found": f".{following.text}"})
    hint = Message(_NUMBER_HINT, {"example": f"0.{following.text}"})
    span = Span(place.token.start, following.end)
    return place.problem("S117", message, hint, insert(place.token.start, "0"), span=span)


def _unexpected(place: Place) -> Problem:
    found = _found(place)
    message = Message(_UNEXPECTED, {"expected": expected(place), "found": found})
    hint = _UNEXPECTED_END_HINT if place.token.type == END else _UNEXPECTED_HINT
    return place.problem("S101", message, Message(hint, {"found": found}), *_insertions(place))


def _insertions(place: Place) -> list[Fix]:
    terminal = only_word(place)
    if not terminal or not place.previous or not place.cursor.would_accept(terminal, place.token.type):
        return []
    return [insert(place.previous.end, f" {spelling(terminal)}")]


_RULES: tuple[Callable[[Place], Problem | None], ...] = (
    _no_agent,
    misplaced.outside,
    _every,
    _nothing_asked,
    _comma,
    misspelt.policy_default,
    misspelt.keyword,
    _separator,
    _number,
    misplaced.field_name,
    misplaced.step,
    misspelt.earlier_keyword,
    _missing_bracket,
    misplaced.member_or_statement,
    _too_many,
    _chained,
    _reserved,
)
