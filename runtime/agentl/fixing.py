"""All fixes at once, for `agentl check --fix` and for the editor: every other byte stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from agentl_grammar.problems import Fix, Problem, Severity
from agentl_grammar.source import Span

_MORE_ROUNDS = 50
"""How often what fixes brought is looked at again; each problem that was there may take its own round."""
Look = Callable[[str], Sequence[Problem]]


def fixed(text: str, look: Look) -> tuple[str, int]:
    """Return a text with its fixes applied, and how many were; `look` finds the problems of a text.

    A problem with a choice of fixes is left to a person, and so is a fix that is a guess. Fixes that would
    bring a new error are left out, and their problems stay told.
    """
    found, count = look(text), 0
    for _ in range(len(found) + _MORE_ROUNDS):
        only = (problem.fixes[0] for problem in found if len(problem.fixes) == 1)
        taken = _harmless(text, look, found, [], _compatible([fix for fix in only if not fix.guess]))
        new = _edited(text, taken)
        if new == text:
            break
        text, found, count = new, look(new), count + len(taken)
    return text, count


def _harmless(text: str, look: Look, found: Sequence[Problem], kept: list[Fix], more: list[Fix]) -> list[Fix]:
    """Return `kept` and those of `more` that together bring no new error, searching by halves."""
    if not more or not _new_errors(found, look(_edited(text, [*kept, *more]))):
        return [*kept, *more]
    if len(more) == 1:
        return kept
    half = len(more) // 2
    kept = _harmless(text, look, found, kept, more[:half])
    return _harmless(text, look, found, kept, more[half:])


def _compatible(fixes: Sequence[Fix]) -> list[Fix]:
    """Return as many fixes as do not touch each other."""
    taken: list[Fix] = []
    for fix in fixes:
        spans = [span for other in taken for span, _ in other.replacements]
        if not any(_touch(span, other) for span, _ in fix.replacements for other in spans):
            taken.append(fix)
    return taken


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _edited(text: str, fixes: Sequence[Fix]) -> str:
    edits = (edit for fix in fixes for edit in fix.replacements)
    for span, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def _new_errors(before: Sequence[Problem], after: Sequence[Problem]) -> bool:
    counts = [Counter(p.code for p in found if p.severity is Severity.ERROR) for found in (before, after)]
    return bool(counts[1] - counts[0]) and not any(code.startswith("S") for code in counts[0])
