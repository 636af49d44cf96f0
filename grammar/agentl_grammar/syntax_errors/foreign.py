"""Forms of other languages, and a name with a hyphen: how they are written here (S105, S116, S122)."""

from __future__ import annotations

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import CONTINUATIONS, NUMBERS
from agentl_grammar.syntax_errors.place import Place, rewrite

_HYPHEN = message_id("a name has no hyphen: `{name}`")
_HYPHEN_HINT = message_id("write `{text}`")
_STEP = message_id("`{operator}` does not belong to the language")
_STEP_HINT = message_id("write {name} = {name} {sign} {value}")
_COMPARE_HINT = message_id("nothing is changed here: compare with ==, !=, <, <=, > or >=")
_POWER_HINT = message_id("there is no power: write it as a product, {name} * {name}")
_UNTIL = message_id("UNTIL ends a LOOP; it is no guard")
_UNTIL_HINT = message_id("write WHEN NOT (<condition>)")
_INDEX = message_id("`[` behind a value does not belong to the language: nothing has an index")
_INDEX_HINT = message_id("go through a list with FOREACH item IN {name} {{ … }}")
_ON_FAIL = message_id("ON FAIL stands inside the braces of VERIFY")
_ON_FAIL_HINT = message_id("write VERIFY {{ CONDITION … ON FAIL … }}")
_ON_EVENT = message_id("EVENT stands without ON")
_ON_EVENT_HINT = message_id("remove ON")
_WORDS = {
    "UNLESS": message_id("write WHEN NOT (<condition>)"),
    "WHILE": message_id("write LOOP UNTIL <condition that ends it> {{ … }}"),
    "ASSERT": message_id("write EXPECT {{ <condition> }}"),
    "RETURN": message_id("give the value a name with SET; other plans can read it"),
}
_WORD = message_id("`{word}` does not belong to the language")
_SIGNS = ("_PLUS", "_MINUS", "_STAR", "_SLASH")


def hyphen(place: Place) -> Problem | None:
    """Report a name that is cut by a hyphen (S122)."""
    start = place.index - 1
    if place.token.type != "_MINUS" or start < 0 or "_PLUS" in place.accepts:
        return None
    end = place.index
    tokens = place.tokens
    while (
        end + 1 < len(tokens)
        and tokens[end].type == "_MINUS"
        and _glued(tokens[end - 1], tokens[end], tokens[end + 1])
    ):
        end += 2
    if end == place.index or not _is_word(tokens[start]):
        return None
    span = tokens[start].span.to(tokens[end - 1].span)
    name = place.source.slice(span)
    text = name.replace("-", "_")
    hint = Message(_HYPHEN_HINT, {"text": text})
    return place.problem(
        "S122", Message(_HYPHEN, {"name": name}), hint, rewrite(hint, (span, text)), span=span
    )


def _glued(before: Token, middle: Token, behind: Token) -> bool:
    return before.end == middle.start and middle.end == behind.start and _is_word(behind)


def _is_word(token: Token) -> bool:
    return token.text.replace("_", "a").isalnum()


def assignment(place: Place) -> Problem | None:
    """Report `total += 5`, `SET total -= 5` and `count++` (S105)."""
    at = place.index - 1 if place.token.type == "_EQ" else place.index
    sign, following = place.tokens[at : at + 2] if 0 < at < len(place.tokens) - 1 else (None, None)
    if not sign or not following or sign.type not in _SIGNS or following.start != sign.end:
        return None
    if following.type not in ("_EQ", sign.type) or place.cursor_at is None:
        return None
    if "_EQ" in place.cursor_at(at).accepts():
        counts = place.token is sign and "_PLUS" in place.accepts
        return None if counts else _assigned(place, at, sign, following)
    if place.token is not following or following.type != "_EQ":
        return None
    span = sign.span.to(following.span)
    message = Message(_STEP, {"operator": place.source.slice(span)})
    return place.problem("S105", message, Message(_COMPARE_HINT), span=span)


