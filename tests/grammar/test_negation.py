"""No help tells to leave out a word that denies, and no fix does: the text would say the opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from test_breakages import SAMPLES

from agentl_grammar.excerpt import render
from agentl_grammar.lexer import lex
from agentl_grammar.parser import Parser, parse

RULE = "AGENT a {{\n  POLICY {{\n    DEFAULT DENY\n    {rule}\n  }}\n}}\n"
GUARD = "write WHEN NOT (<condition>)"
DENY = "write DENY pay, or NEVER pay for what no other rule may allow"
NO_APPROVAL = "write ALLOW pay: no approval is asked for then"
COMPARE = "write `!=` for `not ==`, or NOT before the whole comparison: NOT (x.y == …)"
EXCEPTED = "write a rule of its own for what is excepted: {} <tool>"
# What is written, the word that is told of, and what to write.
RULES = [
    ("ALLOW pay NOT WHEN x > 5", "NOT", GUARD),
    ("ALLOW pay not if x > 5", "not", GUARD),
    ("ALLOW pay\n    NOT WHEN x > 5", "NOT", GUARD),
    ("ALLOW pay NEVER WHEN x > 5", "NEVER", GUARD),
    ("NEVER pay EXCEPT WHEN x < 5", "EXCEPT", GUARD),
    ("NEVER pay except if x < 5", "except", GUARD),
    ("NEVER pay EXCEPT x < 5", "EXCEPT", GUARD),
    ("ALLOW pay BUT NOT WHEN x > 5", "BUT", GUARD),
    ("ALLOW pay BUT NOT refund", "BUT", EXCEPTED.format("DENY")),
    ("ALLOW * EXCEPT pay", "EXCEPT", EXCEPTED.format("DENY")),
    ("DENY * EXCEPT pay", "EXCEPT", EXCEPTED.format("ALLOW")),
    ("ALLOW NOT pay", "NOT", DENY),
    ("ALLOW not pay WHEN x", "not", DENY),
    ("ALLOW !pay", "!", DENY),
    ("NOT ALLOW pay", "NOT", DENY),
    ("DO NOT ALLOW pay", "NOT", DENY),
    ("DENY NOT pay", "NOT", "write ALLOW pay"),
    ("NEVER NOT pay", "NOT", "write ALLOW pay"),
    ("DENY !pay", "!", "write ALLOW pay"),
    ("REQUIRE NOT APPROVAL FOR pay", "NOT", NO_APPROVAL),
    ("REQUIRE NO APPROVAL FOR pay", "NO", NO_APPROVAL),
    ("REQUIRE APPROVAL NOT FOR pay", "NOT", NO_APPROVAL),
    ("REQUIRE APPROVAL FOR NOT pay", "NOT", NO_APPROVAL),
    ("REQUIRE APPROVAL FOR !pay", "!", NO_APPROVAL),
    ("DEFAULT !ALLOW", "!", "write DENY: what no rule allows is denied then"),
    ("ALLOW pay WHEN x.y not == 5", "not", COMPARE),
    ("ALLOW pay WHEN x.y NOT == 5", "NOT", COMPARE),
    ("ALLOW pay WHEN x.y NOT 5", "NOT", "write x.y != <value>"),
    ("ALLOW DENY pay", "DENY", "write one of the two: ALLOW pay or DENY pay"),
    ("NEVER ALLOW pay", "ALLOW", "write one of the two: NEVER pay or ALLOW pay"),
    ("ALLOW pay WHEN x == 1 EXCEPT y == 2", "EXCEPT", "write AND NOT (<condition>)"),
]
DENYING = ("NOT", "not", "EXCEPT", "BUT", "NO", "UNLESS", "!")
STRIDE = 5
REMOVED = re.compile(r"remove `(?:NOT|EXCEPT|BUT|NO|UNLESS|!)`", re.IGNORECASE)


@pytest.mark.parametrize(("rule", "word", "hint"), RULES, ids=[case[0] for case in RULES])
def test_how_a_rule_says_what_is_denied(rule: str, word: str, hint: str):
    text = RULE.format(rule=rule)
    (problem,) = parse(text).problems
    told = text[problem.span.start : problem.span.end], str(problem.hint), problem.fixes
    assert told == (word, hint, ())


def with_a_denial() -> Iterator[tuple[str, int, int]]:
    """Yield the samples with a word that denies put in, and where it stands."""
    for text in SAMPLES:
        for index, token in list(enumerate(lex(text).tokens))[::STRIDE]:
            word = DENYING[index % len(DENYING)]
            broken = f"{text[: token.start]}{word} {text[token.start :]}"
            yield broken, token.start, token.start + len(word)


def test_no_help_tells_to_remove_a_word_that_denies_and_no_fix_does():
    parser, count = Parser(), 0
    for text, start, end in with_a_denial():
        result = parser.parse(text)
        for problem in result.problems:
            count += 1
            shown = render(problem, result.source)
            assert not REMOVED.search(str(problem.hint)), shown
            for fix in problem.fixes:
                gone = [span for span, new in fix.replacements if not new.strip()]
                assert not any(span.start <= start and end <= span.end for span in gone), shown
    assert count > len(SAMPLES)
