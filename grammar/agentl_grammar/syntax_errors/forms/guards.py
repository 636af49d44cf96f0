"""Guards of plans and rules at another place, or in other words, than those of this language."""

from __future__ import annotations

from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import MEMBER, RULE, VALUE, Form

_ONE = message_id("a PLAN has one guard, before its `{{`")
_JOIN = message_id("join the two conditions with AND")
_WHO = message_id("a rule does not say who approves: the host asks")
_RISK = message_id("a rule names its tool; how risky the call is, its guard asks")
_RANGE = message_id("in a condition, IN asks for one of the values of a list")
_PATH = message_id("the words of a path are joined by a point")
_ALL_DIGITS = message_id("write all digits of the number: 5000000 for five millions")
_PRODUCT = message_id("write it as a product: amount < limit * 0.5 for less than half of it")
_RISKY = r"(?P<word>(?i:RISK))(?: (?:%s|==|[=:]))? (?P<level>%%name)(?=\n| \}|$)"
_THAN = {
    ">=": r"(?:GREATER|MORE|HIGHER|LARGER|BIGGER|LATER)(?: THAN)?+ OR (?:EQUALS?(?: TO)?+|THE SAME(?: AS)?+)",
    "<=": r"(?:LESS|LOWER|SMALLER|FEWER|EARLIER)(?: THAN)?+ OR (?:EQUALS?(?: TO)?+|THE SAME(?: AS)?+)",
}
_NOT_THAN = {
    "<=": r"(?:NOT|NO) (?:GREATER|MORE|HIGHER|LARGER|BIGGER|LATER) THAN",
    ">=": r"(?:NOT|NO) (?:LESS|LOWER|SMALLER|FEWER|EARLIER) THAN",
}
_COMPARED = r"(?i:IS )?(?i:LESS|LOWER|SMALLER|FEWER|GREATER|MORE|HIGHER|LARGER|BIGGER) (?i:THAN)"
_SHARE = r"(?i:HALF|TWICE|DOUBLE|THRICE|TRIPLE)"
_LARGE = r"(?i:HUNDRED|THOUSAND|MILLION|BILLION|MIO|MRD|KEUR|KUSD|DOZEN)S?"
_SMALL = message_id("a sum of money is a plain number, in the unit of what it is compared with")
_NO_UNIT = message_id("write the number alone, reckoned into that unit")

GUARDS: tuple[Form, ...] = (
    Form(
        MEMBER,
        r"PLAN %name (?:WHEN|IF) [^{}\n]+ \{\s(?P<word>WHEN)(?= [^{}\n]*(?:\n| \}| STEP))",
        _ONE,
        _JOIN,
        at="word",
    ),
    Form(
        RULE,
        r"(?P<word>ASK (?P<who>%name)) (?i:FOR|BEFORE|ABOUT|TO) (?P<tool>%target)",
        _WHO,
        write="REQUIRE APPROVAL FOR {tool}",
        at="word",
    ),
    Form(
        RULE,
        rf"(?P<rule>REQUIRE APPROVAL FOR|DENY|NEVER) {_RISKY % '>='}",
        _RISK,
        write="{rule} * WHEN action.risk >= {level}",
        at="word",
    ),
    Form(
        RULE,
        rf"(?P<rule>ALLOW) {_RISKY % '<='}",
        _RISK,
        write="{rule} * WHEN action.risk <= {level}",
        at="word",
    ),
    Form(
        VALUE,
        r"(?P<value>%path) (?P<word>IN (?:\[ )?(?P<low>0) \. \.(?: \.)? (?P<high>0)(?: \])?)",
        _RANGE,
        write="({value} >= {low} AND {value} <= {high})",
        at="word",
    ),
    Form(VALUE, r"(?P<path>%path) (?P<sign>: :) (?P<rest>\w+)", _PATH, write="{path}.{rest}", at="sign"),
    Form(VALUE, rf"%path (?P<word>{_COMPARED} {_SHARE})", hint=_PRODUCT, at="word"),
    *(
        Form(
            VALUE,
            rf"(?P<value>%path) (?P<word>(?i:(?:IS )?{words})){behind}",
            write=f"{{value}} {sign}{other}",
            at="word",
        )
        for sign, words in (*_THAN.items(), *_NOT_THAN.items())
        for behind, other in ((r" (?P<other>%value)", " {other}"), (r"(?= [-(])", ""))
    ),
    Form(VALUE, rf"0 (?P<word>{_LARGE})", hint=_ALL_DIGITS, at="word"),
    Form(VALUE, r"0 (?P<word>(?i:CENTS?|PENCE|PENNY))", _SMALL, _NO_UNIT, at="word"),
)
