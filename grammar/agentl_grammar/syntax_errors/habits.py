"""What people bring from Python, YAML, Rego, HCL and others: how it is written here."""

from __future__ import annotations

from collections.abc import Callable

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.brackets import closer_of
from agentl_grammar.syntax_errors.expectations import COMPARISONS
from agentl_grammar.syntax_errors.place import Place, delete, found, replace, rewrite

_FOREIGN = message_id("`{word}` does not belong to the language")
_WRITE_HINT = message_id("write `{text}`")
_FOREACH_HINT = message_id("write FOREACH {name} IN <list> {{ … }}")
_THEN = message_id("a condition ends with THEN, not with `:`")
_THEN_HINT = message_id("write THEN {{ … }} instead of `:`")
RECORD = message_id("a value has no braces")
_RECORD_HINT = message_id("give each part by a path of its own: user.name = …")
_ARGUMENTS_HINT = message_id("write the arguments without braces: name = value")
_VALUE = message_id("{word} is a statement: it gives no value")
_VALUE_HINTS = {
    "_REASON": message_id(
        "write REASON {{ … PRODUCE {{ {name}: Type }} }}: its answers are read by their names"
    ),
    "_ASK": message_id("write ASK alone: the answer is read as `answer`"),
    "_DELEGATE": message_id(
        "write DELEGATE {{ … EXPECT {{ … }} }}: what it gives is read by the agent's name"
    ),
}
_TYPE = message_id("a type is one word, without `[`")
_TYPE_HINT = message_id("write the type alone: {name}")
_BELIEF = message_id("a belief has a value, and no type")
_EXPECT = message_id("EXPECT does not begin with a name, found {found}")
_EXPECT_HINT = message_id("write EXPECT CALL {name} for a call, EXPECT {{ <condition> }} for a condition")
_PREFIX = message_id("a text has no `{word}` before it")
_PREFIX_HINT = message_id("write the text alone: no value is put into it")
_TYPES = ("int", "float", "str", "string", "bool", "number", "text", "any", "list", "dict")


def loop_over(place: Place) -> Problem | None:
    """Report `for item in items {`."""
    line = place.line_so_far()
    starts = [at for at in range(len(line) - 2) if _begins_loop(line[at : at + 3])]
    if not starts:
        return None
    word, name, into = line[starts[-1] : starts[-1] + 3]
    message, hint = Message(_FOREIGN, {"word": word.text}), Message(_FOREACH_HINT, {"name": name.text})
    at = place.index - len(line) + starts[-1]
    behind = [token.type for token in place.tokens[at + 3 : place.index + 1]]
    cursor = place.cursor_at(at) if place.cursor_at else None
    fits = cursor is not None and cursor.would_accept("_FOREACH", "NAME", "_IN", *behind)
    fixes = [rewrite(hint, (word.span, "FOREACH"), (into.span, "IN"))] if fits else []
    return place.problem("S105", message, hint, *fixes, span=word.span)


def _begins_loop(tokens: list[Token]) -> bool:
    word, name, into = (token.text.upper() for token in tokens)
    return word == "FOR" and into == "IN" and name.isidentifier()


def colon_for_then(place: Place) -> Problem | None:
    """Report `IF a > 1:`."""
    if place.token.type != "_COLON" or "_THEN" not in place.accepts or "_PLUS" not in place.accepts:
        return None
    return place.problem("S101", Message(_THEN), Message(_THEN_HINT))


def record(place: Place) -> Problem | None:
    """Report `user = { name: "x" }` and `f({ name: 1 })`."""
    if place.token.type != "_LBRACE" or not place.accepts >= {"NUMBER", "STRING", "_LPAR"}:
        return None
    if place.head != "(":
        named = place.previous is not None and place.previous.type in ("_EQ", "_COLON")
        return place.problem("S101", Message(RECORD), Message(_RECORD_HINT)) if named else None
    hint, end = Message(_ARGUMENTS_HINT), closer_of(place, place.index)
    inside = place.tokens[place.index + 1 : end] if end else []
    fits = inside and place.cursor.would_accept(*(token.type for token in inside), "_RPAR")
    fixes = [rewrite(hint, (place.token.span, ""), (place.tokens[end].span, ""))] if fits and end else []
    return place.problem("S101", Message(RECORD), hint, *fixes)


def statement_as_value(place: Place) -> Problem | None:
    """Report `kind = REASON …`."""
    previous, hint = place.previous, _VALUE_HINTS.get(place.token.type)
    if not hint or not previous or previous.type != "_EQ" or "NUMBER" not in place.accepts:
        return None
    owner = place.tokens[place.index - 2].text if place.index > 1 else ""
    message = Message(_VALUE, {"word": place.token.text})
    return place.problem("S116", message, Message(hint, {"name": owner}))


def type_with_brackets(place: Place) -> Problem | None:
    """Report `INPUT { names: list[str] }`."""
    name, colon = place.previous, place.tokens[place.index - 2] if place.index > 1 else None
    if place.token.type != "_LBRACKET" or not name or not colon or colon.type != "_COLON":
        return None
    if place.head not in ("INPUT", "OUTPUT", "PRODUCE", "TOOL", "(") or "_IN" in COMPARISONS & place.accepts:
        return None
    return place.problem("S101", Message(_TYPE), Message(_TYPE_HINT, {"name": _inner(place, name)}))


def _inner(place: Place, name: Token) -> str:
    """Return the type that is meant: Number of Optional[Number], list of list[str]."""
    following = place.following
    return following.text if following and name.text.upper() == "OPTIONAL" else name.text


def typed_belief(place: Place) -> Problem | None:
    """Report `BELIEF { limit: Number = 100 }`."""
    if place.token.type != "_EQ" or place.head not in ("BELIEF", "EFFECT", "GIVEN") or not place.inner:
        return None
    owner, colon, kind = place.tokens[place.index - 3 : place.index]
    typed = kind.text[:1].isupper() or kind.text in _TYPES
    if colon.type != "_COLON" or owner.type != "NAME" or kind.type != "NAME" or not typed:
        return None
    hint = Message(_WRITE_HINT, {"text": f"{owner.text} = …"})
    span = Span(colon.start, kind.end)
    return place.problem("S110", Message(_BELIEF), hint, delete(span), span=span)


def expected_name(place: Place) -> Problem | None:
    """Report EXPECT transfer CALLED."""
    previous, following = place.previous, place.following
    if place.head != "SCENARIO" or not previous or previous.type != "_EXPECT" or place.token.type != "NAME":
        return None
    if following and following.type in COMPARISONS | {"_DOT"}:
        return None
    message, hint = (
        Message(_EXPECT, {"found": found(place)}),
        Message(_EXPECT_HINT, {"name": place.token.text}),
    )
    called = following is not None and following.text.upper() in ("CALLED", "INVOKED", "RUN")
    if not following or not called:
        return place.problem("S101", message, hint)
    fix = replace(place.token.span.to(following.span), f"CALL {place.token.text}")
    return place.problem("S101", message, hint, fix)


def prefix(place: Place) -> Problem | None:
    """Report f"…"."""
    word = place.previous
    if place.token.type != "STRING" or not word or word.end != place.token.start:
        return None
    if word.type != "NAME" or word.text.lower() not in ("f", "r", "b", "u", "rb", "fr"):
        return None
    message = Message(_PREFIX, {"word": word.text})
    return place.problem("S105", message, Message(_PREFIX_HINT), span=word.span)


HABITS: tuple[Callable[[Place], Problem | None], ...] = (
    loop_over,
    colon_for_then,
    record,
    statement_as_value,
    type_with_brackets,
    typed_belief,
    prefix,
)
