"""Diagnostics: what the grammar, the review of the host and the open runs say about a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentl.review import review
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source
from agentl_server.ide.changed import changed_since
from agentl_server.ide.page import Page


@dataclass(frozen=True, slots=True)
class Findings:
    """Problems in the order of the text; `sources` are the texts of related places in other files."""

    problems: tuple[Problem, ...]
    sources: Mapping[str, Source] = field(default_factory=dict[str, Source])


def findings(page: Page, enabled: Callable[[str], bool] = lambda _: True) -> Findings:
    """Return all findings of a page; `enabled` tells which features are on: `hostReview`, `runDiagnostics`.

    While the text has a syntax error, only that is said: the rest would speak of an older text.
    """
    problems = list(page.problems)
    sources: dict[str, Source] = {}
    anatomy = page.fresh
    if anatomy is not None and page.host is not None and enabled("hostReview"):
        problems.extend(review(anatomy.program, page.source, page.host))
        sources[page.host.source.name] = page.host.source
    if anatomy is not None and enabled("runDiagnostics"):
        for view in page.runs:
            if view.is_open:
                problems.extend(changed_since(view, anatomy))
                if view.history.pinned is not None:
                    sources[str(view.history.pinned.path)] = view.history.pinned.anatomy.source
    problems.sort(key=lambda problem: (problem.span.start, problem.code))
    return Findings(tuple(problems), sources)
