"""What a rule asks about an agent is noted: what it found stands for as long as the answers do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import EllipsisType
from typing import Any, Generic, TypeVar, cast

_K = TypeVar("_K")
_V = TypeVar("_V")
_T = TypeVar("_T")
Asked = object
"""A fact of an agent; or such a fact with one key of it, as a pair."""
Facts = dict[object, Any]


class _Watched(Collection[_K]):
    """A collection of which it is noted what is asked: one key of it, or all."""

    def __init__(self, name: object, value: Collection[_K], note: Callable[[Asked], None]) -> None:
        self._name, self._value, self._note = name, value, note

    def __contains__(self, key: object) -> bool:
        self._note((self._name, key))
        return key in self._value

    def __iter__(self) -> Iterator[_K]:
        self._note(self._name)
        return iter(self._value)

    def __len__(self) -> int:
        self._note(self._name)
        return len(self._value)


class Answers(_Watched[_K], Mapping[_K, _V]):
    """A mapping of which it is noted what is asked."""

    _value: Mapping[_K, _V]

    def __getitem__(self, key: _K) -> _V:
        self._note((self._name, key))
        return self._value[key]


class Members(_Watched[_K], AbstractSet[_K]):
    """A set of which it is noted what is asked."""

    @classmethod
    def _from_iterable(cls, it: Any) -> frozenset[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]  # what is made of it is no fact
        return frozenset(it)


_WATCHED: dict[type, Callable[[object, Any, Callable[[Asked], None]], Any]] = {
    dict: Answers,
    set: Members,
    frozenset: Members,
}
_UNKNOWN: Any = object()


class Answering:
    """Something that has facts, worked out when somebody asks; what a rule asks is noted (`listen`)."""

    def __init__(self) -> None:
        self.facts: Facts = {}
        self.uses: dict[object, set[object]] = {}
        """What each fact was worked out from: other facts, and `...` for what is none."""
        self.focus: Any = None
        """What a rule is to look at; None is all there is. A fact is about all."""
        self._listens = False
        self._asked = set[Asked]()
        self._shown: dict[object, Any] = {}
        """The facts of which it is noted what is asked."""
        self._under_way: list[set[object]] = []

    def listen(self, focus: Any, work: Callable[[], _T]) -> tuple[_T, frozenset[Asked]]:
        """Return what rules find that look at `focus`, and what they asked for it."""
        self._listens, self.focus = True, focus
        self._asked.clear()
        try:
            return work(), frozenset(self._asked)
        finally:
            self._listens, self.focus = False, None

    def ask(self, work_out: Callable[[Any], _T]) -> _T:
        """Return a fact, which `work_out` tells of this."""
        if not self._listens:
            return self.answer(work_out)
        shown = self._shown.get(work_out)
        if shown is not None:
            return shown
        value = self.facts.get(work_out, _UNKNOWN)  # while a rule asks, no fact is being worked out
        if value is _UNKNOWN:
            value = self.answer(work_out)
        watched = _WATCHED.get(cast("type", type(value)))
        if watched is not None:
            shown = self._shown[work_out] = watched(work_out, value, self._asked.add)
            return shown
        self._asked.add(work_out)
        return value

    def answer(self, work_out: Callable[[Any], _T]) -> _T:
        """Return a fact; nobody but the fact that is being worked out notes that."""
        if self._under_way:
            self._under_way[-1].add(work_out)
        value = self.facts.get(work_out, _UNKNOWN)
        if value is _UNKNOWN:
            listens, focus, self._listens, self.focus = self._listens, self.focus, False, None
            self._under_way.append(set())
            try:
                value = self.facts[work_out] = work_out(self)
            finally:
                self.uses[work_out] = self._under_way.pop()
                self._listens, self.focus = listens, focus
        return value

    def use_all(self) -> None:
        """Note that the fact that is being worked out looks at more than facts."""
        if self._under_way:
            self._under_way[-1].add(...)


class fact(Generic[_T]):  # noqa: N801  # written as a decorator
    """A property whose value is worked out once; who asked for what of it is noted."""

    def __init__(self, work_out: Callable[[Any], _T]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __get__(self, subject: Answering, _: type[Answering] | None = None) -> _T:
        return subject.ask(self._work_out)


class Changes:
    """What has another answer now than before, of all that was ever answered.

    A fact is worked out anew only where one that it was worked out from has changed, or where it looks at
    more than facts and `is_same` cannot tell that it has not.
    """

    def __init__(self, before: Answering, now: Answering, is_same: Callable[[object], bool]) -> None:
        self.found: set[Asked] = set()
        self._before, self._now, self._is_same = before, now, is_same
        self._known: dict[object, bool] = {}
        for work_out in before.facts:
            self._has_changed(work_out)

    def _has_changed(self, work_out: object) -> bool:
        known = self._known.get(work_out)
        if known is None:
            known = self._known[work_out] = self._look(work_out)
        return known

    def _look(self, work_out: object) -> bool:
        old, uses = self._before.facts[work_out], self._before.uses[work_out]
        only_facts = bool(uses) and ... not in uses
        stays = self._is_same(work_out) or (only_facts and not any(map(self._has_changed, uses)))
        if stays:
            self._now.facts[work_out], self._now.uses[work_out] = old, uses
            return False
        keys = _differing(old, self._now.answer(cast("Callable[[Any], Any]", work_out)))
        if not keys:
            return False
        self.found.add(work_out)
        self.found.update((work_out, key) for key in keys)
        return True


def _differing(old: Any, new: Any) -> AbstractSet[object] | tuple[EllipsisType]:
    if isinstance(old, dict):
        one, other = cast("dict[object, object]", old), cast("dict[object, object]", new)
        keys = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
        return keys or (() if list(one) == list(other) else (...,))  # pyright: ignore[reportReturnType]
    if isinstance(old, set | frozenset):
        return cast("AbstractSet[object]", old) ^ cast("AbstractSet[object]", new)
    return () if old == new else (...,)  # pyright: ignore[reportReturnType]
