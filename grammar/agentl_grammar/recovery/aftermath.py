"""What follows from a repair: a problem that is told of the text as mended, and is none of the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from agentl_grammar.lexer import Token
from agentl_grammar.problems import Problem
from agentl_grammar.recovery.heads import goes_on
from agentl_grammar.recovery.lines import is_cut_off, lacks_block
from agentl_grammar.syntax_errors.misplaced import MIXED
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, CLOSERS, Opener, Place

_OPENERS = ("{", "(", "[")
# So many tokens may stand between `catch` and its `{`.
_FAR = 12
_BRANCHES = ("_THEN", "_ELSE")
_CHOOSING = ("SWITCH", "MATCH")


def follows(place: Place, problem: Problem, told: Sequence[Problem], written: list[Token]) -> bool:
    """Tell whether `problem` at `place` follows from the repair of one of those told before.

    `written` are the tokens as they stand in the text, those of the place are mended.
    """
    if problem.code == "S102":
        opened = problem.related[0].span
        return place.source.slice(opened) not in _OPENERS or _is_behind(opened.end, told, written)
    if place.token.type == "_ELSE":
        return _lost_its_if(place, written)
    if place.token.type == "_THEN" and place.previous:
        return _count(written, place.previous.end - 1, place.token.start) > 0
    if problem.message.template == MIXED and place.inner:
        return not _is_mixed(place, place.inner, told)
    if problem.code != "S121" or not place.inner:
        of_head = _is_of_told_head(place, told) or _is_of_choice(place, told)
        return of_head or is_cut_off(place) or _goes_on(place, told, written)
    begin, end = place.inner.token.start, place.token.start
    return _count(written, begin, end) > _count(place.tokens, begin, end)


def _is_of_choice(place: Place, told: Sequence[Problem]) -> bool:
    """Tell whether the place is a `:` of what chooses elsewhere, which was told: `a ? b : c`, SWITCH."""
    return place.token.type == "_COLON" and (_is_behind_question(place) or _is_case(place, told))


def _is_behind_question(place: Place) -> bool:
    """Tell whether a `?`, which is told, stands before the place on its line: `a ? b : c`."""
    line = [*place.line_so_far(), place.token]
    return any("?" in place.source.text[one.end : other.start] for one, other in pairwise(line))


def _is_case(place: Place, told: Sequence[Problem]) -> bool:
    """Tell whether the place is in the braces of a SWITCH that was told itself."""
    heads = {
        place.source.line_number(problem.span.start) + 1
        for problem in told
        if place.source.slice(problem.span).upper() in _CHOOSING
    }
    return any(place.line(opener.token) in heads for opener in place.openers)


def _is_of_told_head(place: Place, told: Sequence[Problem]) -> bool:
    """Tell whether the block is missing of a statement that was told itself."""
    return lacks_block(place) and any(problem.span == place.line_before()[0].span for problem in told)


def _goes_on(place: Place, told: Sequence[Problem], written: list[Token]) -> bool:
    """Tell whether the place goes on with blocks whose head was told: `try { … } catch { … }`."""
    lines = {place.source.line_number(problem.span.start) for problem in told}
    at: int | None = bisect_left(written, place.token.start, key=_start)
    while at is not None and lines:
        at = _block_before(written, at)
        if at is not None and place.source.line_number(written[at].start) in lines:
            return True
    return False


def _block_before(written: list[Token], index: int) -> int | None:
    """Return where the block opens that the head around token `index` goes on with, if it does."""
    words = range(min(index, len(written) - 1), max(0, index - _FAR), -1)
    end = next((at for at in words if goes_on(written, at)), None)
    depth, at = 1, 0 if end is None else end - 1
    while at and depth:
        at -= 1
        depth += (written[at].type == "_RBRACE") - (written[at].type == "_LBRACE")
    return at or None


def _is_mixed(place: Place, plan: Opener, told: Sequence[Problem]) -> bool:
    """Tell whether a PLAN mixes STEPs and statements as it is written, which is told once.

    There is a statement that was read without a repair on its line.
    """
    inside = [problem for problem in told if plan.token.start < problem.span.start < place.token.start]
    if any(problem.message.template == MIXED for problem in inside):
        return False
    broken = {place.source.line_number(problem.span.start) + 1 for problem in inside}
    begin, depth = bisect_left(place.tokens, plan.token.end, key=_start), 0
    for before, token in pairwise(place.tokens[begin - 1 : place.index + 1]):
        anew = depth == 0 and place.line(before) < place.line(token) and place.line(token) not in broken
        if anew and token.type not in ("_STEP", *CLOSERS, *CLOSER_TEXTS):
            return True
        depth += (token.type in CLOSERS) - (token.type in CLOSER_TEXTS)
    return not inside


def _start(token: Token) -> int:
    return token.start


def _is_behind(offset: int, told: Sequence[Problem], written: list[Token]) -> bool:
    """Tell whether a problem was told of what stands at once behind a bracket: it is that of the bracket."""
    behind = next((token.start for token in written if token.start >= offset), -1)
    return any(problem.span.start == behind for problem in told)


def _lost_its_if(place: Place, written: list[Token]) -> bool:
    """Tell whether a repair left out what stood before the branch, or the branch, that an ELSE belongs to."""
    depth, at, joints = 0, place.index, [place.index]
    while at and depth >= 0:
        at -= 1
        kind = place.tokens[at].type
        depth += (kind in CLOSER_TEXTS) - (kind in CLOSERS)
        if depth == 0 and kind in _BRANCHES:
            joints += [at] * (kind == "_THEN")
            break
        if depth == 0 and _begins_statement(place, at):
            break
    spans = [(place.tokens[joint - 1].end - 1, place.tokens[joint]) for joint in joints]
    return any(token.start == token.end or _count(written, begin, token.start) for begin, token in spans)


def _begins_statement(place: Place, at: int) -> bool:
    """Tell whether a line begins with token `at`, and no branch with that line."""
    before = place.tokens[at - 1] if at else None
    return (
        before is not None
        and before.type not in _BRANCHES
        and place.line(before) < place.line(place.tokens[at])
    )


def _count(tokens: Sequence[Token], begin: int, end: int) -> int:
    """Return how many tokens start behind `begin` and before `end`."""
    return sum(begin < token.start < end for token in tokens)
