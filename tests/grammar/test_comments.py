"""Every comment of a text, once, and the node it belongs to."""

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.comments import CommentKind, Placement
from agentl_grammar.lexer import lex
from agentl_grammar.parser import Parser, parse
from agentl_grammar.tree import Agent, Goal, Plan, walk

SAMPLES = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.agent"))]
COMMENTS = [
    "# hash\n",
    "// slashes\n",
    "/* block */",
    "/* two\n lines */",
    '# "quote {\n',
    "/**/",
    "\n\n# apart\n\n",
]
PLACED = """\
# file
// two

AGENT t { # head
  # above goal

  # directly above
  GOAL g { TARGET a > 1 # why
  } # behind goal
  PLAN p {
    # first
    pay(/* amount */ amount = 1, # one
        to = "x" /* to */) // paid
    IF a THEN { # then
      b()
      # end of then
    } ELSE { /* nothing */ }
  }
  // end of agent
}
# end
"""


def texts(text: str) -> list[str]:
    return [comment.text for comment in parse(text).comments]


def with_comments(text: str, chance: random.Random, share: float) -> str:
    """A comment in the gaps between tokens; the words that look ahead still see what they look for."""
    parts: list[str] = []
    end = 0
    for token in lex(text).tokens:
        comment = f" {chance.choice(COMMENTS)} " if chance.random() < share else ""
        parts += [text[end : token.start], comment, token.text]
        end = token.end
    return "".join([*parts, text[end:]])


def test_each_comment_belongs_to_the_node_it_is_about():
    found = [
        (placed.comment.text, placed.placement.value, type(placed.node).__name__)
        for placed in parse(PLACED).comments.placed()
    ]
    assert found == [
        ("# file", "leading", "Agent"),
        ("// two", "leading", "Agent"),
        ("# head", "inner", "Agent"),
        ("# above goal", "leading", "Goal"),
        ("# directly above", "leading", "Goal"),
        ("# why", "trailing", "Binary"),
        ("# behind goal", "trailing", "Goal"),
        ("# first", "leading", "CallStatement"),
        ("/* amount */", "leading", "Argument"),
        ("# one", "trailing", "Argument"),
        ("/* to */", "trailing", "Argument"),
        ("// paid", "trailing", "CallStatement"),
        ("# then", "inner", "Block"),
        ("# end of then", "inner", "Block"),
        ("/* nothing */", "inner", "Block"),
        ("// end of agent", "inner", "Agent"),
        ("# end", "inner", "Program"),
    ]


def test_the_comments_of_a_node_are_found_by_the_node():
    result = parse(PLACED)
    assert result.program
    goal = result.program.agents[0].of(Goal)[0]
    assert [(placed.comment.text, placed.placement) for placed in result.comments.of(goal)] == [
        ("# above goal", Placement.LEADING),
        ("# directly above", Placement.LEADING),
        ("# behind goal", Placement.TRAILING),
    ]
    assert result.comments.of(result.program.agents[0].of(Plan)[0]) == ()


def test_blank_lines_around_a_comment_can_be_told():
    comments = parse("# a\r\n\r\n# b\nAGENT t { /* c */ } // d").comments
    assert [(c.lines_before, c.lines_after, c.own_line) for c in comments] == [
        (0, 2, True),
        (2, 1, True),
        (0, 0, False),
        (0, 0, False),
    ]
    assert [comment.kind for comment in comments] == [
        CommentKind.HASH,
        CommentKind.HASH,
        CommentKind.BLOCK,
        CommentKind.SLASHES,
    ]


def test_a_comment_tells_the_tokens_around_it():
    text = "GOAL # a\n # b\n {"
    comments = parse(text).comments
    assert [(c.token_before, c.token_after, c.opens) for c in comments] == [(4, 15, False), (4, 15, False)]
    only = parse("# only").comments[0]
    assert (only.token_before, only.token_after, only.first) == (None, None, True)


def test_a_text_without_a_tree_has_its_comments_without_a_node():
    result = parse("# a\n) // b")
    assert result.program is None
    assert [(p.comment.text, p.node) for p in result.comments.placed()] == [("# a", None), ("// b", None)]


