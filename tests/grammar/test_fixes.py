"""What a fix makes of one token put in, or put in another's place, anywhere in the samples.

A fix gives back what was meant, or leaves a problem, or is one of a few kinds whose hint tells what it makes:
the text has other words then, which nobody could guess, and its author has the hint before it is applied.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import pytest
from test_breakages import PUT_IN, SAMPLES

from agentl_grammar import tree
from agentl_grammar.digest import program_digest
from agentl_grammar.excerpt import render
from agentl_grammar.lexer import Token, lex
from agentl_grammar.parser import Parser
from agentl_grammar.problems import Fix, Problem

Outcome = Literal["restored", "left", "told"]
# A bracket that was opened is closed, at the place that the hint names; an argument gets its parentheses.
TOLD_WHEN_PUT_IN = {("S102", "insert `{text}`"), ("S110", "remove it"), ("S101", "write `{text}`")}
# What stood there is gone: a word becomes a text, a text a name, a sign goes, a block gets its brace.
TOLD_WHEN_REPLACED = TOLD_WHEN_PUT_IN | {
    ("S101", "insert `{text}`"),
    ("S107", "replace with `{text}`"),
    ("S109", "remove it"),
    ("S110", "replace with `{text}`"),
    ("S111", "remove it"),
    ("S117", "replace with `{text}`"),
    ("S119", "remove it"),
    ("S120", "insert `{text}`"),
}
# Every so many tokens are broken, in an order in which each piece meets each kind of place.
STRIDE = 3


def breakages(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the broken texts, and whether a token was replaced."""
    for index, token in list(enumerate(lex(text).tokens))[::STRIDE]:
        new = f" {PUT_IN[(index * 5 + index // 7) % len(PUT_IN)]} "
        yield False, text[: token.start] + new + text[token.start :]
        yield True, text[: token.start] + new + text[token.end :]


def repaired(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def outcomes(text: str, *, replaced: bool) -> Iterator[tuple[Outcome, Problem, Fix, str]]:
    """Yield what each fix makes of each broken text that has one problem."""
    parser = Parser()
    healthy = parser.parse(text).program
    assert healthy is not None
    for is_replaced, broken in breakages(text):
        problems = parser.parse(broken).problems
        if is_replaced != replaced or len(problems) != 1:
            continue
        for fix in problems[0].fixes:
            result = parser.parse(repaired(broken, fix))
            outcome: Outcome = "left"
            if not result.problems and result.program:
                same = program_digest(result.program) == program_digest(healthy)
                outcome = "restored" if same else "told"
            yield outcome, problems[0], fix, render(problems[0], parser.parse(broken).source)


@pytest.mark.parametrize(
    ("replaced", "told", "least"), [(False, TOLD_WHEN_PUT_IN, 0.75), (True, TOLD_WHEN_REPLACED, 0.05)]
)
def test_a_fix_restores_what_was_meant_or_its_hint_tells_what_it_makes(
    replaced: bool, told: set[tuple[str, str]], least: float
):
    counts: Counter[Outcome] = Counter()
    for text in SAMPLES:
        for outcome, problem, fix, shown in outcomes(text, replaced=replaced):
            counts[outcome] += 1
            kind = (problem.code, fix.title.template)
            assert outcome != "told" or kind in told, f"{shown}\nfix: {fix.title}"
            assert problem.hint is not None
    share = counts["restored"] / counts.total()
    print(f"{share:.0%} of the fixes restore it: {dict(counts)}")
    assert share >= least, counts


# --- Rules of a POLICY ------------------------------------------------------------------------------------
POLICY = """AGENT a {
  POLICY {
    DEFAULT DENY
    ALLOW pay WHEN (x.y == no OR x.z == yes) AND amount <= 300
    ALLOW refund IF NOT (x.y != no AND amount > 3) OR ATTESTED(x.z)
    DENY pay WHEN x.kind IN [new, old] AND NOT ATTESTED(x.y)
    NEVER pay WHEN len(x.list) + 1 >= 2 * (x.most - 1)
    REQUIRE APPROVAL FOR pay WHEN x.age < 5min
  }
}
"""


FIXED_RULES = 300


def slips(token: Token) -> Iterator[str]:
    """Yield the token left out, written twice and cut in two; a word also in small letters and misspelt."""
    text = token.text
    yield from ("", f"{text} {text}", f"{text[:1]} {text[1:]}")
    if text.isalpha():
        yield from (text.lower(), text.title(), text[:-1], text[1:])
        yield from (text[:at] + text[at : at + 2][::-1] + text[at + 2 :] for at in range(len(text) - 1))


def broken_rules(text: str) -> Iterator[str]:
    """Yield the text once for each slip in each token of its policies."""
    program = Parser().parse(text).program
    assert program is not None
    policies = [node.span for node in tree.walk(program) if isinstance(node, tree.Policy)]
    for token in lex(text).tokens:
        if any(span.start < token.start and token.end < span.end for span in policies):
            for slip in slips(token):
                yield f"{text[: token.start]}{slip}{text[token.end :]}"


def offered(text: str) -> Iterator[tuple[str, str]]:
    """Yield the digests of what is all right after the only fix of a slip in a rule, and what was told."""
    parser = Parser()
    for broken in broken_rules(text):
        told = parser.parse(broken)
        for problem in told.problems:
            if len(problem.fixes) == 1:
                result = parser.parse(repaired(broken, problem.fixes[0]))
                if not result.problems and result.program:
                    yield program_digest(result.program), render(problem, told.source)


def test_the_only_fix_of_a_slip_in_a_rule_gives_back_the_rule():
    """`agentl check --fix` applies an only fix unasked; what is forbidden must not be another thing then."""
    found = 0
    for text in (*SAMPLES, POLICY):
        healthy = Parser().parse(text).program
        assert healthy is not None
        for digest, told in offered(text):
            assert digest == program_digest(healthy), told
            found += 1
    assert found > FIXED_RULES
