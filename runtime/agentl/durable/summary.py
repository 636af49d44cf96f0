"""What a status tells of a journal, gathered line by line: only what it shows is read and kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Literal, TypeAlias, cast

from agentl.codec import load
from agentl.durable.blobs import Blobs
from agentl.durable.chain import stated_link
from agentl.durable.journal import Before, record_of
from agentl.durable.records import KINDS, EndedRecord, Header, Record, ResultRecord
from agentl.durable.stores import Store
from agentl.durable.verify import Lines, sound_lines

End: TypeAlias = Literal["completed", "cancelled"]
_RESULTS = frozenset(kind for kind, model in KINDS.items() if issubclass(model, ResultRecord))
_OF_NO_TICK = frozenset({"header", "resumed", "repaired", "ended"})
_ACTION = re.compile(rb'"tick":\d+,(?:"does":"[a-z]+",)?"action":"([^"\\]*)"')
_NUMBER = re.compile(rb'\{"n":(\d{1,15}),')


def _none(_begin: str) -> Collection[int]:
    return ()


class Summary:
    """What was seen of a journal so far.

    Of an action that has its result and was never in question nothing is kept: a status has nothing to say of
    it. So what is kept does not grow with the journal.
    """

    def __init__(self, name: str, blobs: Blobs, wanted: Callable[[str], Collection[int]] = _none) -> None:
        """Take nothing yet. `wanted`: the h of the header → the numbers whose h is kept in `links`."""
        self._name, self._blobs = name, blobs
        self._wanted = wanted
        self._numbers: Collection[int] = ()
        self.links: dict[int, str | None] = {}
        self._actions: dict[str, list[bytes]] = {}
        self._header: bytes | None = None
        self._of_tick: bytes | None = None
        self._last: bytes | None = None
        self._kinds: Counter[str] = Counter()

    def take(self, sound: Iterator[tuple[str, bytes]], first: int = 0) -> None:
        """Take the records of a journal from number `first`, as `sound_lines` yields them.

        Raises what it raises.
        """
        kinds, resolution = self._kinds, None
        line, of_tick = self._last, self._of_tick
        try:
            for number, (kind, line) in enumerate(sound, first):
                kinds[kind] += 1
                if number in self._numbers:
                    self.links[number] = stated_link(line)
                if kind not in _OF_NO_TICK:
                    of_tick = line
                if kind in _RESULTS or kind == "intent":
                    self._note_action(kind, line)
                elif kind == "resolution":
                    self._actions.setdefault(_action(line), []).append(line)
                elif kind == "verdict" and resolution is not None:
                    # An operator wants it sent again: what the policy says to that comes next.
                    self._actions[_action(resolution)].append(line)
                elif kind == "header":
                    self._header = line
                    self._numbers = self._wanted(self.begin)
                    self.links[0] = self.begin
                resolution = line if kind == "resolution" else None
        finally:
            self._last, self._of_tick = line, of_tick

    def _note_action(self, kind: str, line: bytes) -> None:
        action = _action(line)
        before = self._actions.setdefault(action, [])
        if kind != "intent" and len(before) == 1:
            del self._actions[action]
        else:
            before.append(line)

    def records(self) -> list[Record]:
        """Return what is kept of the actions, in its order. Raises DurableError R203, R206."""
        kept = (self._record(line) for lines in self._actions.values() for line in lines)
        return sorted(kept, key=lambda record: record.n)

    def _record(self, line: bytes) -> Record:
        return record_of(line, load(line), self._name, self._blobs)

    @property
    def header(self) -> Header | None:
        """Record 0, when it was taken."""
        return None if self._header is None else cast("Header", self._record(self._header))

    @property
    def begin(self) -> str:
        """The h of record 0; empty where it was not taken."""
        return "" if self._header is None else stated_link(self._header) or ""

    @property
    def entries(self) -> int:
        """How many records the journal has up to the last that was taken, its header left out."""
        return 0 if self._last is None else int(load(self._last)["n"])

    @property
    def kinds(self) -> dict[str, int]:
        """How many records of each kind were taken, the header left out."""
        return {kind: count for kind, count in self._kinds.items() if kind != "header"}

    @property
    def tick(self) -> int:
        """The tick of the last record that belongs to one."""
        return 0 if self._of_tick is None else int(load(self._of_tick)["tick"])

    @property
    def head(self) -> str | None:
        """The h of the last record that was taken."""
        return None if self._last is None else stated_link(self._last)

    @property
    def end(self) -> End | None:
        """How the run ended; None when it has not."""
        last = self._record(self._last) if self._last is not None and self._kinds["ended"] else None
        return last.how if isinstance(last, EndedRecord) else None


def _action(line: bytes) -> str:
    found = _ACTION.search(line)
    return load(line)["action"] if found is None else found.group(1).decode("ascii")


def link_at(store: Store, number: int) -> str | None:
    """Return the h that record `number` of a sound journal states; None when it has no such record."""
    line = next(islice(Lines(store.pieces()), number, None), None)
    return None if line is None else stated_link(line)


def first_record(store: Store) -> Header | None:
    """Return the header of a journal, and look at nothing else; None when it has none that is whole.

    Raises DurableError R201 to R206, R602.
    """
    summary = Summary(store.name, store.blob)
    _take_first(store, summary)
    return summary.header


def _take_first(store: Store, summary: Summary) -> None:
    pieces = store.pieces()
    line = next(iter(Lines(pieces)), None)
    if line is not None:
        summary.take(sound_lines(Lines([line, b"\n"]), store.name, store.blob))


def take_all(store: Store, summary: Summary) -> None:
    """Verify a journal from its first byte to its last. Raises DurableError R201 to R206, R303, R602."""
    summary.take(sound_lines(Lines(store.pieces()), store.name, store.blob))


def take_tail(store: Store, summary: Summary) -> int | None:
    """Verify the end of a long journal; return the number of the first record that was verified.

    None when the whole is as soon verified, or must be, to say what is wrong. Raises DurableError.
    """
    line, _, rest = store.tail().partition(b"\n")
    number, link = _NUMBER.match(line), stated_link(line)
    if number is None or link is None or number.group(1) == b"0":
        return None
    before = Before(int(number.group(1)) + 1, link)
    _take_first(store, summary)
    summary.take(sound_lines(Lines([rest]), store.name, store.blob, before), before.count)
    return before.count
