"""Which findings are told, and how loud: `select`, `ignore` and severities by code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from agentl_grammar.problems import Problem, Severity


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes or beginnings of codes (`W1`, `W120`); the longer one decides. An empty `select` is all.

    Syntax errors (S…) and errors of the checks (E…) are always told: they are why a program does not run.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict[str, Severity])

    def wants(self, code: str) -> bool:
        """Tell whether problems of a code are told."""
        if code[:1] in ("S", "E"):
            return True
        chosen, left_out = _longest(code, self.select), _longest(code, self.ignore)
        if self.select and chosen < 0:
            return False
        return left_out <= chosen if left_out >= 0 and chosen >= 0 else left_out < 0

    def apply(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return the problems that are told, with their severities."""
        return tuple(
            replace(problem, severity=self.severity[problem.code])
            if problem.code in self.severity
            else problem
            for problem in problems
            if self.wants(problem.code)
        )


def _longest(code: str, beginnings: Iterable[str]) -> int:
    return max((len(each) for each in beginnings if code.startswith(each.upper())), default=-1)
