"""Comments that take a finding back, in the program and in the host script."""

from __future__ import annotations

import pytest
from review_samples import reviewed

from agentl.host.source import read_host
from agentl.review import at_host
from agentl_grammar.source import Source

PROGRAM = """\
AGENT a {
  TOOL pay { SIDE_EFFECT { ledger } }  %s
  POLICY { NEVER pay WHEN tools.pay.in_doubt == true }
}
"""
HOST = """\
import time
host = Host()
%s
@host.tool("pay")
def pay():  %s
    if time.time() > 5:  %s
        return {}
"""


def codes(program: str = PROGRAM % "", host: str = HOST % ("", "", "")) -> list[str]:
    return [problem.code for problem in reviewed(program, host)]


def test_without_a_comment_it_is_told():
    assert codes() == ["D208"]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_comment_in_the_script_reaches_its_line_and_what_begins_below_or_on_it(place: int):
    comments = ["", "", ""]
    comments[place] = "# agentl: allow D208 because the bank closes at night"
    assert codes(host=HOST % tuple(comments)) == []


def test_comment_in_the_program_reaches_the_tool():
    assert codes(PROGRAM % "// agentl: allow D208 because the bank closes at night") == []


def test_comment_elsewhere_in_the_script_allows_nothing_and_is_told():
    host = HOST % ("", "", "") + "\n# agentl: allow D208 because of nothing\nx = 1\n"
    assert codes(host=host) == ["W142", "D208"]


def test_comment_without_reason_in_the_script_is_told_where_it_stands():
    host = HOST % ("", "# agentl: allow D208", "")
    (problem,) = reviewed(PROGRAM % "", host)
    moved, source = at_host(problem, Source(PROGRAM % "", "a.agent"), Source(host, "a.py"))
    assert (problem.code, source.slice(moved.span)) == ("W141", "# agentl: allow D208")


def test_code_of_the_review_that_does_not_occur_in_the_program_is_told():
    assert codes(PROGRAM % "// agentl: allow D208, D210 because the bank closes at night") == ["W142"]


def test_comment_in_a_text_or_in_a_script_that_is_not_python_is_none():
    assert codes(host=HOST % ("x = '# agentl: allow D208 because'", "", "")) == ["D208"]
    assert read_host(Source("# agentl: allow D208\ndef f(:\n")).error is not None
    assert codes(host="# agentl: allow D208\ndef f(:\n") == []
