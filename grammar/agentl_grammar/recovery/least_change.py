"""The repairs of a stretch that change least: each is read to its end before one is chosen.

A bracket at the wrong place can be understood in several ways, and only what follows tells which was meant.
"""

from __future__ import annotations

from itertools import chain, islice

from agentl_grammar.builder import Builder
from agentl_grammar.builder.parts import TooDeepError
from agentl_grammar.lalr import Engine
from agentl_grammar.problems import Problem
from agentl_grammar.recovery.reading_on import MOST_PROBLEMS, Mistake, Reader, Recovery, Stretch, changed
from agentl_grammar.recovery.track import begun
from agentl_grammar.recovery.working import keep_working
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.misplaced import OUTSIDE
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS

# One problem more is worse than so many tokens left out.
_PROBLEM = 5
_LEAST_CHANGED = 3
_MOST_TOKENS = 1000
# So many mistakes of a stretch, the first ones, are looked at, and so many repairs of each.
_MISTAKES, _REPAIRS = 3, 16


def recover(engine: Engine, builder: Builder, source: Source, stretch: Stretch) -> Recovery:
    """Read a stretch with problems, and mend it so that few are left to report and much of it is kept."""
    builder.begin()
    reader = Reader(source, stretch)
    best = reader.read(begun(engine, builder, stretch.tokens, closed=stretch.closed, last=stretch.last), [])
    few = len(stretch.tokens) <= _MOST_TOKENS
    for number in range(_MISTAKES if few and not (_matched(stretch) and not _contradicts(best)) else 0):
        if number >= len(best.mistakes) or not _is_poor(best, number):
            break
        best = _better(reader, best, number)
    inside = [problem for mistake, _ in best.mistakes for problem in _told_inside(source, mistake)]
    recovery = keep_working(best)
    recovery.problems += inside
    return recovery


def _told_inside(source: Source, mistake: Mistake) -> list[Problem]:
    """Return what is wrong in the braces of a misplaced member that the repair of a mistake left out."""
    left_out = mistake.left_out()
    stretch, track = left_out or (None, None)
    inside = stretch.tokens[stretch.head :] if stretch else []
    begin = next((token.end for token in inside if token.type == "_LBRACE"), None)
    if not stretch or not track or begin is None:
        return []
    problems = keep_working(Reader(source, stretch).read(track, [])).problems
    # What is wrong in its head tells that it is no member.
    return problems if all(problem.span.start >= begin for problem in problems) else []


def _better(reader: Reader, best: Recovery, number: int) -> Recovery:
    """Return the best of a recovery and of those that repair the mistake of that number in another way."""
    mistake, problems = best.mistakes[number]
    if _ends_on_its_line(mistake.problem):
        return best
    before = best.mistakes[: number + 1]
    others = chain(islice(mistake.likely(), 1, None), mistake.chances(), (mistake.nothing(),))
    # Where a mistake has a fix of its own, nothing else needs to be left out.
    least = len(reader.stretch.tokens) - _LEAST_CHANGED if mistake.problem.fixes else 0
    try:
        for track in islice(others, _REPAIRS):
            if len(track.tokens) < least or _PROBLEM * len(problems) + changed(
                track.tokens, reader.stretch.tokens
            ) >= _cost(best):
                continue
            most = min(MOST_PROBLEMS, _cost(best) // _PROBLEM + 1)
            other = reader.read(track, problems, most, chances=True)
            if not other.absurd and _cost(other) < _cost(best) and _is_told_less(other, best, mistake):
                mistake.repaired(track)
                other.mistakes = before + other.mistakes
                best = other
    except TooDeepError:
        return best
    return best


def _ends_on_its_line(problem: Problem) -> bool:
    """Tell whether a `(` or `[` is surely to be closed at the end of its line."""
    return problem.code == "S102" and problem.span.start == problem.span.end and bool(problem.fixes)


def _is_told_less(other: Recovery, best: Recovery, mistake: Mistake) -> bool:
    """Tell whether less is told; where a mistake has a fix of its own, fewer changes are no reason."""
    return len(other.problems) < len(best.problems) or not mistake.problem.fixes


def _matched(stretch: Stretch) -> bool:
    """Tell whether every bracket is closed by one of its kind: mistakes are independent then."""
    opened: list[str] = []
    for token in stretch.tokens:
        if token.type in CLOSERS:
            opened.append(CLOSERS[token.type])
        elif token.type in CLOSER_TEXTS and (not opened or opened.pop() != token.type):
            return False
    return len(opened) == stretch.closed


def _contradicts(recovery: Recovery) -> bool:
    """Tell whether brackets that match are said not to."""
    return any(
        problem.code in ("S102", "S119") or problem.message.template == OUTSIDE
        for problem in recovery.problems[1:]
    )


def _is_poor(recovery: Recovery, known: int) -> bool:
    """Tell whether there may be something better behind the first `known` repairs."""
    _, told = recovery.mistakes[known]
    return len(recovery.problems) > len(told) or (not known and recovery.changed > _LEAST_CHANGED)


def _cost(recovery: Recovery) -> int:
    return _PROBLEM * len(recovery.problems) + recovery.changed
