"""A word of the language at a place where another part of the language stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import takewhile

from agentl_grammar.cutting.lines import is_nearly_agent
from agentl_grammar.lexer import END, Token
from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import MEMBERS, PHASES, STATEMENT
from agentl_grammar.syntax_errors.place import Opener, Place, delete, insert, replace, rewrite

OUTSIDE = message_id("only AGENT can stand here, found `{word}`")
_OUTSIDE_HINT = message_id("put it inside an agent, AGENT name {{ … }}, or behind `#` as a comment")
_STATEMENT = message_id("`{word}` is a statement: it cannot stand directly in AGENT")
_STATEMENT_HINT = message_id("put it in a PLAN, an EVENT, an ON handler or the LOOP")
_CALL_HINT = message_id(
    "calls, triggers and assignments stand in a PLAN, an EVENT, an ON handler or the LOOP"
)
_RULE_ALONE = message_id("`{word}` begins a rule: it cannot stand directly in AGENT")
_POLICY_HINT = message_id("put it in a POLICY {{ … }}")
_IN_POLICY_HINT = message_id("put it before the `}}` on line {line}, which closes POLICY")
UNKNOWN = message_id("`{word}` is no section of AGENT")
_UNKNOWN_HINT = message_id(
    "an agent is made of GOAL, OBSERVE, BELIEF, MEMORY, TOOL, POLICY, PLAN, EVENT, DECIDE, LOOP …"
)
MEMBER = message_id("`{word}` is a member of AGENT: it cannot stand in {title}")
_MEMBER_HINT = message_id("close {title} first, opened on line {line}")
_OUT_HINT = message_id("put it behind the `}}` of {title}, directly in AGENT")
_DECIDE = message_id("DECIDE takes IF rules, RULES {{ … }} and one REASON, found `{word}`")
_DECIDE_HINT = message_id(
    "write IF <condition> THEN …; other statements stand in a PLAN that the rule triggers"
)
MIXED = message_id("a PLAN is either STEPs or one plain list of statements, not both")
_MIXED_HINT = message_id("put every statement of {title} into a STEP")
_OPTION = message_id("`{word}` cannot be the name of a field here")
_INPUT_HINT = message_id(
    "write the options behind the field, once each: name: Type BIND path ATTESTS parameter"
)
_OUTPUT_HINT = message_id('an OUTPUT field has a name and a type only; a name in quotes is allowed: "{word}"')
_PRODUCE_HINT = message_id(
    "write the options behind the field, in this order: name: Type IN [ … ] DEFAULT value"
)
_QUESTION_HINT = message_id('choose another name, or put it in quotes: "{word}"')
_GUARD = message_id("a rule has one guard, IF or WHEN")
_GUARD_HINT = message_id("join the two conditions with AND")
_GROUPS_HINT = message_id("join the two conditions with AND, each in parentheses: (…) AND (…)")
_JOIN_HINT = message_id("join them: AND where {rule} is for both at once, OR where one of the two is enough")
_TARGET = message_id("a rule names one tool")
_TARGET_HINT = message_id("write a rule for each: {rule} {tool}")
_GUARDED_HINT = message_id("write {rule} for each of them, each with its guard")
_SEND = message_id("SEND stands behind NEVER")
_SEND_HINT = message_id("write NEVER SEND <path>")
# A guard is no longer than this.
_FAR = 200
_CONSTANTS = ("NUMBER", "PERCENT", "TIMESPAN", "STRING", "NAME", "DATETIME")
_RULES = ("_ALLOW", "_DENY", "_NEVER", "_REQUIRE")
_NEXT_RULE = (*_RULES, "_DEFAULT", "_RBRACE")
_BEHIND_TARGET = frozenset(("_COMMA", "_AND", "_OR", "_WHEN", "_IF", *_NEXT_RULE))
_OPTIONS = ("_BIND", "_ATTESTS", "_IN", "_DEFAULT", "_USING", "_TASK", "_ABSTAIN")


def outside(place: Place) -> Problem | None:
    """Report anything but AGENT at the top level (S116)."""
    if place.openers or "_AGENT" not in place.accepts or place.token.type in (END, "_RBRACE", "_COMMA"):
        return None
    if not place.tokens or "NAME" in place.accepts or is_nearly_agent(place.token.text):
        return None
    message = Message(OUTSIDE, {"word": place.token.text.split("\n")[0]})
    return place.problem("S116", message, Message(_OUTSIDE_HINT))


def member_or_statement(place: Place) -> Problem | None:
    """Report a statement in AGENT, a member in another block, or what DECIDE does not take (S116)."""
    token, inner = place.token, place.inner
    values: dict[str, object] = {"word": token.text}
    if inner is None or not (token.type == "NAME" or token.text[:1].isalpha()):
        return None
    if place.head == "AGENT" and "_POLICY" in place.accepts:
        return _in_agent(place)
    if place.head == "DECIDE" and "_RULES" in place.accepts:
        return place.problem("S116", Message(_DECIDE, values), Message(_DECIDE_HINT))
    if token.type in MEMBERS - PHASES and inner.token.type == "_LBRACE" and inner.closer in place.accepts:
        holder = place.holder or inner
        values |= {"title": holder.title, "line": place.line(holder.token)}
        return place.problem("S116", Message(MEMBER, values), Message(_MEMBER_HINT, values))
    return None


def _in_agent(place: Place) -> Problem:
    """Report a rule, a statement or an unknown word directly in AGENT (S116)."""
    values, kind = {"word": place.token.text}, place.token.type
    if kind in _RULES:
        return place.problem("S116", Message(_RULE_ALONE, values), _into_policy(place))
    if kind in STATEMENT | PHASES:
        return place.problem("S116", Message(_STATEMENT, values), Message(_STATEMENT_HINT))
    hint = _CALL_HINT if _is_call(place) else _UNKNOWN_HINT
    return place.problem("S116", Message(UNKNOWN, values), Message(hint))


def _into_policy(place: Place) -> Message:
    """Return where a rule behind the end of a POLICY belongs."""
    depth = 0
    for at in range(place.index - 1, max(1, place.index - _FAR), -1):
        depth += (place.tokens[at].type == "_RBRACE") - (place.tokens[at].type == "_LBRACE")
        if depth <= 0:
            closed = depth == 0 and place.tokens[at - 1].type == "_POLICY" and place.previous
            line = place.line(place.previous) if closed and place.previous else 0
            return Message(_IN_POLICY_HINT, {"line": line}) if line else Message(_POLICY_HINT)
    return Message(_POLICY_HINT)


def member(place: Place) -> Problem | None:
    """Report a member in a block that is closed, or goes on, further down (S116)."""
    token, inner, holder = place.token, place.inner, _holder(place)
    phase = place.previous if token.type == "_LBRACE" else None
    if phase and phase.type in ("_OBSERVE", "_DECIDE"):
        token = phase
    if token.type not in MEMBERS or not holder or not inner or inner.token.type != "_LBRACE":
        return None
    if not (token is phase or place.may_end()) or not (_is_closed(place, holder) or _goes_on(place)):
        return None
    behind = place.openers[: place.openers.index(holder) : -1]
    if place.cursor.missing([opener.closer for opener in behind], [token.type]):
        return None
    values = {"word": token.text, "title": holder.title}
    return place.problem("S116", Message(MEMBER, values), Message(_OUT_HINT, values), span=token.span)


def _holder(place: Place) -> Opener | None:
    """Return the innermost `{` of a member whose line begins before that of the place."""
    own = place.indent(place.token)
    written = [opener for opener in place.openers if opener.written and opener.head != "AGENT"]
    return next((opener for opener in reversed(written) if place.indent(opener.token) < own), None)


def _is_closed(place: Place, opener: Opener) -> bool:
    """Tell whether a `{` is closed behind the place, by a `}` below it that stands alone."""
    depth = sum(other.token.type == "_LBRACE" for other in place.openers[place.openers.index(opener) :])
    for at in range(place.index, len(place.tokens)):
        token = place.tokens[at]
        depth += (token.type == "_LBRACE") - (token.type == "_RBRACE")
        if not depth:
            below = place.line(place.tokens[at - 1]) < place.line(token)
            return below and place.indent(token) == place.indent(opener.token)
    return False


def _goes_on(place: Place) -> bool:
    """Tell whether a line below, at the column of the line of the place, is no member and ends no block."""
    own = place.indent(place.token)
    for at in range(place.index + 1, len(place.tokens)):
        token = place.tokens[at]
        if place.line(place.tokens[at - 1]) < place.line(token) and place.indent(token) <= own:
            return place.indent(token) == own and token.type not in {"_RBRACE", *(MEMBERS - PHASES)}
    return False


def _is_call(place: Place) -> bool:
    following = place.tokens[place.index + 1 : place.index + 2]
    return bool(following) and following[0].type in ("_LPAR", "_DOT", "_EQ")


def step(place: Place) -> Problem | None:
    """Report STEP behind plain statements, and statements behind a STEP in braces (S116)."""
    if place.head != "PLAN" or not place.inner:
        return None
    late_step = place.token.type == "_STEP"
    late_statement = "_STEP" in place.accepts and place.token.type in STATEMENT | PHASES | {"NAME"}
    if not late_step and not late_statement:
        return None
    return place.problem("S116", Message(MIXED), Message(_MIXED_HINT, {"title": place.inner.title}))


def second_guard(place: Place) -> Problem | None:
    """Report IF … WHEN … in one rule of a POLICY (S116)."""
    if place.head != "POLICY" or place.token.type not in ("_IF", "_WHEN") or "_AND" not in place.accepts:
        return None
    before = place.tokens[max(0, place.index - _FAR) : place.index]
    rule = next((token.text for token in reversed(before) if token.type in _NEXT_RULE), "NEVER")
    behind = takewhile(
        lambda token: token.type not in _NEXT_RULE, place.tokens[place.index : place.index + _FAR]
    )
    groups = any(token.type == "_OR" for token in (*_of_rule(before), *behind))
    message, both = Message(_GUARD), replace(place.token.span, "AND")
    if rule == "ALLOW":
        hint, fixes = (_GROUPS_HINT, []) if groups else (_GUARD_HINT, [both])
        return place.problem("S116", message, Message(hint), *fixes)
    # With AND it forbids less, and only the author knows.
    either = dataclasses.replace(replace(place.token.span, "OR"), guess=True)
    fixes = [either] if groups else [either, dataclasses.replace(both, guess=True)]
    return place.problem("S116", message, Message(_JOIN_HINT, {"rule": rule}), *fixes)


def _of_rule(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens behind the last word that begins a rule, backwards."""
    return takewhile(lambda token: token.type not in _NEXT_RULE, reversed(tokens))


