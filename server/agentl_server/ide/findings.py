"""Diagnostics: what the grammar, the review of the host and the open runs say about a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from agentl.host.source import HostSource
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.changed import changed_since
from agentl_server.ide.page import Page


@dataclass(frozen=True, slots=True)
class Findings:
    """Problems in the order of the text; `sources` are the texts of related places in other files."""

    problems: tuple[Problem, ...]
    sources: Mapping[str, Source] = field(default_factory=dict[str, Source])


def findings(page: Page, enabled: Callable[[str], bool] = lambda _: True) -> Findings:
    """Return all findings of a page.

    `enabled` tells which features are on: `checks`, `hostReview`, `runDiagnostics`.
    While the text has a mistake, nothing is said that may be due to what could not be read.
    """
    problems = [*page.problems, *(_checked(page) if enabled("checks") else ())]
    sources: dict[str, Source] = {}
    anatomy = page.fresh
    if anatomy is not None and page.host is not None and enabled("hostReview"):
        problems.extend(_reviewed(page, anatomy, page.host))
        sources[page.host.source.name] = page.host.source
    if anatomy is not None and enabled("runDiagnostics"):
        for view in page.runs:
            if view.is_open:
                problems.extend(changed_since(view, anatomy))
                if view.history.pinned is not None:
                    sources[str(view.history.pinned.path)] = view.history.pinned.anatomy.source
    problems.sort(key=lambda problem: (problem.span.start, problem.code))
    return Findings(tuple(problems), sources)


def _checked(page: Page) -> Iterator[Problem]:
    """Yield what the checks say; behind a mistake, what they said before and where that stands now."""
    found = page.checked()
    if found is None:
        return
    if found.source.text == page.source.text:
        yield from found.problems
    elif page.good is not None and page.good.source is found.source:
        for problem in found.problems:
            place = page.place_of_good(problem.span)
            if place is not None:
                yield replace(problem, span=place, related=(), fixes=())


def _reviewed(page: Page, anatomy: Anatomy, host: HostSource) -> Iterator[Problem]:
    """Yield what the review finds; behind a mistake, only what it found in the last program without one."""
    found = page.review(anatomy.program, page.source, host)
    if anatomy.whole:
        yield from found
    elif page.good is not None:
        before = {_said(problem) for problem in page.review(page.good.program, page.good.source, host)}
        yield from (problem for problem in found if _said(problem) in before)


def _said(problem: Problem) -> tuple[str, str]:
    return problem.code, str(problem.message)
