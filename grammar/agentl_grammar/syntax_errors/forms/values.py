"""Conditions and values as other languages write them: SQL, Python and prose."""

from __future__ import annotations

from agentl_grammar.lexicon import FUNCTIONS
from agentl_grammar.problems import message_id
from agentl_grammar.syntax_errors.forms.form import VALUE, Form

_BETWEEN = message_id("write ({value} >= <least> AND {value} <= <most>)")
_PATTERN = message_id('texts have no patterns: write "…" IN {value} for a part of the text, == for the whole')
_KNOWN = message_id("no comparison asks whether a value is known")
_OF_RULE = message_id(
    "a rule needs no such test: while a value is not known, NEVER, DENY and REQUIRE hold, and ALLOW does not"
)
_KNOWN_HINT = message_id(
    "write CONFIDENCE({value}) > 0 for what is known, CONFIDENCE({value}) == 0 for what is not"
)
_INDEX = message_id("`[` behind a value does not belong to the language: nothing has an index")
_INDEX_HINT = message_id("go through a list with FOREACH item IN {value} {{ … }}")
_NO_VALUE = message_id("a call gives no value: nothing stands behind it")
_OUTPUT = message_id("call it as a statement, then read {tool}.<field> of its OUTPUT")
_ARGUMENT = message_id("the argument of {name} stands in parentheses")
_FUNCTION = message_id("{name} is a function, no value to compare with")

_UNIT = message_id("a sum of money is a plain number")
_DENIED = message_id("`{word}` stands before a condition, not before a value")
_DAYS = message_id("a timespan has the unit ms, s, min, h or d")
_DAYS_HINT = message_id("write the number of days: 7d for a week, 30d for a month, 365d for a year")
_ADDS_UP = message_id("a condition compares what holds now: it adds nothing up over a time")
_ADDS_UP_HINT = message_id("OBSERVE what came together in that time, and compare that path with {most}")
_STATE = r"(?i:UNKNOWN|KNOWN|NULL|NONE|NIL|DEFINED|UNDEFINED|MISSING|PRESENT)"
_NAMES = "|".join(sorted(FUNCTIONS.keys() - {"min", "max"}))
_ORIGINS = r"(?P<name>UNTRUSTED|TRUSTED|ATTESTED|LLM_DERIVED)(?! \()"
_LIKE = r"(?i:LIKE|ILIKE|MATCHES|MATCH|REGEXP?|(?:STARTS|BEGINS|ENDS) WITH|STARTSWITH|ENDSWITH)"
_IS_STATE = (
    rf"(?P<value>%path) (?P<word>(?i:IS)(?: (?i:NOT))? {_STATE})",
    rf"(?P<word>{_STATE}|(?i:EXISTS|HAS)) \( (?P<value>%path) \)",
)
_SIGNS = {
    "<": r"(?:IS )?(?:(?:LESS|LOWER|SMALLER|FEWER|EARLIER) THAN|UNDER|BEFORE|BELOW)",
    ">": r"(?:IS )?(?:(?:MORE|GREATER|HIGHER|LARGER|BIGGER|LATER) THAN|AFTER|OVER|ABOVE)|EXCEEDS",
    "<=": r"(?:IS )?(?:AT MOST|UP TO)",
    ">=": r"(?:IS )?AT LEAST",
}

_TIME = r"(?i:SECONDS?|MINUTES?|HOURS?|DAYS?|WEEKS?|MONTHS?|YEARS?)"
_LONG = r"(?i:WEEKS?|MONTHS?|QUARTERS?|YEARS?)"
_OVER = rf"(?:(?i:PER|EACH|EVERY|WITHIN|AN?) (?:0|{_TIME})|(?i:HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY))"

VALUES: tuple[Form, ...] = (
    Form(
        VALUE,
        rf"(?P<name>{_NAMES}) (?P<value>%path)",
        _ARGUMENT,
        write="{name}({value})",
        refused="value",
        wordless=True,
    ),
    Form(VALUE, rf"(?P<value>%path) (?i:IS) {_ORIGINS}", _FUNCTION, write="{name}({value})"),
    Form(VALUE, rf"(?P<value>%path) (?i:IS NOT) {_ORIGINS}", _FUNCTION, write="NOT {name}({value})"),
    *(
        Form(
            VALUE,
            rf"(?P<value>%path) {sign} (?P<word>(?i:NOT)) (?P<other>%value)",
            _DENIED,
            write=f"{{value}} {other} {{other}}",
            at="word",
            guess=True,
        )
        for sign, other in (("==", "!="), ("!=", "=="))
    ),
    Form(
        VALUE,
        rf"%path (?:<|<=|>|>=|==) (?P<most>0) (?P<word>{_OVER})",
        _ADDS_UP,
        _ADDS_UP_HINT,
        at="word",
        refused="word",
    ),
    Form(
        frozenset(("TIMESPAN",)),
        rf"(?P<time>0 {_LONG})",
        _DAYS,
        _DAYS_HINT,
        code="S117",
    ),
    Form(
        VALUE,
        r"(?P<value>%path) (?P<word>(?i:BETWEEN)) (?P<low>%value) (?i:AND) (?P<high>%value)",
        write="({value} >= {low} AND {value} <= {high})",
        at="word",
    ),
    Form(
        VALUE,
        r"(?P<value>%path) (?P<word>(?i:NOT BETWEEN)) (?P<low>%value) (?i:AND) (?P<high>%value)",
        write="NOT ({value} >= {low} AND {value} <= {high})",
        at="word",
    ),
    Form(VALUE, r"(?P<value>%path) (?P<word>(?i:BETWEEN))", hint=_BETWEEN, at="word"),
    Form(
        VALUE,
        r"(?P<value>%path) (?P<word>(?i:CONTAINS|INCLUDES|HAS)) (?P<part>%value)",
        write="{part} IN {value}",
        at="word",
    ),
    Form(
        VALUE,
        r"(?P<number>0) (?P<unit>(?i:USD|EUR|GBP|CHF|DOLLARS?|EUROS?|POUNDS?))",
        _UNIT,
        write="{number}",
        at="unit",
    ),
    Form(VALUE, rf"(?P<value>%path) (?P<word>{_LIKE})", hint=_PATTERN, at="word"),
    *(
        Form(
            VALUE,
            rf"(?P<value>%path) (?P<word>(?i:{words})) (?P<other>(?!(?i:OR)\b)%value)(?! OR EQUAL)",
            write=f"{{value}} {sign} {{other}}",
            at="word",
        )
        for sign, words in _SIGNS.items()
    ),
    Form(VALUE, r"(?P<value>%path) (?P<word>(?i:IS NOT EMPTY))", write="len({value}) > 0", at="word"),
    Form(VALUE, r"(?P<value>%path) (?P<word>(?i:IS EMPTY))", write="len({value}) == 0", at="word"),
    *(Form(VALUE, state, _KNOWN, _OF_RULE, at="word", heads=("POLICY",)) for state in _IS_STATE),
    *(Form(VALUE, state, _KNOWN, _KNOWN_HINT, at="word") for state in _IS_STATE),
    Form(
        VALUE, r'(?P<value>%path) (?P<index>\[ (?:0|") \]) \.', _INDEX, _INDEX_HINT, at="index", code="S105"
    ),
    Form(
        VALUE,
        r"(?P<tool>%path) \( [^(){}\n]*\) (?P<behind>\. \w+)",
        _NO_VALUE,
        _OUTPUT,
        at="behind",
        refused="behind",
    ),
)
