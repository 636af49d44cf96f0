"""One token deleted, put in or replaced at every place of the samples, and several mistakes at once."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentl_grammar import tree
from agentl_grammar.excerpt import render
from agentl_grammar.lexer import lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.parser import Parser, parse

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
PATHS = [*sorted((HERE / "samples").glob("*.agent")), HERE / "rare.agent"]
SAMPLES = [path.read_text(encoding="utf-8") for path in PATHS]
PAGES = {path.stem for path in (ROOT / "docs" / "codes").glob("*.md")}
GRAMMAR = (ROOT / "grammar" / "agentl_grammar" / "agent.lark").read_text(encoding="utf-8")
TERMINALS = set(re.findall(r"^(_?[A-Z][A-Z_]*)(?:\.\d+)?\s*:", GRAMMAR, re.MULTILINE)) - set(WORDS)
RULES = set(re.findall(r"^[!?]*(_?[a-z]+_[a-z_]+)\s*:", GRAMMAR, re.MULTILINE))
INTERNAL = TERMINALS | RULES | {"$END", "__ANON"}
QUOTED = re.compile(r"`.*?`", re.DOTALL)
PIECES = 'GOAL name "text" 3 5min { } ( ) = == , : THEN UNKNOWN - [ . NEVER 2% 2026-01-01 EVERY'
PUT_IN = PIECES.split(" ")
BEGUN = 2
"""Tokens from which on there is an agent: AGENT and its name."""


def breakages(text: str) -> Iterator[str]:
    """Yield the text once for each of its tokens: without it, with one more before it, or with another."""
    for index, token in enumerate(lex(text).tokens):
        new = PUT_IN[(index * 7 + index // 3) % len(PUT_IN)]
        yield (
            text[: token.start] + text[token.end :],
            text[: token.start] + f" {new} " + text[token.start :],
            text[: token.start] + f" {new} " + text[token.end :],
        )[index % 3]


def test_the_grammar_has_names_that_no_message_may_hold():
    assert {"NAME", "TIMESPAN", "_LBRACE", "EQUAL", "_ON_UNKNOWN"} <= TERMINALS
    assert {"goal_condition", "_statement", "name_list"} <= {*RULES, "_statement"}


@pytest.mark.parametrize("text", SAMPLES, ids=[path.stem for path in PATHS])
def test_a_text_that_ends_too_early_is_told_once_and_on_the_line_where_it_ends(text: str):
    parser = Parser()
    for token in lex(text).tokens[BEGUN:]:
        result = parser.parse(text[: token.end])
        lines = [result.source.line_number(problem.span.start) for problem in result.problems]
        assert lines in ([], [result.source.line_number(token.start)]), text[: token.end]


@pytest.mark.parametrize("text", SAMPLES, ids=[path.stem for path in PATHS])
def test_no_message_names_a_terminal_and_every_problem_has_a_page_a_place_and_a_next_step(text: str):
    parser = Parser()
    for broken in breakages(text):
        result = parser.parse(broken)
        for problem in result.problems:
            assert problem.code in PAGES
            assert 0 <= problem.span.start <= problem.span.end <= len(broken)
            assert problem.hint is not None
            for message in (problem.message, problem.hint, *(fix.title for fix in problem.fixes)):
                words = set(re.findall(r"[$\w]+", QUOTED.sub("", str(message))))
                assert not words & INTERNAL, render(problem, result.source)


@pytest.mark.parametrize("text", SAMPLES, ids=[path.stem for path in PATHS])
def test_one_mistake_is_mostly_one_problem(text: str):
    """A bracket in the wrong place may mean more than one thing; nearly everything else is told once."""
    parser = Parser()
    counts = [len(parser.parse(broken).problems) for broken in breakages(text)]
    assert sum(count > 1 for count in counts) < len(counts) * 3 / 100
    assert max(counts) <= 4


@pytest.mark.parametrize(
    "member",
    [
        "PLAN p {\n    IF a == THEN b() ELSE c()\n    d()\n  }",
        "PLAN p {\n    IF a UNKNOWN b THEN { c() } ELSE IF d THEN e() ELSE f()\n    g()\n  }",
        "PLAN p {\n    UNKNOWN 1: a()\n    STEP 2: b()\n    STEP 3: c()\n  }",
        "PLAN p { f( = 1) g() }",
        "PLAN p { IF (THEN a() ELSE b() }",
        "BELIEF { a (.b = 1 }",
        "HYPOTHESIS h { EVIDENCE { a > 1 (LIKELIHOOD 0.9 } }",
        "POLICY {\n    UNKNOWN DENY\n    ALLOW a }",
        "POLICY { NEVER WHEN a > 1\n    DEFAULT DENY }",
        "SCENARIO s\n    EXPECT { a == 1 }\n  }",
        "SCENARIO s {\n    GIVEN EVENT e a = 1 }\n    EXPECT { a == 1 }\n  }",
    ],
)
def test_what_follows_from_a_repair_is_not_told(member: str):
    result = parse(f"AGENT t {{\n  GOAL g {{ x }}\n  {member}\n}}\n")
    assert len(result.problems) == 1, "\n".join(render(p, result.source) for p in result.problems)
    assert result.program is not None
    kinds = [type(kept).__name__.upper() for kept in result.program.agents[0].members]
    assert kinds == ["GOAL", member.split(maxsplit=1)[0]]


def test_an_else_that_never_had_an_if_is_told_beside_another_mistake():
    result = parse("AGENT t {\n  PLAN p {\n    a(,)\n    IF b THEN c() ELSE d()\n    ELSE e()\n  }\n}\n")
    assert [problem.code for problem in result.problems] == ["S109", "S101"]
    assert str(result.problems[1].message) == "this ELSE belongs to no IF"


# --- n independent mistakes -------------------------------------------------------------------------------
#
# Independent are mistakes in different items. An item is a field of a member, a rule of POLICY, a statement
# that holds no other, or an entry of OBSERVE, BELIEF, UTILITY, EFFECT, EVIDENCE or PRODUCE. The mistakes:
# a sign of no meaning before its last token, two commas behind it, `=` for `==`, a `]` before a call.
ITEMS = (
    tree.BeliefEntry
    | tree.Observation
    | tree.EffectEntry
    | tree.Redaction
    | tree.Rule
    | tree.PolicyDefault
    | tree.CallStatement
    | tree.Assign
    | tree.ProduceField
    | tree.PayloadEntry
    | tree.Evidence
    | tree.UtilityEntry
    | tree.ExpectTrace
    | tree.Retry
    | tree.InputField
)
EQUALS = tree.BeliefEntry | tree.Observation | tree.Rule | tree.Evidence | tree.UtilityEntry


@dataclass(frozen=True)
class Mistake:
    """Text put in the place of a part of a sample."""

    start: int
    end: int
    text: str


def mistakes(text: str) -> Iterator[list[Mistake]]:
    """Yield for each item what can be done to it."""
    program = parse(text).program
    assert program is not None
    tokens = lex(text).tokens
    items = [node for node in tree.walk(program) if isinstance(node, ITEMS)]
    items = sorted(items, key=lambda node: (node.span.start, -node.span.end))
    for node, following in pairwise([*items, None]):
        if node is None or (following and following.span.start < node.span.end):
            continue
        inside = [token for token in tokens if node.span.start <= token.start and token.end <= node.span.end]
        behind = next(token for token in tokens if token.start >= node.span.end)
        found = [Mistake(inside[-1].start, inside[-1].start, "@ ")]
        if behind.type not in ("_COMMA", "_ELSE") and not isinstance(node, tree.Redaction):
            found.append(Mistake(node.span.end, node.span.end, ",,"))
        if isinstance(node, EQUALS):
            found += [Mistake(token.start, token.end, "=") for token in inside if token.type == "EQUAL"][:1]
        if isinstance(node, tree.CallStatement | tree.Redaction):
            found.append(Mistake(node.span.start, node.span.start, "] "))
        yield found


def side_by_side(text: str, mistake: Mistake, others: list[Mistake]) -> bool:
    """Two stray signs with nothing between them are one."""
    before = [other.end for other in others if other.text == ",," and other.end <= mistake.start]
    return any(not text[end : mistake.start].strip() for end in before)


CHOICES = [list(mistakes(text)) for text in SAMPLES]


def test_the_samples_have_enough_items_to_be_broken():
    assert sum(map(len, CHOICES)) > 70
    assert sum(len(found) for choices in CHOICES for found in choices) > 140


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_so_many_problems_as_independent_mistakes(data: st.DataObject):
    sample = data.draw(st.sampled_from(range(len(SAMPLES))))
    text, choices = SAMPLES[sample], CHOICES[sample]
    chosen = data.draw(st.lists(st.sampled_from(range(len(choices))), unique=True, min_size=1, max_size=12))
    done = [data.draw(st.sampled_from(choices[index])) for index in chosen]
    assume(not any(mistake.text == "] " and side_by_side(text, mistake, done) for mistake in done))
    for mistake in sorted(done, key=lambda mistake: mistake.start, reverse=True):
        text = text[: mistake.start] + mistake.text + text[mistake.end :]
    result = parse(text)
    assert len(result.problems) == len(done), "\n".join(render(p, result.source) for p in result.problems)
    healthy = parse(SAMPLES[sample]).program
    assert healthy is not None
    assert result.program is not None
    assert [[type(member) for member in agent.members] for agent in result.program.agents] == [
        [type(member) for member in agent.members] for agent in healthy.agents
    ]


# --- Mistakes of one token on lines of their own ----------------------------------------------------------
PROGRAMS = [
    text
    for path in sorted((ROOT / "tests" / "programs").rglob("*.agent"))
    if parse(text := path.read_text(encoding="utf-8")).complete and len(text) < 8000
]
COMBINED = 40


def slips_of(text: str, chance: random.Random) -> tuple[int, int, str]:
    """Return where a token of the text is, and what one slip makes of it."""
    token = chance.choice(lex(text).tokens)
    made = ["", f"{token.text} {token.text}"]
    if token.text in WORDS:
        made += [token.text.lower(), token.text[:2] + token.text[3:]]
    if token.type == "NUMBER":
        made += ["many", f"{token.text}k"]
    made += {"=": ["=="], "==": ["="], ":": ["="], ",": [";"]}.get(token.text, [])
    return token.start, token.end, chance.choice(made)


def combined(text: str, count: int, chance: random.Random) -> str:
    """Return the text with so many slips, each on a line of its own and one problem where it stands alone."""
    slips: dict[int, tuple[int, int, str]] = {}
    while len(slips) < count:
        start, end, made = slips_of(text, chance)
        line = text.count("\n", 0, start)
        if line not in slips and len(parse(text[:start] + made + text[end:]).problems) == 1:
            slips[line] = (start, end, made)
    for start, end, made in sorted(slips.values(), reverse=True):
        text = text[:start] + made + text[end:]
    return text


def test_slips_on_lines_of_their_own_are_told_each_by_itself():
    chance = random.Random(4)  # noqa: S311 (the same slips every time)
    counts = [2 + number % 2 for number in range(COMBINED)]
    texts = [combined(chance.choice(PROGRAMS + SAMPLES), count, chance) for count in counts]
    told = [len(parse(text).problems) == count for text, count in zip(texts, counts, strict=True)]
    # A brace that is gone makes of two slips in its block what nobody could tell apart.
    assert sum(told) >= COMBINED * 0.95, told
