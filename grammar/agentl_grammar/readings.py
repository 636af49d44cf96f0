"""What a parser remembers of the text before: what its members say."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentl_grammar.cutting.lines import common_end
from agentl_grammar.problems import Problem
from agentl_grammar.tree import Agent, Member, Name

# So many characters more than one and a half times those of a text are remembered. Members are not counted:
# each version of a POLICY of hundreds of rules is one, and as large as hundreds of others.
_SPARE = 20_000


@dataclass(frozen=True, slots=True)
class Reading:
    """What a stretch of text between two members' beginnings says, as read at `start`."""

    start: int
    members: tuple[Member, ...]
    problems: tuple[Problem, ...] = ()
    agents: tuple[Agent, ...] = ()


class Healthy:
    """Healthy members by their text alone; those that nobody asked for in a long while are forgotten."""

    def __init__(self) -> None:
        self._recent: dict[str, Reading] = {}
        self._older: dict[str, Reading] = {}
        self._size = 0

    def get(self, text: str) -> Reading | None:
        """Return what a member says, if it is known."""
        reading = self._recent.get(text)
        if reading is None and (reading := self._older.get(text)):
            self.add(text, reading)
        return reading

    def add(self, text: str, reading: Reading) -> None:
        """Remember what a member says."""
        if text not in self._recent:
            self._size += len(text)
        self._recent[text] = reading

    def forget(self, needed: int) -> None:
        """Make room when far more is remembered than a text of `needed` characters."""
        if self._size > needed + needed // 2 + _SPARE:
            self._older, self._recent, self._size = self._recent, {}, 0


class Broken:
    """Broken stretches of one version of a text, by what they depend on; some on all of it that follows."""

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._near: dict[tuple[object, ...], Reading] = {}
        self._far: dict[tuple[object, ...], Reading] = {}
        self._other, self._same = "", 0

    def get(self, near: tuple[object, ...], text: str, end: int) -> Reading | None:
        """Return what a stretch says that ends at `end` of another version, if it is known."""
        behind = len(text) - end
        if near in self._near or (*near, behind) not in self._far:
            return self._near.get(near)
        if self._other is not text:
            self._other, self._same = text, common_end(self._text, text)
        return self._far[*near, behind] if behind <= self._same else None

    def add(self, near: tuple[object, ...], end: int, reading: Reading, *, far: bool) -> None:
        """Remember what a stretch says that ends at `end`; with `far`, as long as what follows is alike."""
        if far:
            self._far[*near, len(self._text) - end] = reading
        else:
            self._near[near] = reading


@dataclass(frozen=True, slots=True)
class Memory:
    """The readings of one version of a text; those of healthy members go on to the next."""

    heads: dict[str, Name] = field(default_factory=dict[str, Name])
    healthy: Healthy = field(default_factory=Healthy)
    broken: Broken = field(default_factory=Broken)

    def next(self, text: str) -> Memory:
        """Return the memory of the next version, to be filled with what it needs."""
        return Memory(healthy=self.healthy, broken=Broken(text))
