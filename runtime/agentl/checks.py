"""All that is checked before a program runs: the rules of the grammar, with what the host promises.

One function for `agentl check`, for `agentl run` and for the editor (language.md §10).
"""

from __future__ import annotations

from pathlib import Path

from agentl.files import read_text
from agentl.host.source import HostSource, Promise, read_host
from agentl.interpreter.support import unsupported
from agentl_grammar.checks import Checker, HostFacts
from agentl_grammar.parser import ParseResult
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source


def host_facts(host: HostSource | None) -> HostFacts | None:
    """Return what the rules need to know of a host script; None when there is none or it is not Python."""
    if host is None or host.error is not None:
        return None
    unpromised = frozenset(name for name, promise in host.promises.items() if promise is Promise.NONE)
    return HostFacts(unpromised, frozenset(host.compensations), host.complete)


def host_beside(program: Path) -> HostSource | None:
    """Read the host script beside a program, without running it; None when there is none.

    Raises UsageError when it cannot be read.
    """
    script = program.with_suffix(".py")
    return read_host(Source(read_text(script), str(script))) if script.is_file() else None


def checked(
    result: ParseResult, host: HostSource | None = None, checker: Checker | None = None
) -> tuple[Problem, ...]:
    """Return every problem of a program in the order of its text: syntax, rules, facts that are set (E019).

    `checker` is kept between the versions of one text; without it nothing is remembered.
    """
    found = (checker or Checker()).check(result, host=host_facts(host))
    if result.program is None or not result.complete:
        return found
    facts = [problem for problem in unsupported(result.program) if problem.code == "E019"]
    return tuple(sorted([*found, *facts], key=lambda problem: (problem.span.start, problem.code)))
