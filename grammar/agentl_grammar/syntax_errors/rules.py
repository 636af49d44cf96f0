"""What a rule of a POLICY, or its DEFAULT, cannot say (S115, S116). No fix makes a policy weaker."""

from __future__ import annotations

import dataclasses

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.syntax_errors.misspelt import meant_of, written
from agentl_grammar.syntax_errors.place import Place, replace

_DEFAULT = message_id("DEFAULT of a POLICY: expected ALLOW or DENY, found `{word}`")
_TURNED = message_id("{word} stands behind DEFAULT, not before it")
_WRITE_HINT = message_id("write `{text}`")
_DEFAULT_HINT = message_id("write ALLOW or DENY")
_DENY_HINT = message_id("write DENY: what no rule allows is denied then")
_ASK_HINT = message_id(
    "write REQUIRE APPROVAL FOR * to have a person asked for every tool, and DEFAULT ALLOW"
)
_BRANCH = message_id("a rule has no {word}")
_ELSE_HINT = message_id("write a rule of its own for the other case, with the guard WHEN NOT (<condition>)")
_THEN_HINT = message_id("a rule ends with its guard: what is done in that case stands in a PLAN")
_ASKING = ("ASK", "APPROVE", "APPROVAL", "REQUIRE", "CONFIRM", "ESCALATE")
_VERDICTS = ("_ALLOW", "_DENY")
_TARGETS = ("NAME", "_STAR", "_SEND")
RULES = ("_ALLOW", "_DENY", "_NEVER", "_REQUIRE", "_DEFAULT")


def default(place: Place) -> Problem | None:
    """Report anything but ALLOW or DENY behind DEFAULT in a POLICY (S115)."""
    if place.head != "POLICY" or not {"_ALLOW", "_ALLOW_ANY_CASE"} <= place.accepts:
        return None
    words = _words(place)
    span = words[0].span.to(words[-1].span)
    message = Message(_DEFAULT, {"word": place.source.slice(span)})
    said = [word.text.upper() for word in words]
    if said == ["NOT", "ALLOW"] or (said == ["NEVER"] and not _begins_rule(place)):
        return place.problem("S115", message, Message(_DENY_HINT), replace(span, "DENY"), span=span)
    if said[0] in _ASKING:
        return place.problem("S115", message, Message(_ASK_HINT), span=span)
    verdict = meant_of(place.token.text.strip('"'), ["ALLOW", "DENY"]) if len(words) == 1 else None
    fixes = [written(place.token, verdict)] if verdict else []
    return place.problem("S115", message, Message(_DEFAULT_HINT), *fixes, span=span)


def turned(place: Place) -> Problem | None:
    """Report ALLOW DEFAULT (S115)."""
    previous = place.previous
    if (
        place.head != "POLICY"
        or place.token.type != "_DEFAULT"
        or not previous
        or previous.type not in _VERDICTS
    ):
        return None
    text = f"DEFAULT {previous.text}"
    span = previous.span.to(place.token.span)
    hint = Message(_WRITE_HINT, {"text": text})
    fix = dataclasses.replace(replace(span, text), guess=True)
    return place.problem("S115", Message(_TURNED, {"word": previous.text}), hint, fix, span=span)


def _words(place: Place) -> list[Token]:
    """Return what stands for the verdict: one word, NOT and a verdict, or REQUIRE and what belongs to it."""
    line = [place.token, *place.rest_of_line()[1:]]
    kinds = [token.type for token in line]
    if kinds[0] == "_NOT" and len(line) > 1 and kinds[1] in _VERDICTS:
        return line[:2]
    return line[:2] if kinds[:2] == ["_REQUIRE", "_APPROVAL"] and "_FOR" not in kinds else line[:1]


def _begins_rule(place: Place) -> bool:
    """Tell whether the target of a rule stands behind the word, on its line."""
    return any(token.type in _TARGETS for token in place.rest_of_line()[1:2])


def branch(place: Place) -> Problem | None:
    """Report THEN and ELSE behind a rule of a POLICY (S116)."""
    if place.head != "POLICY" or place.token.type not in ("_THEN", "_ELSE"):
        return None
    hint = _ELSE_HINT if place.token.type == "_ELSE" else _THEN_HINT
    return place.problem("S116", Message(_BRANCH, {"word": place.token.text}), Message(hint))
