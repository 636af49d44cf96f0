"""Programs and hosts as text, reviewed."""

from __future__ import annotations

from agentl.host.source import read_host
from agentl.review import at_host, review
from agentl_grammar.excerpt import render
from agentl_grammar.parser import parse
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source


def reviewed(program: str, host: str) -> tuple[Problem, ...]:
    parsed = parse(program, "a.agent")
    assert parsed.program, parsed.problems
    assert parsed.complete, parsed.problems
    return review(parsed.program, parsed.source, read_host(Source(host, "a.py")), parsed.comments)


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
