"""Which fixes are offered: those behind which the text goes on, up to the next mistake that is told."""

from __future__ import annotations

import dataclasses

from agentl_grammar.problems import Problem
from agentl_grammar.recovery.reading_on import Recovery


def keep_working(recovery: Recovery) -> Recovery:
    """Take the fixes that lead to an error of their own out of the problems of a recovery, and return it."""
    told = {id(problem) for problem in recovery.problems}
    known: dict[int, Problem] = {}
    goes_on: set[int] = {0}
    for mistake, _ in reversed(recovery.mistakes):
        problem = mistake.problem
        works = tuple(fix for fix in problem.fixes if mistake.left_behind(fix) in (None, *goes_on))
        if works != problem.fixes:
            known[id(problem)] = dataclasses.replace(problem, fixes=works)
        if id(problem) in told:
            goes_on.add(mistake.left)
    recovery.problems = [known.get(id(problem), problem) for problem in recovery.problems]
    return recovery
