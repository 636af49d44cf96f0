"""Phrases that are almost those of the language (S101, S108, S110, S115, S116)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from difflib import get_close_matches

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.brackets import closes_more
from agentl_grammar.syntax_errors.expectations import COMPARISONS, expected
from agentl_grammar.syntax_errors.place import (
    CLOSER_TEXTS,
    CLOSERS,
    Place,
    delete,
    insert,
    replace,
    rewrite,
    shown,
)

_WRITE_HINT = message_id("write `{text}`")
_ALONE = message_id("DEFAULT of a POLICY is ALLOW or DENY alone, found {found} behind it")
_ALONE_HINT = message_id("remove {found}: the default holds for every tool that no rule names")
_VERDICT_HINT = message_id("write DEFAULT ALLOW or DEFAULT DENY, and nothing behind it")
_ALL_TOOLS = message_id("a rule names one tool")
_ALL_TOOLS_HINT = message_id("write {rule} * for every tool, or {rule} {name} for the tool of this name")
_NO_CALL = message_id("a rule names a tool without parentheses")
_NO_CALL_HINT = message_id("remove the parentheses")
_ARGUMENTS_HINT = message_id("remove the parentheses; what the arguments must be stands behind WHEN")
_APPROVAL = message_id("expected APPROVAL FOR behind REQUIRE")
_REQUIRED_HINT = message_id("write DENY <tool> WHEN NOT (<condition>) for what a call requires")
_APPROVAL_HINT = message_id("write REQUIRE APPROVAL FOR {found}")
_REMOVE_HINT = message_id("remove {found}")
_ON = message_id("ON begins ON MESSAGE and ON VERIFY.FAIL, found {found}")
_ON_HINT = message_id("write EVENT {name} {{ … }} for an event, ON MESSAGE {name} {{ … }} for a message")
_UNKNOWN = message_id("`{word}` is not known here: expected {wanted}")
_UNKNOWN_HINT = message_id("write {wanted}")
_CONDITION = message_id("a condition behind EXPECT stands in braces")
_CONDITION_HINT = message_id("write EXPECT {{ <condition> }}")
_TOO_MUCH = message_id("expected {expected}, found {found}")
_ONE_NAME_HINT = message_id(
    "a name is one word, such as `{name}`; conditions and other parts stand in the braces"
)
_RULES = ("_ALLOW", "_DENY", "_NEVER")
_VERDICTS = ("_ALLOW", "_DENY", "_ALLOW_ANY_CASE", "_DENY_ANY_CASE")
_EVERY_TOOL = ("ALL", "ANY", "EVERYTHING", "*")
_OF_CONDITION = ("_AND", "_OR", "_NOT", "_IN", "_CONFIDENCE", "_SHARED")
_NAMED = ("PLAN", "TOOL", "GOAL", "STEP", "HYPOTHESIS", "SCENARIO", "EVENT", "AGENT")
_NEARLY_ON = ("ON", "NO", "O", "N", "IN", "OM")
_ALIKE = 0.75


def _before(place: Place, count: int) -> Token | None:
    return place.tokens[place.index - count] if place.index >= count else None


def default_alone(place: Place) -> Problem | None:
    """Report what stands behind the default of a POLICY: DEFAULT DENY ALL (S115)."""
    verdict, label = place.previous, _before(place, 2)
    if label and label.type in ("_COLON", "_EQ"):
        label = _before(place, 3)
    if place.head != "POLICY" or not verdict or not label or label.type != "_DEFAULT":
        return None
    if verdict.type not in _VERDICTS and verdict.text.upper() not in ("ALLOW", "DENY"):
        return None
    if place.token.type == "_EQ":
        return place.problem("S115", Message(_ALONE, {"found": shown(place.token)}), Message(_VERDICT_HINT))
    if place.token.type not in ("NAME", "_STAR") or place.starts_line():
        return None
    found = {"found": shown(place.token)}
    fixes = [delete(place.token.span)] if place.token.text.upper() in _EVERY_TOOL else []
    return place.problem("S115", Message(_ALONE, found), Message(_ALONE_HINT, found), *fixes)


def rule_target(place: Place) -> Problem | None:
    """Report `NEVER all *` and `ALLOW pay()` (S116)."""
    name, rule, following = place.previous, _before(place, 2), place.following
    if place.head != "POLICY" or not name or name.type != "NAME" or not rule:
        return None
    if place.token.type == "_STAR" and rule.type in _RULES:
        values = {"rule": rule.text, "name": name.text}
        return place.problem("S116", Message(_ALL_TOOLS), Message(_ALL_TOOLS_HINT, values))
    if place.token.type != "_LPAR" or rule.type not in (*_RULES, "_FOR", "_DOT"):
        return None
    if not following or following.type != "_RPAR":
        return place.problem("S116", Message(_NO_CALL), Message(_ARGUMENTS_HINT))
    span = place.token.span.to(following.span)
    return place.problem("S116", Message(_NO_CALL), Message(_NO_CALL_HINT), delete(span), span=span)


def approval(place: Place) -> Problem | None:
    """Report `REQUIRE pay` (S101)."""
    previous = place.previous
    if place.head != "POLICY" or not previous or previous.type != "_REQUIRE":
        return None
    if place.token.type not in ("NAME", "_STAR") or not place.cursor.would_accept(
        "_APPROVAL", "_FOR", place.token.type
    ):
        return None
    if get_close_matches(place.token.text.upper(), ["APPROVAL", "FOR"], 1, _ALIKE):
        return None
    following = place.following
    if following and following.type == "_FOR":
        hint = Message(_WRITE_HINT, {"text": "REQUIRE APPROVAL FOR"})
        approves = "APPROV" in place.token.text.upper()
        fixes = [replace(place.token.span, "APPROVAL")] if approves else []
        return place.problem("S101", Message(_APPROVAL), hint, *fixes)
    return _required(place, previous)


def _required(place: Place, require: Token) -> Problem:
    """Report REQUIRE HUMAN APPROVAL FOR pay, REQUIRE amount < 100 FOR pay and REQUIRE pay."""
    line = place.rest_of_line()[1:]
    kinds = [token.type for token in line]
    if kinds[:2] == ["_APPROVAL", "_FOR"]:
        hint = Message(_REMOVE_HINT, {"found": shown(place.token)})
        away = delete(Span(place.token.start, line[0].start))
        return place.problem("S101", Message(_APPROVAL), hint, away)
    if "_FOR" in kinds:
        return place.problem("S101", Message(_APPROVAL), Message(_REQUIRED_HINT))
    hint = Message(_APPROVAL_HINT, {"found": place.token.text})
    return place.problem("S101", Message(_APPROVAL), hint, insert(require.end, " APPROVAL FOR"))


def on_name(place: Place) -> Problem | None:
    """Report ON UNKNOW, and ON with the name of an event or a message (S108, S116)."""
    previous, following = place.previous, place.following
    if place.token.type == "_ON" and following and _is_unknown(following):
        return _unknown(place, following)
    if not previous or previous.type != "_ON" or place.token.type != "NAME":
        return None
    if _is_unknown(place.token):
        return _unknown(place, place.token)
    if place.head != "AGENT" or get_close_matches(place.token.text.upper(), ["MESSAGE", "VERIFY"], 1, _ALIKE):
        return None
    end = place.index + 1
    while end + 1 < len(place.tokens) and place.tokens[end].type == "_DOT":
        end += 2
    name = place.source.text[place.token.start : place.tokens[end - 1].end]
    message, event = Message(_ON, {"found": shown(place.token)}), end > place.index + 1
    if not event:
        return place.problem("S116", message, Message(_ON_HINT, {"name": name}))
    # The name of a message is one word.
    hint = Message(_WRITE_HINT, {"text": f"EVENT {name}"})
    return place.problem("S116", message, hint, rewrite(hint, (previous.span, "EVENT")))


def on_unknown(place: Place) -> Problem | None:
    """Report `on unknown ESCALATE`, alone or read as two observations, and `NO unknown ESCALATE` (S108)."""
    word, unknown = _before(place, 2), place.previous
    if "_ON_UNKNOWN" in place.accepts and place.following and place.following.type == "NAME":
        word, unknown = place.token, place.following
    elif place.head != "OBSERVE" or place.token.type not in ("_ESCALATE", "_DEGRADE"):
        return None
    if not word or not unknown or not _means_unknown(unknown) or word.text.upper() not in _NEARLY_ON:
        return None
    span = word.span.to(unknown.span)
    values = {"word": place.source.slice(span), "wanted": "ON UNKNOWN"}
    fix = replace(span, "ON UNKNOWN")
    return place.problem("S108", Message(_UNKNOWN, values), Message(_UNKNOWN_HINT, values), fix, span=span)


def _means_unknown(token: Token) -> bool:
    return token.type == "_UNKNOWN" or _is_unknown(token)


def _is_unknown(token: Token) -> bool:
    return token.type == "NAME" and bool(get_close_matches(token.text.upper(), ["UNKNOWN"], 1, _ALIKE))


def _unknown(place: Place, token: Token) -> Problem:
    values = {"word": token.text, "wanted": "UNKNOWN"}
    begin = place.token.span if token is place.following else token.span
    fix = replace(begin.to(token.span), "UNKNOWN" if begin == token.span else "ON UNKNOWN")
    return place.problem(
        "S108", Message(_UNKNOWN, values), Message(_UNKNOWN_HINT, values), fix, span=token.span
    )


def expected_condition(place: Place) -> Problem | None:
    """Report EXPECT <condition> without its braces (S101)."""
    previous, following = place.previous, place.following
    if place.head != "SCENARIO" or not previous or previous.type != "_EXPECT" or place.token.type != "NAME":
        return None
    if not following or following.type not in COMPARISONS | {"_DOT"}:
        return None
    inside = condition_at(place, place.index)
    types = [token.type for token in inside]
    fits = place.cursor.would_accept("_LBRACE", *types, "_RBRACE")
    span = place.token.span.to(inside[-1].span)
    hint, ends = Message(_CONDITION_HINT), (Span(span.start, span.start), Span(span.end, span.end))
    behind = [token.type for token in place.rest_of_line()[len(inside) : len(inside) + 1]]
    opened = behind == ["_RBRACE"] and closes_more(place.source.text, place.openers[0].token.start)
    edits = ((ends[0], "{ "),) if opened else ((ends[0], "{ "), (ends[1], " }"))
    fixes = [rewrite(hint, *edits)] if fits else []
    return place.problem("S101", Message(_CONDITION), hint, *fixes, span=span)


def condition_at(place: Place, at: int) -> list[Token]:
    """Return the tokens of a condition that begins at `at`, up to a comma, a closer or another word."""
    depth, found = 0, list[Token]()
    for token in dataclasses.replace(place, index=at, token=place.tokens[at]).rest_of_line():
        depth += (token.type in CLOSERS) - (token.type in CLOSER_TEXTS)
        word = token.type.startswith("_") and token.text[0].isalpha() and token.type not in _OF_CONDITION
        if depth < 0 or (not depth and (word or token.type == "_COMMA")):
            break
        found.append(token)
    return found


def too_much(place: Place) -> Problem | None:
    """Report a word more before `{`: GOAL my goal {, LOOP MAX 6 TICKS { (S101)."""
    name, head, following = place.previous, _before(place, 2), place.following
    if "_LBRACE" not in place.accepts or not following or following.type != "_LBRACE" or not name or not head:
        return None
    if place.token.type != "NAME":
        return None
    message = Message(_TOO_MUCH, {"expected": expected(place), "found": shown(place.token)})
    if head.type == "_MAX":
        hint = Message(_REMOVE_HINT, {"found": shown(place.token)})
        return place.problem("S101", message, hint, delete(Span(place.token.start, following.start)))
    if head.text not in _NAMED or name.type != "NAME":
        return None
    hint = Message(_ONE_NAME_HINT, {"name": f"{name.text}_{place.token.text}"})
    return place.problem("S101", message, hint)


PHRASES: tuple[Callable[[Place], Problem | None], ...] = (
    default_alone,
    rule_target,
    approval,
    on_name,
    on_unknown,
    expected_condition,
    too_much,
)
