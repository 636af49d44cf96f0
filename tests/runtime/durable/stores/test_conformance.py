"""The suite that every store must pass, for all of ours; and that it notices a store which does not."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from store_kinds import KINDS

from agentl.durable import DurableError, MemoryStore, Store, StoreFailure
from agentl.durable.chain import stated_link
from agentl.durable.testing import CHECKS, Check


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_store(check: Check, kind: str, place: Callable[[str], Callable[[], Store]]) -> None:
    check(place(kind))


class Trusting(MemoryStore):
    """Takes a record after any other."""

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        self._data += line + b"\n"


class Shared(MemoryStore):
    """Lets two processes hold one run."""

    def open(self, *, write: bool) -> None:
        self._holder = None
        super().open(write=write)


class Forgetful(MemoryStore):
    """Loses what was not synced, also when nothing went wrong."""

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        if sync:
            super().append(n, previous, line, sync=sync)
        self._due = n + 1, stated_link(line) or ""


class Doubling(MemoryStore):
    """Puts an entry in again when its sender asks again."""

    def put_in(self, entry: Mapping[str, Any]) -> bool:
        self._ids.clear()
        return super().put_in(entry)


class Terse(MemoryStore):
    """Refuses with a text that nobody can translate, and no next step."""

    def open(self, *, write: bool) -> None:
        if write and self._holder is not None:
            raise DurableError("R304", "held")
        super().open(write=write)


class Vague(MemoryStore):
    """Says that the run is held, and nothing of who holds it."""

    def holder(self) -> Any:
        return super().holder() is not None or None


class Lingering(MemoryStore):
    """Keeps the sources of a run that was removed."""

    def remove(self) -> None:
        programs = self._programs
        super().remove()
        self._programs = programs


@pytest.mark.parametrize("kind", [Trusting, Shared, Forgetful, Doubling, Terse, Vague, Lingering])
def test_a_store_that_does_not_do_what_it_must_fails_a_check(kind: type[MemoryStore]) -> None:
    failed = []
    for check in CHECKS:
        store = kind()
        try:
            check(lambda store=store: store)
        except (AssertionError, DurableError, StoreFailure):
            failed.append(check)
    assert failed
    assert len(failed) < len(CHECKS)
