"""What no SCENARIO can expect in these words: EXPECT NEVER pay, EXPECT NOT { … } (S101).

A fix is offered where one form says the same. None says that an event does not come, or that a call is not
blocked: there the hint tells what can be expected instead.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from agentl_grammar.lexer import END, Token
from agentl_grammar.problems import Fix, Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.expectations import COMPARISONS
from agentl_grammar.syntax_errors.near import is_slip
from agentl_grammar.syntax_errors.phrases import condition_at
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, Place, delete, insert, replace, rewrite, shown

_FORMS = message_id(
    "EXPECT takes {{ <condition> }}, CALL, NEVER CALL, BLOCKED, EVENT or NO ERROR, found {found}"
)
_WRITE_HINT = message_id("write {text}")
_CONDITION_HINT = message_id("write EXPECT {{ NOT (<condition>) }}")
_BRACES_HINT = message_id("write EXPECT {{ <condition> }}")
_EACH_HINT = message_id("write NOT before each of them: EXPECT {{ NOT (<condition>), NOT (<condition>) }}")
_CALL_HINT = message_id("write EXPECT CALL {name}: a call that is made was not blocked")
_EVENT_HINT = message_id("expect what the event would change, and not: EXPECT {{ NOT (<condition>) }}")
_EITHER_HINT = message_id(
    "write EXPECT NEVER CALL <tool> for a call, EXPECT {{ NOT (<condition>) }} for a condition"
)
_ERROR_HINT = message_id("write EXPECT NO ERROR, or EXPECT NEVER CALL {name} for the tool of this name")
_NO_ERROR_HINT = message_id("an error cannot be expected: write EXPECT NO ERROR, or EXPECT BLOCKED <tool>")
_ONE_OF_HINT = message_id("write EXPECT CALL {name}, EXPECT NEVER CALL {name} or EXPECT BLOCKED {name}")
_NEGATING = ("NOT", "NO", "NEVER", "DONT")
_CALLED = ("CALLED", "INVOKED", "RUN", "CALL")
_KNOWN = ("CALL", "BLOCKED", "EVENT", "ERROR")
_EACH = message_id("each expectation has an EXPECT of its own")
_PARENTHESES = message_id("EXPECT names a tool without parentheses: it asks for no arguments")
_REMOVE_HINT = message_id("remove the parentheses")
_ARGUMENTS_HINT = message_id(
    "remove the parentheses; what the call brings about is expected by itself: EXPECT {{ <condition> }}"
)
_NAMES_HINT = message_id("write EXPECT {form} <name> for each of them")
_GUARD = message_id("an expectation has no guard")
_GUARD_HINT = message_id("remove it: what is so before stands in GIVEN {{ path = value }}")
_BEGUN = (("NEVER", "CALL"), ("CALL",), ("BLOCKED",))
# What stands before the name of a tool or an event.
_NAMING = ("CALL", "BLOCKED", "EVENT")
# EXPECT and two words before the one that is refused.
_FAR = 3
_PARTS = 4


def expectation(place: Place) -> Problem | None:
    """Report what stands behind EXPECT and is none of its forms."""
    start = _expect(place)
    if start is None:
        return None
    words = [*place.tokens[start : start + _PARTS], *[Token(END, "", 0, 0)] * _PARTS]
    said = [word.text.upper() for word in words[:_PARTS]]
    if said[0] in _NEGATING:
        return _negated(place, words, said, start)
    if said[0] in _KNOWN and said[1] in _NEGATING and words[2].type == "NAME":
        return _negated(place, [words[1], words[0], *words[2:]], [said[1], said[0], *said[2:]], start)
    if said[0] == "ERROR":
        return _told(place, words[:1], Message(_NO_ERROR_HINT))
    if words[0].type == "NAME" and said[1] in _NEGATING and said[0] not in _KNOWN:
        last = [word for word, text in zip(words[2:3], said[2:3], strict=True) if text in _CALLED]
        ends = bool(last) or _ends(words[2])
        return _written(place, [*words[:2], *last], f"NEVER CALL {words[0].text}", fix=ends)
    return _unknown(place, words)


def _unknown(place: Place, words: list[Token]) -> Problem | None:
    """Report EXPECT UNBLOCKED pay; a slip of one of the forms is told as that, as is EXPECT pay CALLED."""
    form, name = words[:2]
    two = (form.type, name.type) == ("NAME", "NAME") and name.text.upper() not in _CALLED
    if not two or not _ends(words[2]):
        return None
    if any(is_slip(form.text.upper(), known) for known in (*_KNOWN, "NEVER")):
        return None
    likely = dataclasses.replace(replace(_span([form, name]), f"CALL {name.text}"), guess=True)
    return _told(place, [form, name], Message(_ONE_OF_HINT, {"name": name.text}), likely)


def another(place: Place) -> Problem | None:
    """Report a second expectation without its EXPECT: EXPECT CALL a, b and EXPECT CALL a AND NEVER CALL b."""
    if place.head != "SCENARIO" or "_EXPECT" not in place.accepts:
        return None
    joins = place.token.type == "_AND"
    at = place.index + joins
    begun = next((form for form in _BEGUN if _reads(place.tokens[at:], form)), None)
    named = [] if begun else _named_before(place, joins=joins)
    if at >= len(place.tokens) or not (begun or (named and place.tokens[at].type == "NAME")):
        return None
    text = " ".join(["EXPECT", *named])
    last = at + len(begun or ())
    written = place.source.text[place.tokens[at].start : place.tokens[min(last, len(place.tokens) - 1)].end]
    hint = Message(_WRITE_HINT, {"text": f"{text} {written}"})
    fix = replace(place.token.span, text) if joins else insert(place.token.start, f"{text} ")
    return place.problem("S101", Message(_EACH), hint, fix)


def _reads(tokens: list[Token], form: tuple[str, ...]) -> bool:
    said = tuple(token.text.upper() for token in tokens[: len(form)])
    return said == form and [token.type for token in tokens[len(form) : len(form) + 1]] == ["NAME"]


def _named_before(place: Place, *, joins: bool) -> list[str]:
    """Return the form of the expectation whose list of names goes on at the place: NEVER CALL."""
    line = place.line_so_far()
    starts = [at for at, token in enumerate(line) if token.type == "_EXPECT"]
    form = [token for token in line[starts[-1] + 1 :] if token.type != "_COMMA"] if starts else []
    goes_on = joins or line[-1:] != form[-1:]
    named = [token.text for token in form[:-1]]
    names = goes_on and form and form[-1].type == "NAME" and named and named[-1].upper() in _NAMING
    return named if names else []


def guarded(place: Place) -> Problem | None:
    """Report EXPECT CALL pay WHEN a == 1."""
    if place.head != "SCENARIO" or place.token.type not in ("_WHEN", "_IF"):
        return None
    if not any(token.type == "_EXPECT" for token in place.line_so_far()):
        return None
    inside = condition_at(place, place.index + 1) if place.following else []
    span = place.token.span.to(inside[-1].span) if inside else place.token.span
    away = dataclasses.replace(delete(span), guess=True)
    return place.problem("S101", Message(_GUARD), Message(_GUARD_HINT), away, span=span)


def called(place: Place) -> Problem | None:
    """Report EXPECT CALL pay(…), EXPECT CALL { a, b } and EXPECT BLOCKED CALL pay."""
    start = _expect(place)
    before = place.tokens[start : place.index] if start is not None else []
    if not before or before[0].text.upper() not in ("NEVER", *_NAMING):
        return None
    if place.token.type == "_LBRACE" and before[-1].text.upper() in _NAMING:
        form = " ".join(token.text for token in before)
        return place.problem("S101", Message(_EACH), Message(_NAMES_HINT, {"form": form}))
    end = closer_of(place, place.index) if place.token.type == "_LPAR" else None
    if end:
        span = Span(place.token.start, place.tokens[end].end)
        empty = end == place.index + 1
        fix = dataclasses.replace(delete(span), guess=not empty)
        hint = Message(_REMOVE_HINT if empty else _ARGUMENTS_HINT)
        return place.problem("S101", Message(_PARENTHESES), hint, fix, span=span)
    if place.token.type == "NAME" and {token.text.upper() for token in before} == {"BLOCKED", "CALL"}:
        return _written(place, [*before, place.token], f"BLOCKED {place.token.text}")
    return None


def _expect(place: Place) -> int | None:
    """Return the index behind the EXPECT that the place stands behind."""
    if place.head != "SCENARIO":
        return None
    for at in range(place.index - 1, max(0, place.index - 1 - _FAR), -1):
        if place.tokens[at].type == "_EXPECT":
            return at + 1
        if not place.tokens[at].text[:1].isalpha():
            break
    return None


def _negated(place: Place, words: list[Token], said: list[str], start: int) -> Problem | None:
    """Report a form with a word before it that denies it."""
    no, what = words[:2]
    if (said[0], said[1]) in (("NEVER", "CALL"), ("NO", "ERROR")) and words[0].start < words[1].start:
        return None
    if said[1] in _KNOWN:
        return _known(place, words, said[1])
    if what.type == "_LBRACE":
        return _of_condition(place, no, start + 1)
    if what.type != "NAME" or any(is_slip(said[1], known) for known in _KNOWN):
        return None
    return _of_name(place, words, start)


def _known(place: Place, words: list[Token], form: str) -> Problem:
    """Report EXPECT NOT CALL pay, EXPECT CALL NEVER pay, EXPECT NOT ERROR, EXPECT NEVER EVENT e."""
    name = words[2].text if words[2].type == "NAME" else "<tool>"
    if form == "CALL":
        return _written(place, words[:2], "NEVER CALL", name=f" {name}")
    if form == "ERROR":
        return _written(place, words[:2], "NO ERROR")
    last = words[2]
    if last.type == "NAME":
        last = place.tokens[_behind_path(place, place.tokens.index(last) + 1) - 1]
    hint = Message(_EVENT_HINT) if form == "EVENT" else Message(_CALL_HINT, {"name": name})
    return _told(place, [*words[:2], last], hint)


def _of_condition(place: Place, no: Token, brace: int) -> Problem:
    """Report EXPECT NOT { … }."""
    end = closer_of(place, brace)
    inside = place.tokens[brace + 1 : end] if end else []
    kinds = [token.type for token in inside]
    opener = place.tokens[brace]
    before = place.cursor_at(brace - 1) if place.cursor_at else None
    if not before or not before.would_accept("_LBRACE", "_NOT", "_LPAR", *kinds, "_RPAR", "_RBRACE"):
        several = before and kinds and before.would_accept("_LBRACE", *kinds, "_RBRACE")
        return _told(place, [no, opener], Message(_EACH_HINT if several else _CONDITION_HINT))
    edits = (
        (Span(no.start, opener.end), "{"),
        (Span(inside[0].start, inside[0].start), "NOT ("),
        (Span(inside[-1].end, inside[-1].end), ")"),
    )
    hint = Message(_CONDITION_HINT)
    return _told(place, [no, opener], hint, rewrite(hint, *edits))


def _of_name(place: Place, words: list[Token], start: int) -> Problem | None:
    """Report EXPECT NEVER pay, EXPECT NOT a == 1."""
    no, name = words[:2]
    end = _behind_path(place, start + 2)
    behind = place.tokens[end] if end < len(place.tokens) else words[-1]
    if behind.type in COMPARISONS:
        inside = condition_at(place, start + 1)
        hint, last = Message(_CONDITION_HINT), inside[-1].end
        if no.text.upper() == "NOT":
            hint = Message(_BRACES_HINT)
            fix = rewrite(hint, (Span(no.start, no.end), "{ NOT"), (Span(last, last), " }"))
        else:
            fix = rewrite(hint, (Span(no.start, name.start), "{ NOT ("), (Span(last, last), ") }"))
        return _told(place, [no, inside[-1]], hint, fix)
    closer = closer_of(place, end) if behind.type == "_LPAR" and end == start + 2 else None
    if closer:
        called = [no, place.tokens[closer]]
        return _written(place, called, f"NEVER CALL {name.text}", fix=closer == end + 1)
    if end > start + 2 or not _ends(behind):
        return _told(place, [no, place.tokens[end - 1]], Message(_EITHER_HINT))
    if name.text.isupper() and no.text.upper() != "NEVER":
        return _told(place, words[:2], Message(_ERROR_HINT, {"name": name.text}))
    return _written(place, words[:2], f"NEVER CALL {name.text}")


def _behind_path(place: Place, at: int) -> int:
    """Return the index behind a path whose first name stands before `at`."""
    while at + 1 < len(place.tokens) and place.tokens[at].type == "_DOT":
        at += 2
    return at


def _ends(behind: Token) -> bool:
    """Tell whether the expectation ends before a token."""
    closes = behind.type in (*CLOSER_TEXTS, END, "_COMMA")
    return closes or (behind.type.startswith("_") and behind.text.isupper())


def _written(place: Place, said: list[Token], text: str, *, name: str = "", fix: bool = True) -> Problem:
    """Return the problem whose hint and fix write `text` behind EXPECT; the hint with a `name` behind it."""
    span = _span(said)
    fixes = [replace(span, text)] if fix else []
    return _told(place, said, Message(_WRITE_HINT, {"text": f"EXPECT {text}{name}"}), *fixes)


def _told(place: Place, said: list[Token], hint: Message, *fixes: Fix) -> Problem:
    span = _span([token for token in said if token.type != END])
    found = shown(Token("NAME", place.source.slice(span), span.start, span.end))
    return place.problem("S101", Message(_FORMS, {"found": found}), hint, *fixes, span=span)


def _span(tokens: list[Token]) -> Span:
    return Span(min(token.start for token in tokens), max(token.end for token in tokens))


EXPECTATIONS: tuple[Callable[[Place], Problem | None], ...] = (expectation, called, guarded, another)
