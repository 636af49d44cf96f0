"""Paths that nothing gives a value, one slip away from one that something gives (§8.4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from agentl_grammar.checks.contents import Joined
from agentl_grammar.checks.index import Index
from agentl_grammar.checks.naming import LOCALS, prefixes
from agentl_grammar.checks.paths import covers, joined, member_paths
from agentl_grammar.syntax_errors.near import is_slip

_PATHS = Joined(member_paths, joined)
_OF_AN_ACTION = ("action.tool", "action.risk", "action.origin", "action.confidence")
_FROM_OUTSIDE = LOCALS - {"action", "result"} | {"operator", "shared", "SHARED"}
_DIGITS = re.compile(r"\d").findall
_SHORTEST, _LONGEST = 2, 40

_Place = tuple[int, tuple[str, ...]]
"""A segment of a path: how many stand before it, and all the others."""


def known_paths(index: Index) -> frozenset[str]:
    """Return the paths that the program or the runtime gives a value."""
    return index.ask(_PATHS).known


def misspelt_paths(index: Index) -> dict[str, str]:
    """Return the dotted paths that are read and never given, with the one that each is a slip for.

    There is none where two are meant as likely, or where the two differ by a digit.
    """
    # What is defined is known, and that is told at once: what all members give is asked for the others only.
    dotted = [text for text in index.read_paths if "." in text and not index.is_defined(text)]
    if not dotted:
        return {}
    known, above = index.ask(_known), index.ask(_known_and_above)
    outside = {*_FROM_OUTSIDE, *index.loop_variables, *index.parameters}
    strange = [text for text in dotted if text not in above and text.partition(".")[0] not in outside]
    unknown = [text for text in strange if not covers(known, text)]
    near = index.ask(_near)
    return {text: meant for text in unknown if (meant := near.meant(text))}


def misspelt_by_meant(index: Index) -> dict[str, str]:
    """Return the paths that are meant by misspelt ones, each with one of these."""
    return {meant: text for text, meant in sorted(index.ask(misspelt_paths).items(), reverse=True)}


def _known(index: Index) -> frozenset[str]:
    arguments = (f"action.args.{name}" for name in index.parameters)
    return index.ask(known_paths).union(_OF_AN_ACTION, arguments)


def _known_and_above(index: Index) -> frozenset[str]:
    return frozenset[str]().union(*map(prefixes, index.ask(_known)))


class _Near:
    """What a path may be a slip for: the known paths by their places, each looked at when it is asked for."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = known
        self._meant: dict[str, str | None] = {}
        self._variants: dict[_Place, dict[str, set[str]]] = {}

    @cached_property
    def _segments(self) -> dict[_Place, list[str]]:
        segments: dict[_Place, list[str]] = defaultdict(list)
        for path in self._known:
            for place, segment in _places(path):
                segments[place].append(segment)
        return segments

    def meant(self, text: str) -> str | None:
        """Return the one path that `text` is likely a slip for; none where two are meant as likely."""
        if text not in self._meant:
            meant = set(self._slips(text))
            self._meant[text] = meant.pop() if len(meant) == 1 else None
        return self._meant[text]

    def _slips(self, text: str) -> Iterator[str]:
        for place, segment in _places(text):
            variants = self._variants_at(place)
            at, others = place
            for other in {other for each in _variants(segment) for other in variants.get(each, ())}:
                if _is_meant(segment, other):
                    yield ".".join((*others[:at], other, *others[at:]))

    def _variants_at(self, place: _Place) -> dict[str, set[str]]:
        if place not in self._variants:
            found: dict[str, set[str]] = {}
            for segment in self._segments.get(place, ()):
                for variant in _variants(segment):
                    found.setdefault(variant, set()).add(segment)
            self._variants[place] = found
        return self._variants[place]


def _near(index: Index) -> _Near:
    return _Near(index.ask(_known))


def _places(path: str) -> Iterator[tuple[_Place, str]]:
    segments = tuple(path.split("."))
    if len(segments) > 1:
        for at, segment in enumerate(segments):
            if len(segment) <= _LONGEST:
                yield (at, (*segments[:at], *segments[at + 1 :])), segment


def _variants(segment: str) -> Iterable[str]:
    """Return a segment, and what is left of it without one of its letters: two that are a slip share one."""
    return {segment, *(segment[:at] + segment[at + 1 :] for at in range(len(segment)))}


def _is_meant(segment: str, other: str) -> bool:
    long_enough = len(segment) > _SHORTEST and len(other) >= _SHORTEST
    return long_enough and _DIGITS(segment) == _DIGITS(other) and is_slip(segment, other)
