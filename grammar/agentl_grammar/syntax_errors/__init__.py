"""A token that cannot stand where it stands: what is wrong, in the words of the language, and the next step.

Each rule looks at a `Place` and returns a problem when it knows better than the rule behind it; the last
one always answers. Codes: S101 unexpected, S102 bracket missing, S103-S105 lexical, S106 no agent, S107
reserved word, S108 misspelt word, S109 comma, S110 `:` and `=`, S111 EVERY, S112 too deep, S113 and S114
repeated names (builder), S115 DEFAULT of POLICY, S116 wrong place, S117 kind of value, S118 name of a
field, S119 bracket too many, S120 chained comparison, S121 nothing asked or expected, S122 hyphen in a name.
"""

from __future__ import annotations

from collections.abc import Callable

from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors import (
    alone,
    apart,
    asserting,
    braces,
    brackets,
    conditional,
    foreign,
    forms,
    habits,
    items,
    misplaced,
    misspelt,
    negation,
    numbers,
    rules,
    sections,
    shares,
    steps,
    titles,
    values,
)
from agentl_grammar.syntax_errors.expectations import COMPARISONS, NUMBERS, SEPARATORS, expected
from agentl_grammar.syntax_errors.misspelt import CONDITIONS
from agentl_grammar.syntax_errors.next_step import next_step
from agentl_grammar.syntax_errors.numbers import is_unit
from agentl_grammar.syntax_errors.phrases import PHRASES
from agentl_grammar.syntax_errors.place import Place, delete, found, insert, replace
from agentl_grammar.syntax_errors.signs import SIGNS

_EMPTY = message_id("a program needs at least one AGENT")
_EMPTY_HINT = message_id("write `AGENT name {{ … }}`")
_TOO_DEEP = message_id("nested more than {limit} levels deep")
_TOO_DEEP_HINT = message_id("move the inner part to a PLAN or an expression of its own")
_EVERY = message_id("EVERY was removed from the language (1.8): it never scheduled anything")
_EVERY_HINT = message_id("say when to read it with a guard: WHEN <condition>")
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
_WRITE_HINT = message_id("write `{text}`")
_NO_VALUE = message_id("a field of a tool has a name and a type, no value")
_DEFAULT_VALUE = message_id("the value of a field stands behind DEFAULT")
_REMOVE_HINT = message_id("remove it")
_CHAIN = message_id("a comparison cannot be compared again")
_CHAIN_HINT = message_id("join two comparisons: a < b AND b < c")
_NO_EXPECT = message_id("{title} expects nothing: it needs at least one EXPECT")
_NO_EXPECT_HINT = message_id("add what must hold: EXPECT {{ … }}")
_NO_QUESTION = message_id("JUDGE needs at least one question")
_NO_QUESTION_HINT = message_id('add one: name NOUL "…", name CHOICE "…" {{ … }} or name SCORE "…" [ … ]')
_UNEXPECTED = message_id("expected {expected}, found {found}")
_ELSE = message_id("this ELSE belongs to no IF")
_ELSE_HINT = message_id("write IF <condition> THEN … before it")


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


def _no_agent(place: Place) -> Problem | None:
    if place.tokens:
        return None
    return place.problem("S106", Message(_EMPTY), Message(_EMPTY_HINT))


def _every(place: Place) -> Problem | None:
    if place.token.type != "_EVERY":
        return None
    line = [token for token in place.rest_of_line()[1:] if token.type not in SEPARATORS]
    read = place.head in ("OBSERVE", "AGENT")
    timed = read and bool(line) and line[0].type in NUMBERS and place.previous is not None
    last = line[1] if len(line) > 1 and is_unit(line[1].text) else line[0] if line else place.token
    fixes = [delete(Span(place.previous.end, last.end))] if timed and place.previous else []
    return place.problem("S111", Message(_EVERY), Message(_EVERY_HINT), *fixes)


def _lone_else(place: Place) -> Problem | None:
    if place.token.type != "_ELSE" or not (place.may_end() or place.starts_line()):
        return None
    return place.problem("S101", Message(_ELSE), Message(_ELSE_HINT))


def _chained(place: Place) -> Problem | None:
    if place.token.type not in COMPARISONS or "_AND" not in place.accepts or "_PLUS" not in place.accepts:
        return None
    middle = _middle(place)
    fixes = [insert(place.token.start, f"AND {middle} ")] if middle else []
    return place.problem("S120", Message(_CHAIN), Message(_CHAIN_HINT), *fixes)


def _middle(place: Place) -> str:
    """Return the operand between two comparisons when it is a path or a number."""
    start = place.index
    while start and place.tokens[start - 1].type in (*NUMBERS, "NAME", "_DOT"):
        start -= 1
    if start == place.index or place.tokens[start - 1].type not in COMPARISONS:
        return ""
    return place.source.text[place.tokens[start].start : place.tokens[place.index - 1].end]