def _assigned(place: Place, at: int, sign: Token, following: Token) -> Problem:
    """Tell how a value is changed; with a fix only where nothing more is reckoned behind the sign."""
    span, steps = sign.span.to(following.span), following.type == sign.type
    name, value = _path_before(place, at), "1" if steps else _operand(place, at + 2)
    message = Message(_STEP, {"operator": place.source.slice(span)})
    hint = Message(_STEP_HINT, {"name": name, "sign": sign.text, "value": value or "(…)"})
    text = f" = {name} {sign.text} 1" if steps else f"= {name} {sign.text}"
    fixes = [rewrite(hint, (span, text))] if value else []
    return place.problem("S105", message, hint, *fixes, span=span)


def _operand(place: Place, start: int) -> str:
    """Return the path or number at token `start` when nothing is reckoned with it."""
    tokens, end = place.tokens, start
    while end < len(tokens) and tokens[end].type in (*NUMBERS, "NAME", "_DOT"):
        if end > start and "_DOT" not in (tokens[end - 1].type, tokens[end].type):
            break
        end += 1
    goes_on = end < len(tokens) and tokens[end].type in CONTINUATIONS
    return "" if goes_on or end == start else place.source.text[tokens[start].start : tokens[end - 1].end]


def _path_before(place: Place, end: int) -> str:
    """Return the path that ends before token `end`."""
    start = end - 1
    while start > 1 and place.tokens[start - 1].type == "_DOT":
        start -= 2
    return place.source.text[place.tokens[start].start : place.tokens[end - 1].end]


def power(place: Place) -> Problem | None:
    """Report `amount ** 2` (S105): without one of the two it would be another value."""
    previous = place.previous
    doubled = place.token.type == "_STAR" and previous is not None and previous.type == "_STAR"
    if not doubled or not previous or previous.end != place.token.start or "_LPAR" not in place.accepts:
        return None
    named = place.index > 1 and place.tokens[place.index - 2].type == "NAME"
    span, name = previous.span.to(place.token.span), _path_before(place, place.index - 1) if named else "a"
    message = Message(_WORD, {"word": place.source.slice(span)})
    return place.problem("S105", message, Message(_POWER_HINT, {"name": name}), span=span)


def indexing(place: Place) -> Problem | None:
    """Report `items[0]` (S105)."""
    previous = place.previous
    if place.token.type != "_LBRACKET" or not previous or previous.end != place.token.start:
        return None
    if not _is_word(previous) or previous.type == "NUMBER":
        return None
    hint = Message(_INDEX_HINT, {"name": _path_before(place, place.index)})
    return place.problem("S105", Message(_INDEX), hint)


def until(place: Place) -> Problem | None:
    """Report UNTIL where a guard stands: what it says is the opposite of WHEN (S116)."""
    if place.token.text.upper() != "UNTIL" or "_WHEN" not in place.accepts or "_UNTIL" in place.accepts:
        return None
    return place.problem("S116", Message(_UNTIL), Message(_UNTIL_HINT))


def word(place: Place) -> Problem | None:
    """Report a keyword of another language that stands for a form, not for one word (S105)."""
    for index in (place.index, place.index - 1, place.index - 2):
        token = place.tokens[index] if 0 <= index < len(place.tokens) else None
        hint = _WORDS.get(token.text.upper()) if token and token.type == "NAME" else None
        if token and hint and place.line(token) == place.line(place.token):
            return place.problem("S105", Message(_WORD, {"word": token.text}), Message(hint), span=token.span)
    return None


def on_fail(place: Place) -> Problem | None:
    """Report ON FAIL behind a VERIFY without braces, and ON before EVENT (S116)."""
    following, previous = place.following, place.previous
    if place.token.type == "_ON" and following and following.type == "_FAIL" and place.head != "AGENT":
        return place.problem(
            "S116", Message(_ON_FAIL), Message(_ON_FAIL_HINT), span=place.token.span.to(following.span)
        )
    if place.token.type == "_EVENT" and previous and previous.type == "_ON" and "_MESSAGE" in place.accepts:
        hint = Message(_ON_EVENT_HINT)
        away = Span(previous.start, place.token.start)
        return place.problem("S116", Message(_ON_EVENT), hint, rewrite(hint, (away, "")), span=previous.span)
    return None
