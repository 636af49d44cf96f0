"""Which of several things of one name is meant."""

import pytest

from agentl_grammar.parser import parse
from agentl_grammar.symbols import Kind, Symbols, Use

HANDLED = "ON MESSAGE m { } ON MESSAGE n { }"
SENT = '} AGENT b { PLAN p { MESSAGE m { TO a PAYLOAD { k = 1 "k.l" = 2 } } }'


def symbols_of(text: str) -> Symbols:
    result = parse(text)
    assert result.problems == ()
    assert result.program is not None
    return Symbols(result.program)


def meant(text: str) -> list[Use]:
    """Return what is meant at `<name>` of a text."""
    start, end = text.index("<"), text.index(">") - 1
    uses = symbols_of(text.replace("<", "").replace(">", "")).uses
    return [use for use in uses if (use.span.start, use.span.end) == (start, end)]


@pytest.mark.parametrize(
    ("text", "kind", "scope"),
    [
        ("TOOL t { INPUT { w: S  p: S ATTESTS <w> } } TOOL u { INPUT { w: S } }", "parameter", "a/u"),
        ("TOOL { t(w: S) u(w: S) } POLICY { DENY * IF <w> == 1 }", "parameter", "a/*"),
        ("TOOL { t(w: S) u(v: S) } POLICY { REQUIRE APPROVAL FOR * IF <w> == 1 }", "parameter", "a/t"),
        ("TOOL { t(v: S) } POLICY { DENY * IF <w> == 1 }", "path", "a"),
        ("TOOL { t(w: S) } PLAN p { IF <w> == 1 THEN ESCALATE }", "path", "a"),
        ("POLICY { DENY * IF action.args.<w> == 1 }", "parameter", "a/*"),
        ("PLAN p { IF message.from == <b> THEN ESCALATE }", "agent", ""),
        ("SCENARIO s { GIVEN MESSAGE m FROM <b> { } EXPECT NO ERROR }", "agent", ""),
        ("PLAN p { MESSAGE m { TO <B> } } } AGENT b {", "agent", ""),
        ("PLAN p { DELEGATE <b> { } } } AGENT b {", "agent", ""),
        ("PLAN p { DELEGATE <b> { } }", "sub-agent", ""),
        ("PLAN p { DELEGATE <b> { } } TOOL { b }", "tool", "a"),
        ("PLAN p { DELEGATE b { } } POLICY { DENY * IF action.tool == <b> }", "sub-agent", ""),
        ('TOOL { b } POLICY { DENY * IF ATTESTED(x.y, "<b>") }', "tool", "a"),
        ("PLAN p { FOREACH i IN x.y { SET i.z = 1 } SET w = <i.z> }", "path", "a"),
        ("PLAN p { FOREACH i IN x.y { SET i.z = 1 } } POLICY { NEVER SEND <i>.z }", "variable", "a/*"),
        ("PLAN p { FOREACH i IN x.y { SET <i>.z = 1 } }", "variable", "a/plan:p/loop 1"),
        ("OBSERVE o.k PLAN p { DELEGATE b { } } POLICY { DENY b IF action.args.<o.k> }", "path", "a"),
        ("OBSERVE k PLAN p { DELEGATE b { } } POLICY { DENY b IF action.args.<i> == 1 }", "parameter", "a/b"),
        ("OBSERVE k TOOL { t(i: S) } POLICY { DENY t IF action.args.<k> == 1 }", "parameter", "a/t"),
        ("HYPOTHESIS h { PRIOR 0.2 } GOAL { <h.size> == 1 }", "path", "a"),
        ("TOOL { t } GOAL { <t.size> == 1 }", "path", "a"),
        ("TOOL t { INPUT { w: S } REQUIRES <w> == 1 }", "path", "a"),
        ("TOOL t { INPUT { w: S } EFFECT { x = <w> } }", "parameter", "a/t"),
        ("MEMORY { WRITE { STORE x INTO LONG_TERM.new } } GOAL { len(<new>) == 1 }", "bucket", "a/LONG_TERM"),
        ("MEMORY { WRITE { STORE x INTO short_term.a.b } } GOAL { <a.b> == 1 }", "bucket", "a/SHORT_TERM"),
        ("MEMORY { WRITE { STORE x INTO KNOWLEDGE } } GOAL { len(<records>) == 1 }", "bucket", "a/KNOWLEDGE"),
        ("MEMORY { WRITE { STORE x INTO SHARED.fresh } } GOAL { len(<fresh>) == 1 }", "path", "a"),
        ("EVENT e { IF payload.k == 3 AND <k> == 4 THEN ESCALATE }", "payload", "a/event e"),
        ("EVENT e { WHEN payload.k == 3 IF x.y == 1 THEN SET z = <k> + 1 }", "payload", "a/event e"),
        ("EVENT e { SET z = payload.k t(w = <k>) } TOOL { t(w: S) }", "path", "a"),
        ("EVENT e { SET z = payload.k t(k = <k>) } TOOL { t(k: S) }", "payload", "a/event e"),
        ("EVENT e { SET z = payload.k SET y = <k> }", "path", "a"),
        ("EVENT e { SET z = payload.k IF <k.l> == 1 THEN ESCALATE }", "path", "a"),
        ("EVENT e { SET z = payload.k } EVENT f { IF <k> == 1 THEN ESCALATE }", "path", "a"),
        ("ON MESSAGE m { IF payload.k == 3 AND <k> == 4 THEN ESCALATE }", "payload", "message m"),
        (f"{HANDLED} PLAN x {{ SET y = <k> }} {SENT}", "payload", "message m"),
        (f"ON MESSAGE m {{ SET y = payload.<k.l> }} {SENT}", "payload", "message m"),
    ],
)  # fmt: skip
def test_one_of_several_is_meant(text: str, kind: str, scope: str):
    assert [(use.kind, use.scope) for use in meant(f"AGENT a {{ {text} }}")] == [(kind, scope)]