def send(place: Place) -> Problem | None:
    """Report SEND that begins a rule of a POLICY (S116)."""
    if place.head != "POLICY" or place.token.type != "_SEND":
        return None
    message, hint, following = Message(_SEND), Message(_SEND_HINT), place.following
    if not following or following.type != "_NEVER":
        return place.problem("S116", message, hint)
    span = place.token.span.to(following.span)
    return place.problem("S116", message, hint, rewrite(hint, (span, "NEVER SEND")), span=span)


def second_target(place: Place) -> Problem | None:
    """Report `ALLOW a, b` and `NEVER a AND b` (S116)."""
    previous = place.previous
    joins = place.token.text.upper() in ("AND", "OR")
    if place.head != "POLICY" or not previous or not (joins or previous.type == "_COMMA"):
        return None
    begin = place.index + joins
    rule, end = _rule(place, place.index if joins else place.index - 1), begin
    while end < len(place.tokens) and place.tokens[end].type in ("NAME", "_DOT"):
        end += 1
    behind = [token.type for token in place.tokens[end : end + 1]]
    if not rule or begin == end or not _BEHIND_TARGET.issuperset(behind):
        return None
    if _is_guarded(place):
        # The guard would hold for the last tool alone.
        return place.problem("S116", Message(_TARGET), Message(_GUARDED_HINT, {"rule": rule}))
    tool = place.source.text[place.tokens[begin].start : place.tokens[end - 1].end]
    hint = Message(_TARGET_HINT, {"rule": rule, "tool": tool})
    if rule == "NEVER" and not joins and _is_dotted(place):
        # SEND may be lost, which takes a list of paths.
        return place.problem("S116", Message(_TARGET), hint)
    fix = replace(place.token.span, rule) if joins else insert(previous.end, f" {rule}")
    # What would allow something is for a person to take.
    return place.problem("S116", Message(_TARGET), hint, dataclasses.replace(fix, guess=rule == "ALLOW"))


