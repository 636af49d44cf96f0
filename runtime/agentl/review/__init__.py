"""The D rules: what a durable deployment should not do (editor.md "Host-aware without running it").

A rule is a function from a program and its host script to problems; its code stands in its docstring.
"""

from __future__ import annotations

from agentl.host_source import HostSource
from agentl.review.doubt import unguarded_doubt
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source
from agentl_grammar.tree import Program

RULES = (unguarded_doubt,)


def review(program: Program, source: Source, host: HostSource) -> tuple[Problem, ...]:
    """Return every finding, in the order of the text. `source` is the text of `program`."""
    found = [problem for rule in RULES for problem in rule(program, source, host)]
    return tuple(sorted(found, key=lambda problem: (problem.span.start, problem.code)))