def test_the_members_around_a_broken_one_and_the_broken_one_keep_their_comments():
    text = "AGENT t {\n  # a\n  GOAL g { x } # b\n  PLAN p { ( ; # c\n  }\n  # d\n  GOAL h { y }\n}\n"
    result = parse(text)
    assert result.problems
    assert [comment.text for comment in result.comments] == ["# a", "# b", "# c", "# d"]
    assert result.program
    goals = result.program.agents[0].of(Goal)
    assert [p.comment.text for goal in goals for p in result.comments.of(goal)] == ["# a", "# b", "# d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('AGENT t { "open # no\n} # yes', ["# yes"]),
        ("AGENT t { } /* open\n# inside", ["/* open\n# inside"]),
        ("§ # a\n§ /* b */ §", ["# a", "/* b */"]),
        ('AGENT t { DESCRIPTION "# no /* no */ // no" } # a', ["# a"]),
        ("\ufeff# a\nAGENT t { }", ["# a"]),
        ("# a \x0b\x0c\x85\u2028\u2029 b\n# c", ["# a \x0b\x0c\x85\u2028\u2029 b", "# c"]),
        ("# a\r# b\r\n# c", ["# a", "# b", "# c"]),
    ],
)
def test_no_comment_of_an_odd_text_is_lost(text: str, expected: list[str]):
    assert texts(text) == expected


@pytest.mark.parametrize("line", ['pay(to = "x")\n', 'a \\" # b\n'])
def test_looking_for_comments_takes_no_more_memory_than_what_is_found(line: str):
    result = parse("AGENT t { PLAN p { " + line * 20_000)
    tracemalloc.start()
    found = list(result.comments)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == []
    assert most < 3 * len(result.source.text)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(SAMPLES), st.integers(0, 9999), st.sampled_from([0.05, 0.5, 1.0]))
def test_comments_in_the_gaps_of_a_program_are_listed_once_in_order_and_found_at_their_nodes(
    sample: str, seed: int, share: float
):
    text = with_comments(sample, random.Random(seed), share)  # noqa: S311 (places of comments)
    result = parse(text)
    assert [(c.text, c.span.start) for c in result.comments] == [
        (c.text, c.start) for c in lex(text).comments
    ]
    assert result.program == parse(sample).program
    assert result.program
    nodes = {id(node) for node in walk(result.program)}
    assert all(id(placed.node) in nodes for placed in result.comments.placed())
    by_node = [placed for node in walk(result.program) for placed in result.comments.of(node)]
    assert sorted(p.comment.span.start for p in by_node) == [c.span.start for c in result.comments]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([*SAMPLES, PLACED]), st.randoms())
def test_comments_of_any_text_are_in_order_apart_and_the_same_after_edits(sample: str, chance: random.Random):
    parser, text = Parser(), sample
    parser.parse(text).comments.placed()
    for _ in range(4):
        start = chance.randrange(len(text) + 1)
        pieces = [*COMMENTS, '"', "/*", "*/", "#", "}", "{", "\n", "", ";"]
        text = text[:start] + chance.choice(pieces) + text[start + chance.choice((0, 0, 1, 9)) :]
        comments = parser.parse(text).comments
        assert list(comments) == list(parse(text).comments)
        end = 0
        for comment in comments:
            assert end <= comment.span.start < comment.span.end
            assert text[comment.span.start : comment.span.end] == comment.text
            end = comment.span.end
        assert len(comments.placed()) == len(comments)


def test_a_comment_above_a_member_leads_that_member_when_lines_are_put_above():
    parser = Parser()
    parser.parse(PLACED).comments.placed()
    result = parser.parse("\n\n" + PLACED)
    assert result.program
    agent = result.program.agents[0]
    assert isinstance(agent, Agent)
    leading = [p.comment.span.start for p in result.comments.of(agent.of(Goal)[0])]
    assert leading == [
        PLACED.index("# above") + 2,
        PLACED.index("# directly") + 2,
        PLACED.index("# behind") + 2,
    ]


def test_a_comment_behind_else_is_not_of_the_branch_one_line_above():
    result = parse("AGENT a { PLAN p { IF x\n THEN b()\n ELSE # why\n c() } }\n")
    (placed,) = result.comments.placed()
    assert placed.placement is Placement.LEADING
    assert placed.node is not None
    assert "c" in result.source.slice(placed.node.span)


@pytest.mark.parametrize("text", [*SAMPLES, PLACED])
def test_what_trails_a_node_is_on_the_line_where_it_ends(text: str):
    chance = random.Random(4)  # noqa: S311 (nothing secret)
    for share in (0.0, 0.2, 0.5):
        result = parse(with_comments(text, chance, share))
        for placed in result.comments.placed():
            if placed.placement is Placement.TRAILING and placed.node is not None:
                between = result.source.text[placed.node.span.end : placed.comment.span.start]
                assert "\n" not in between