@pytest.mark.parametrize(
    "text",
    [
        'POLICY { DENY * IF action.tool == "<b\\"c>" }',
        'POLICY { DENY * IF action.tool == "<>" }',
        'POLICY { DENY * IF action.tool IN "<b>" }',
        f"{HANDLED} PLAN x {{ SET y = payload.<k> MESSAGE n {{ TO a PAYLOAD {{ k = 1 }} }} }} {SENT}",
    ],
)
def test_nothing_certain_is_not_told(text: str):
    assert meant(f"AGENT a {{ {text} }}") == []


def test_a_loop_in_a_second_plan_of_the_name_is_another():
    text = (
        "AGENT a { PLAN p { FOREACH i IN x.y { SET b = i.c } } PLAN p { FOREACH i IN x.y { SET b = i.d } } }"
    )
    symbols = symbols_of(text)
    used = symbols.at(text.index("i.d"))
    assert used
    assert [use.span.start for use in symbols.same(used)] == [text.rindex("i IN"), text.index("i.d")]


def test_a_name_is_told_before_the_fact_that_it_is():
    text = "AGENT a { PLAN p { REASON { PRODUCE { confidence: Number } } } GOAL { confidence < 1 } }"
    symbols = symbols_of(text)
    used = symbols.at(text.index("confidence <"))
    assert used
    assert (used.kind, len(symbols.declarations(used))) == (Kind.FIELD, 1)


def test_what_one_place_means_at_once_has_one_name():
    text = "AGENT a { TOOL { t(w: S) u(w: S) v(x: S) } POLICY { DENY * IF w == 1 DENY t IF w == 2 } }"
    symbols = symbols_of(text)
    used = symbols.at(text.index("w == 2"))
    assert used
    places = [text.index("w: "), text.index("w == 1"), text.index("w == 2")]
    assert [use.span.start for use in symbols.same(used)] == places
    assert [use.span.start for use in symbols.linked(used)] == sorted([*places, text.index("w: S) v")])


def test_a_path_that_is_a_field_too_is_declared_where_it_is_set():
    text = "AGENT a { PLAN p { REASON { PRODUCE { risk: Symbol } } SET risk = low } GOAL { risk == low } }"
    read = [use for use in symbols_of(text).uses if use.span.start == text.index("risk ==")]
    declared = {
        use.kind: [
            text[other.span.start - 4 : other.span.start] for other in symbols_of(text).declarations(use)
        ]
        for use in read
    }
    assert declared == {Kind.PATH: ["SET "], Kind.FIELD: ["E { "]}
