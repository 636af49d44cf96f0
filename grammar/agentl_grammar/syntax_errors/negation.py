"""A word that denies, where no condition begins: how that is written here (S101, S105).

Without the word the text would say the opposite: no help tells to leave it out.
"""

from __future__ import annotations

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.syntax_errors.expectations import COMPARISONS
from agentl_grammar.syntax_errors.place import Place

_HERE = message_id("`{word}` cannot stand here")
_GUARD = message_id("write WHEN NOT (<condition>)")
_DENY = message_id("write DENY {name}, or NEVER {name} for what no other rule may allow")
_ALLOW = message_id("write ALLOW {name}")
_NO_APPROVAL = message_id("write ALLOW {name}: no approval is asked for then")
_DEFAULT = message_id("write DENY: what no rule allows is denied then")
_COMPARE = message_id("write `!=` for `not ==`, or NOT before the whole comparison: NOT ({name} {sign} …)")
_VALUE = message_id("write {name} != <value>")
_RULE_OF_ITS_OWN = message_id("write a rule of its own for what is excepted: {verdict} <tool>")
_ONE_OF = message_id("write one of the two: {one} {name} or {other} {name}")
_CONDITION = message_id("write AND NOT (<condition>)")
_JOINED = message_id(
    "write AND NOT (<condition>) where both must hold, OR NOT (<condition>) where one is enough"
)
DENIAL = message_id("NOT stands before a condition; in a POLICY, DENY or NEVER tells what must not be done")

_NEGATING = frozenset(("NOT", "EXCEPT", "EXCEPTING", "BUT"))
_RULES = {"_ALLOW": _DENY, "_DENY": _ALLOW, "_NEVER": _ALLOW, "_REQUIRE": _NO_APPROVAL}
_WHOLE = {"_REQUIRE": "REQUIRE APPROVAL FOR"}
_GUARDS = ("_WHEN", "_IF")
_BESIDE = ("_APPROVAL", "_FOR", "_NEVER_ANY_CASE")
_FAR = 12
_SIGNS = (COMPARISONS - {"_IN"}) | {"_EQ"}


def negation(place: Place) -> Problem | None:
    """Report NOT, EXCEPT and the like between the words of a rule, behind a guard, or behind a value."""
    expects = place.head == "SCENARIO" and any(token.type == "_EXPECT" for token in place.line_so_far())
    at = None if expects else _word_at(place)
    if at is None or (at and place.tokens[at - 1].type == "_DEFAULT"):
        return _two_verdicts(place)
    hint = _hint(place, at)
    word = place.tokens[at]
    return place.problem("S101", Message(_HERE, {"word": word.text}), hint, span=word.span) if hint else None


def _two_verdicts(place: Place) -> Problem | None:
    """Report ALLOW DENY pay."""
    token, previous = place.token, place.previous
    if place.head != "POLICY" or not previous or previous.type not in _RULES or token.type not in _RULES:
        return None
    if place.index > 1 and place.tokens[place.index - 2].type == "_DEFAULT":
        return None
    behind = place.rest_of_line()[1:]
    if token.type == "_REQUIRE":
        behind = [each for each in behind if each.type not in _BESIDE]
    name = behind[0].text if behind and behind[0].type in ("NAME", "_STAR") else "<tool>"
    one, other = (_WHOLE.get(each.type, each.text) for each in (previous, token))
    values = {"one": one, "other": other, "name": name}
    return place.problem("S101", Message(_HERE, {"word": token.text}), Message(_ONE_OF, values))


def negated_sign(before: str, name: str) -> Message | None:
    """Return what to write for a `!` that stands `before` a name, unless a condition begins there."""
    word = "".join(before.split()[-1:]).upper()
    if word == "DEFAULT":
        return Message(_DEFAULT)
    template = _RULES.get("_REQUIRE" if word in ("FOR", "APPROVAL") else f"_{word}")
    return Message(template, {"name": name or "<tool>"}) if template else None


