"""The D rules: what a durable deployment should not do (editor.md "Host-aware without running it").

A rule is a small function that carries its code; it looks at an agent and at the host script beside it, which
is read as a syntax tree and never imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agentl.host.source import HostSource
from agentl.review import (
    bounds,
    determinism,
    doubt,
    generators,
    guards,
    promises,
    reconcilers,
    repetition,
)
from agentl.review.allowing import allowed_in_host, allowed_in_program, covered, unused
from agentl.review.host_code import read_code
from agentl.review.view import View
from agentl_grammar.checks.index import Index, parts_of
from agentl_grammar.checks.parts import Facts
from agentl_grammar.checks.registry import Rule
from agentl_grammar.comments import Comment
from agentl_grammar.problems import Fix, Message, Problem, Related, message_id
from agentl_grammar.source import Source
from agentl_grammar.tree import Member, Program

__all__ = ["CODES", "RULES", "Reviewer", "at_host", "review"]

RULES: tuple[Rule[View], ...] = (
    doubt.unguarded_doubt,
    doubt.doubt_that_cannot_be_told,
    guards.doubt_that_never_comes,
    guards.doubt_compared_with_nothing_it_has,
    doubt.doubt_of_a_tool_without_own_rule,
    repetition.call_that_may_repeat,
    reconcilers.reconciler_that_guesses,
    promises.promise_without_key,
    determinism.decision_on_what_nobody_journals,
    bounds.run_without_end,
    bounds.effect_without_control,
    generators.function_that_runs_nothing,
)
CODES = frozenset(rule.code for rule in RULES)
_OF_THE_HOST = frozenset({"D206", "D207", "D208", "D211", "W141", "W142"})
"""Findings that are about a place in the host script, which is their first related one."""


class Reviewer:
    """Reviews the texts of one document, one version after the other; what members say is collected once."""

    def __init__(self) -> None:
        self._facts: dict[int, tuple[Member, Facts]] = {}

    def review(
        self, program: Program, source: Source, host: HostSource, comments: Iterable[Comment] = ()
    ) -> tuple[Problem, ...]:
        """Return every finding in the order of the program.

        `source` is the text of `program`, `comments` are its comments. All places are in the program; what is
        about the host script has its place there as its first related one (see `at_host`).
        """
        facts = dict(self._facts)
        parts = [parts_of(agent, facts) for agent in program.agents]
        kept = {id(part.node) for members in parts for part in members}
        self._facts = {key: value for key, value in facts.items() if key in kept}
        indexes = [
            Index(agent, members, source, None) for agent, members in zip(program.agents, parts, strict=True)
        ]
        code = read_code("" if host.error is not None else host.source.text)
        views = [View(index, host, code) for index in indexes]
        found = list(_once(problem for view in views for rule in RULES for problem in rule.problems(view)))
        in_program = allowed_in_program(source, comments, indexes)
        in_host = allowed_in_host(host, code)
        left: list[Problem] = []
        for problem in found:
            moved, text = at_host(problem, source, host.source)
            in_script = text is host.source and covered(moved, in_host)
            if not covered(problem, in_program) and not in_script:
                left.append(problem)
        if indexes:
            anchor = indexes[0].agent.name.span
            left += [*unused(in_program, None, anchor), *unused(in_host, host, anchor)]
        return tuple(sorted(left, key=lambda problem: (problem.span.start, problem.code)))


def review(
    program: Program, source: Source, host: HostSource, comments: Iterable[Comment] = ()
) -> tuple[Problem, ...]:
    """Return every finding, in the order of the text; nothing is remembered (see `Reviewer`)."""
    return Reviewer().review(program, source, host, comments)


def _once(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield what is about one place of the host script only once, though several agents use it."""
    told: set[object] = set()
    for problem in problems:
        if problem.code in _OF_THE_HOST:
            key = problem.code, problem.message.template, problem.related[0].span
            if key in told:
                continue
            told.add(key)
        yield problem


def at_host(problem: Problem, source: Source, host: Source) -> tuple[Problem, Source]:
    """Return a finding where it is about, with the text of that place: the host script, or the program."""
    if problem.code not in _OF_THE_HOST or not problem.related or problem.related[0].name != host.name:
        return problem, source
    place, *others = problem.related
    in_program = Related(problem.span, Message(message_id("declared here")), source.name)
    moved = replace(
        problem,
        span=place.span,
        related=(in_program, *(replace(each, name=each.name or source.name) for each in others)),
        fixes=tuple(_moved(fix, source, host) for fix in problem.fixes),
    )
    return moved, host


def _moved(fix: Fix, source: Source, host: Source) -> Fix:
    return replace(fix, name=None if fix.name == host.name else fix.name or source.name)
