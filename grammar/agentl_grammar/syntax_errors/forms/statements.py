"""Signs and words that say too much in a statement, and messages, as other languages write them."""

from __future__ import annotations

from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import STATEMENT, VALUE, Form

_BETWEEN = message_id("nothing stands between VERIFY and its condition")
_REMOVE = message_id("remove `{item}`")
_MESSAGE = message_id("a MESSAGE has its parts in braces")
_ALONE = message_id("remove `{word}`")
_SENDS = message_id("a MESSAGE is sent where it stands")
_PASSES = message_id("DELEGATE passes paths, without values")
_SET = message_id("write SET {name} = {value} before it, and {name} alone in INPUT")
_KNOWN = message_id("no comparison asks whether a value is known")
_OF_RULE = message_id(
    "a rule needs no such test: while a value is not known, NEVER, DENY and REQUIRE hold, and ALLOW does not"
)
_CONFIDENCE = message_id(
    "write CONFIDENCE({value}) > 0 for what is known, CONFIDENCE({value}) == 0 for what is not"
)
_EXISTS = r"(?P<word>(?i:EXISTS|DEFINED|EXISTING)) (?P<value>%path)"
_TO = r"MESSAGE (?P<name>%name) (?P<at>(?:TO) (?P<to>%name))"
_FIELD = r"(?P<key>%name) : (?P<value>%value)"
_OTHER = r"(?P<other>%name) : (?P<its_value>%value)"
_PAIRS = r"%path = %value(?: ,? ?%path = %value)*"

# A sign of other languages, and the one that stands for it where the terminal may.
_SIGNS = (("_EQ", ": =", "="), ("EQUAL", "== =", "=="), ("NOT_EQUAL", "!= =", "!="))

STATEMENTS: tuple[Form, ...] = (
    *(Form(frozenset((where,)), sign, write=written) for where, sign, written in _SIGNS),
    Form(frozenset(("_COLON",)), ": =(?= %name)", write=":", heads=("INPUT", "OUTPUT", "PRODUCE", "(")),
    Form(
        STATEMENT,
        r"VERIFY (?P<item>(?i:THAT|WHETHER)) (?P<condition>[^{}\n]+?)(?=\n| \}|$)",
        _BETWEEN,
        _REMOVE,
        write="VERIFY {condition}",
        at="item",
    ),
    Form(
        STATEMENT, r'(?P<verify>VERIFY(?: ")?) (?P<item>[:=])', _BETWEEN, _REMOVE, write="{verify}", at="item"
    ),
    Form(
        STATEMENT,
        rf"{_TO} \{{ {_FIELD} \}}",
        _MESSAGE,
        write="MESSAGE {name} {{ TO {to} PAYLOAD {{ {key} = {value} }} }}",
        at="at",
    ),
    Form(
        STATEMENT,
        rf"{_TO} \{{ {_FIELD} ,? ?{_OTHER} \}}",
        _MESSAGE,
        write="MESSAGE {name} {{ TO {to} PAYLOAD {{ {key} = {value} {other} = {its_value} }} }}",
        at="at",
    ),
    Form(
        STATEMENT,
        rf"(?P<word>(?i:SEND)) {_TO} \{{ (?P<pairs>{_PAIRS}) \}}",
        _SENDS,
        write="MESSAGE {name} {{ TO {to} PAYLOAD {{ {pairs} }} }}",
        at="word",
    ),
    Form(
        STATEMENT,
        rf"(?P<word>(?i:SEND)) {_TO}(?! \{{)",
        _SENDS,
        write="MESSAGE {name} {{ TO {to} }}",
        at="word",
    ),
    Form(STATEMENT, r"(?P<word>(?i:SEND)) (?P<message>MESSAGE)", _SENDS, _ALONE, write="MESSAGE", at="word"),
    Form(
        STATEMENT,
        r"DELEGATE %path \{[^{}]*INPUT \{\s(?:%name ,?\s?)*(?P<name>%name) (?P<given>= (?P<value>%value))",
        _PASSES,
        _SET,
        at="given",
        code="S110",
    ),
    Form(VALUE, _EXISTS, _KNOWN, _OF_RULE, at="word", heads=("POLICY",)),
    Form(VALUE, _EXISTS, _KNOWN, _CONFIDENCE, at="word"),
)