def _word_at(place: Place) -> int | None:
    """Return the index of the token that denies: at the place, or before it where it was read as a name."""
    token, previous = place.token, place.previous
    if denies(token):
        return place.index
    if token.text.upper() == "DO" and place.following and denies(place.following):
        return place.index + 1
    if not previous or place.line(previous) != place.line(token):
        return None
    if token.type in _GUARDS and previous.type == "_NEVER" and not _begins(place, place.index - 1):
        return place.index - 1
    before = place.tokens[place.index - 2] if place.index > 1 else None
    doubtful = token.type in _SIGNS or (before and before.type in (*_RULES, "_FOR"))
    return place.index - 1 if doubtful and before and denies(previous) else None


def denies(token: Token) -> bool:
    """Tell whether a word is one that denies what follows it, or excepts it."""
    denies = token.text.upper() in _NEGATING or token.text == "NO"
    return denies and token.type in ("NAME", "_NOT")


def _begins(place: Place, at: int) -> bool:
    return at == 0 or place.line(place.tokens[at - 1]) < place.line(place.tokens[at])


def _hint(place: Place, at: int) -> Message | None:
    tokens = place.tokens
    word, before = tokens[at], tokens[at - 1] if at else None
    behind = [token for token in tokens[at + 1 : at + _FAR] if not denies(token)]
    following = behind[0].type if behind else ""
    if behind and behind[0].text.upper() == "IN":
        return None
    if following in _GUARDS:
        return Message(_GUARD)
    if before and following in _SIGNS and not _is_set(place, at):
        sign = "==" if following == "_EQ" else behind[0].text
        return Message(_COMPARE, {"name": _path(place, at), "sign": sign})
    said = _of_rule(place, at, behind) if place.head == "POLICY" else None
    stray = place.may_end() or "_LBRACE" in place.accepts
    if said or not stray or (_begins(place, at) and place.head == "POLICY"):
        return said
    return Message(_CONDITION if word.text != "NOT" and "_AND" in place.accepts else DENIAL)


def _is_set(place: Place, at: int) -> bool:
    return any(token.type == "_SET" for token in place.tokens[max(0, at - 2) : at])


def _of_rule(place: Place, at: int, behind: list[Token]) -> Message | None:
    """Return how the rule around the word at `at` is written."""
    following = behind[0].type if behind else ""
    rule, guarded = _rule(place, at)
    if following in _RULES and (rule is None or _begins(place, at) or place.tokens[at - 1].text == "DO"):
        rule, at = behind[0], at + 1
    elif rule is None or (_begins(place, at) and place.tokens[at].text.upper() == "NOT"):
        return None
    elif guarded:
        named = place.tokens[at].text.upper() == "NOT"
        if named and _is_compared(place, at):
            return Message(_JOINED)
        return Message(_VALUE, {"name": _path(place, at)}) if named else Message(_CONDITION)
    elif place.tokens[at - 1].type not in (*_RULES, *_BESIDE):
        compared = any(token.type in COMPARISONS for token in behind[1:4])
        verdict = "DENY" if rule.type in ("_ALLOW", "_REQUIRE") else "ALLOW"
        return Message(_GUARD) if compared else Message(_RULE_OF_ITS_OWN, {"verdict": verdict})
    name = next((token.text for token in behind if token.type in ("NAME", "_STAR")), "<tool>")
    return Message(_RULES[rule.type], {"name": name})


def _is_compared(place: Place, at: int) -> bool:
    """Tell whether a comparison ends before token `at`."""
    start = at - 1
    while start > 1 and place.tokens[start - 1].type == "_DOT":
        start -= 2
    return place.tokens[start - 1].type in COMPARISONS


def _rule(place: Place, at: int) -> tuple[Token | None, bool]:
    """Return the word of the rule that token `at` stands in, and whether its guard has begun."""
    guarded = False
    for index in range(at - 1, 0, -1):
        token, before = place.tokens[index], place.tokens[index - 1]
        if token.type in ("_LBRACE", "_RBRACE", "_SEND") or before.type == "_DEFAULT":
            break
        if token.type in _RULES:
            return token, guarded
        guarded = guarded or token.type in _GUARDS
    return None, guarded


def _path(place: Place, end: int) -> str:
    """Return the path that ends before token `end`."""
    start = end - 1
    while start > 1 and place.tokens[start - 1].type == "_DOT":
        start -= 2
    return place.source.text[place.tokens[start].start : place.tokens[end - 1].end]
