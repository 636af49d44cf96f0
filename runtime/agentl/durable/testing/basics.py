"""What the checks of stores share: expectations, and records that are chained but mean nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import TypeAlias

from agentl.durable.chain import START, seal_line
from agentl.durable.stores import Store
from agentl.errors import DurableError, StoreFailure
from agentl_grammar.problems import Message

Place: TypeAlias = Callable[[], Store]
"""Opens one place anew, as another process would."""
Check: TypeAlias = Callable[[Place], None]


def expect(holds: object, what: str) -> None:
    """Raise AssertionError, saying what was expected, unless it holds."""
    if not holds:
        raise AssertionError(what)


@contextlib.contextmanager
def refused(code: str, what: str) -> Generator[None]:
    """Expect the block to be refused with a code."""
    try:
        yield
    except (DurableError, StoreFailure) as error:
        expect(error.code == code, f"{what}: {code} expected, {error.code} raised")
        parts: tuple[object, ...] = (error.message, error.action)  # a store of others may say anything
        said = error.place.path and all(isinstance(part, Message) for part in parts)
        expect(said, f"{what}: {code} lacks what agentl.durable.refusals gives it")
    else:
        raise AssertionError(f"{what}: {code} expected, nothing raised")


@contextlib.contextmanager
def opened(place: Place) -> Generator[Store]:
    """Hold the run for the length of the block."""
    store = place()
    store.open(write=True)
    try:
        yield store
    finally:
        store.close()


def chained(
    count: int, *, previous: str = START, first: int = 0, value: str = ""
) -> list[tuple[int, str, bytes]]:
    """Return (n, h of the record before, line) of so many records in one chain."""
    made: list[tuple[int, str, bytes]] = []
    for n in range(first, first + count):
        line, h = seal_line(previous, {"n": n, "kind": "test", "value": value})
        made.append((n, previous, line))
        previous = h
    return made


def fill(store: Store, records: list[tuple[int, str, bytes]]) -> None:
    """Append records, each synced."""
    for n, previous, line in records:
        store.append(n, previous, line, sync=True)


def fill_at_once(store: Store, records: list[tuple[int, str, bytes]]) -> None:
    """Append records, the last one synced."""
    for n, previous, line in records:
        store.append(n, previous, line, sync=n == records[-1][0])


def text(records: list[tuple[int, str, bytes]]) -> bytes:
    """Return records as `Store.records` does."""
    return b"".join(line + b"\n" for _, _, line in records)
