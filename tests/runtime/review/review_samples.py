"""Programs and hosts as text, reviewed."""

from __future__ import annotations

from functools import lru_cache
from textwrap import indent

from agentl.host.source import read_host
from agentl.review import at_host, review
from agentl_grammar.excerpt import render
from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source

PROGRAM = """\
AGENT a {
  TOOL pay { INPUT { amount: Number } OUTPUT { at: Number } SIDE_EFFECT { ledger } }
  POLICY { NEVER pay WHEN tools.pay.in_doubt == true }
}
"""
HEAD = "from agentl import NOT_EXECUTED, Host\nimport agentl\nhost = Host()\n"


def reviewed(program: str, host: str) -> tuple[Problem, ...]:
    parsed = _parsed(program)
    assert parsed.program, parsed.problems
    assert parsed.complete, parsed.problems
    return review(parsed.program, parsed.source, read_host(Source(host, "a.py")), parsed.comments)


@lru_cache(maxsize=4)
def _parsed(program: str) -> ParseResult:
    return parse(program, "a.agent")


def found(program: str, host: str, code: str) -> list[Problem]:
    return [problem for problem in reviewed(program, host) if problem.code == code]


def shown(problem: Problem, program: str, host: str) -> str:
    texts = Source(program, "a.agent"), Source(host, "a.py")
    moved, source = at_host(problem, *texts)
    return render(moved, source, others={text.name: text for text in texts})


def repaired(problem: Problem, program: str, host: str, number: int = 0) -> tuple[str, str]:
    """Return both texts after a fix."""
    fix = problem.fixes[number]
    text = program if fix.name is None else host
    for span, new in sorted(fix.replacements, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return (text, host) if fix.name is None else (program, text)


def line_of(problem: Problem, host: str) -> str:
    """Return the line of the host script that a finding is about."""
    return host.splitlines()[host.count("\n", 0, problem.related[0].span.start)].strip()


def reconciler(body: str, more: str = "") -> str:
    """Return a host with a tool, and its reconciler of this body, behind `more`."""
    function = f"@host.reconciler('pay')\ndef find(args, action):\n{indent(body, '    ')}\n"
    return f"{HEAD}host.tools['pay'] = f\n{more}\n{function}"