def _nothing_asked(place: Place) -> Problem | None:
    if place.token.type != "_RBRACE" or "_RBRACE" in place.accepts or not place.inner:
        return None
    if place.head == "SCENARIO" and "_EXPECT" in place.accepts:
        message, hint = Message(_NO_EXPECT, {"title": place.inner.title}), Message(_NO_EXPECT_HINT)
    elif place.head == "JUDGE" and "_USING" in place.accepts:
        message, hint = Message(_NO_QUESTION), Message(_NO_QUESTION_HINT)
    else:
        return None
    return place.problem("S121", message, hint)


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
    # A value of a rule may be lost, which would be another rule without it.
    ruled = place.head in ("(", "[") and any(opener.head == "POLICY" for opener in place.openers)
    fixes = [] if ruled else [delete(place.token.span)]
    return place.problem("S109", message, hint, *fixes)


def _separator(place: Place) -> Problem | None:
    token, accepts, following = place.token, place.accepts, place.following
    wrong = {
        ("_EQ", "EQUAL"): (_EQUAL_NOT_ASSIGN, "=="),
        ("EQUAL", "_EQ"): (_ASSIGN_NOT_EQUAL, "="),
        ("_EQ", "_COLON"): (_TYPE_COLON, ":"),
        ("_COLON", "_EQ"): (_ASSIGN_COLON, "="),
    }
    value = _value_of_field(place)
    if value:
        return value
    # What is compared is missing: a value in its place would hold always.
    lacking = token.type == "EQUAL" and place.previous is not None and place.previous.type in CONDITIONS
    for (written, wanted), (message, text) in wrong.items():
        if token.type == written and wanted in accepts and not lacking:
            doubled = following is not None and following.type == "_EQ" and following.start == token.end
            span = token.span.to(following.span) if following and doubled else token.span
            hint = Message(_WRITE_HINT, {"text": text})
            # `=!` is one sign elsewhere, and means something else than the first half of it.
            halved = place.source.text[span.end : span.end + 1] == "!"
            fixes = [] if halved else [replace(span, text)]
            return place.problem("S110", Message(message), hint, *fixes, span=span)
    if token.type not in ("_COLON", "_EQ") or place.index + 1 >= len(place.tokens):
        return None
    if not place.cursor.would_accept(place.tokens[place.index + 1].type):
        return None
    if place.previous and place.previous.type in ("_SET", "_NOT"):
        return None
    return items.separator(place, place.tokens[place.index + 1])


def _value_of_field(place: Place) -> Problem | None:
    """Report `name: Type = value`."""
    following = place.following
    if place.token.type != "_EQ" or not following:
        return None
    given = following.type in (*NUMBERS, "STRING", "DATETIME")
    if "_COLON" in place.accepts and not given:
        return None
    if place.head == "PRODUCE" and "_DEFAULT" in place.accepts:
        message, hint = Message(_DEFAULT_VALUE), Message(_WRITE_HINT, {"text": "DEFAULT"})
        return place.problem("S110", message, hint, replace(place.token.span, "DEFAULT"))
    of_tool = len(place.openers) > 1 and place.openers[-2].head == "TOOL" and place.head == "("
    if not (of_tool or place.head in ("INPUT", "OUTPUT", "TOOL")) or not (given or following.type == "NAME"):
        return None
    span = place.token.span.to(following.span)
    return place.problem("S110", Message(_NO_VALUE), Message(_REMOVE_HINT), delete(span), span=span)


def _unexpected(place: Place) -> Problem:
    """Report what no rule knows more about, with the next step that makes the text go on."""
    message = Message(_UNEXPECTED, {"expected": expected(place), "found": found(place)})
    hint, fixes = next_step(place)
    return place.problem("S101", message, hint, *fixes)


_RULES: tuple[Callable[[Place], Problem | None], ...] = (
    _no_agent,
    forms.form,
    values.unnamed,
    braces.unopened,
    braces.separated,
    brackets.closed_early,
    brackets.too_many,
    brackets.stray,
    brackets.opened_anew,
    brackets.cut_short,
    brackets.round_list,
    misplaced.outside,
    rules.turned,
    negation.negation,
    numbers.time,
    conditional.conditional,
    conditional.behind,
    conditional.without_condition,
    _every,
    _nothing_asked,
    *habits.HABITS,
    *asserting.EXPECTATIONS,
    *shares.SHARES,
    foreign.hyphen,
    foreign.assignment,
    foreign.power,
    foreign.until,
    foreign.on_fail,
    foreign.indexing,
    titles.title,
    values.cut_path,
    values.nameless,
    values.variable,
    numbers.grouped,
    numbers.dotted,
    apart.number,
    *SIGNS,
    *PHRASES,
    values.missing,
    _comma,
    rules.default,
    rules.branch,
    misspelt.keyword,
    sections.section,
    habits.expected_name,
    misspelt.earlier_keyword,
    alone.alone,
    foreign.word,
    steps.wordless,
    _separator,
    values.number,
    values.kind,
    misplaced.field_name,
    misplaced.step,
    misplaced.second_guard,
    misplaced.second_target,
    forms.behind_rule,
    misplaced.send,
    values.called,
    misplaced.member,
    brackets.swallowed,
    brackets.open_on_its_line,
    brackets.missing,
    brackets.wrong_kind,
    braces.opening,
    misplaced.member_or_statement,
    _chained,
    _lone_else,
    values.reserved,
)