def _is_dotted(place: Place) -> bool:
    """Tell whether one of the targets on the line has a dot."""
    return any(token.type == "_DOT" for token in (*place.line_so_far(), *place.rest_of_line()))


def _rule(place: Place, end: int) -> str:
    """Return the word of the rule whose target, or targets, end before token `end`; nothing if none does."""
    start, tokens = end, place.tokens
    while start and tokens[start - 1].type in ("NAME", "_DOT", "_COMMA"):
        start -= 1
    if start == end or not start or place.line(tokens[start - 1]) != place.line(place.token):
        return ""
    word = tokens[start - 1]
    if word.type == "_FOR":
        return "REQUIRE APPROVAL FOR"
    return word.text if word.type in ("_ALLOW", "_DENY", "_NEVER") else ""


def _is_guarded(place: Place) -> bool:
    """Tell whether a guard follows before the next rule."""
    told = (
        token.type for token in place.tokens[place.index :] if token.type in ("_WHEN", "_IF", *_NEXT_RULE)
    )
    return next(told, "") in ("_WHEN", "_IF")


def field_name(place: Place) -> Problem | None:
    """Report an option word where a field's name stands (S118)."""
    hints = {"INPUT": _INPUT_HINT, "OUTPUT": _OUTPUT_HINT, "TOOL": _OUTPUT_HINT, "(": _OUTPUT_HINT}
    hints |= {"PRODUCE": _PRODUCE_HINT, "JUDGE": _QUESTION_HINT}
    hint = hints.get(place.head)
    if hint is None or place.token.type not in _OPTIONS or "NUMBER" not in place.accepts:
        return None
    values = {"word": place.token.text}
    message, previous, following = Message(_OPTION, values), place.previous, place.following
    if previous and previous.type in ("_LBRACE", "_LPAR", "_COMMA"):
        fix = replace(place.token.span, f'"{place.token.text}"')
        return place.problem("S118", message, Message(_QUESTION_HINT, values), fix)
    if place.token.type == "_DEFAULT" and previous and following and following.type in _CONSTANTS:
        fix = delete(Span(previous.end, following.end))
        return place.problem("S118", message, Message(hint, values), fix)
    return place.problem("S118", message, Message(hint, values))
