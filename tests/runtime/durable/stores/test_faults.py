"""Stores that lose, tear or keep what was not synced, and runs that live on them (faults.md).

The wrapper stands outside of the product: it is a disk whose power fails. Whatever it does, the world sees an
action once under one key, no record is taken for another, and the run ends.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import journal_verifier
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from store_kinds import LASTING

from agentl import NOT_EXECUTED, Host, current_action, parse_source
from agentl.durable import DurableRun, MemoryStore, Store, status
from agentl.durable.testing import chained

PROGRAM = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number }  OUTPUT { reference: String }  SIDE_EFFECT { ledger } }
  POLICY { DEFAULT ALLOW  NEVER transfer WHEN tools.transfer.in_doubt == true }
  PLAN pay WHEN queue.pending > 0 { transfer(amount = queue.pending) }
  LOOP MAX 4 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
PARSED = parse_source(PROGRAM)
TICKS = 4


class PowerCut(BaseException):
    """The process is gone; what was not synced is in the hands of the disk."""


class Disk(MemoryStore):
    """A store whose unsynced bytes may be lost, torn or kept when the power fails."""

    def __init__(self) -> None:
        super().__init__()
        self.synced = 0
        self.writes_left = -1

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        if self.writes_left == 0:
            raise PowerCut
        self.writes_left -= 1
        super().append(n, previous, line, sync=sync)
        if self.writes_left == 0:
            raise PowerCut
        if sync:
            self.synced = len(self._data)

    def keep(self, length: int, *, finish: bool) -> None:
        super().keep(length, finish=finish)
        self.synced = len(self._data)

    def put_blob(self, digest: str, data: bytes) -> None:
        if self.writes_left == 0:
            raise PowerCut
        super().put_blob(digest, data)

    def copied(self) -> "Disk":
        """Another disk with what this one holds."""
        other = Disk()
        other._data, other.synced = bytearray(self._data), self.synced
        other._programs, other._blobs = dict(self._programs), dict(self._blobs)
        return other

    def fail(self, kept: float) -> None:
        """Keep this part of what was not synced: none, all, or up to the middle of a line."""
        unsynced = len(self._data) - self.synced
        del self._data[self.synced + round(unsynced * kept) :]
        self.close()


class World:
    """The bank: what it was asked, by key."""

    def __init__(self, promise: str) -> None:
        self.promise = promise
        self.ledger: dict[str, float] = {}
        self.asked: list[str] = []
        self.dies = False
        self.size = 1

    def host(self) -> Host:
        host = Host()
        host.sensors["queue.pending"] = lambda: 10

        def transfer(amount: float) -> dict[str, str]:
            key = current_action().idempotency_key
            self.asked.append(key)
            self.ledger[key] = amount
            if self.dies:
                raise PowerCut
            return {"reference": key * self.size}

        host.tool("transfer", idempotent=self.promise == "idempotent")(transfer)
        if self.promise == "reconcilable":
            host.reconciler("transfer")(self.reconcile)
        return host

    def reconcile(self, args: dict[str, Any], action: Any) -> Any:
        key = action.idempotency_key
        return {"reference": key * self.size} if key in self.ledger else NOT_EXECUTED


class PowerFails(RuleBasedStateMachine):
    """A run is started, cut off anywhere, its disk forgets what it may, and it is started again."""

    promise = "idempotent"

    def __init__(self) -> None:
        super().__init__()
        self.disk, self.world = Disk(), World(self.promise)
        self.synced_once = b""

    @rule(writes=st.integers(0, 24), kept=st.sampled_from([0.0, 1.0, 0.3, 0.9]))
    def run_until_the_power_fails(self, writes: int, kept: float) -> None:
        self.disk.writes_left = writes
        with contextlib.suppress(PowerCut):
            self.start()
        self.disk.fail(kept)

    @rule(kept=st.sampled_from([0.0, 1.0, 0.5]))
    def fail_inside_the_tool(self, kept: float) -> None:
        self.world.dies, self.disk.writes_left = True, -1
        with contextlib.suppress(PowerCut):
            self.start()
        self.world.dies = False
        self.disk.fail(kept)

    @precondition(lambda self: status(self.disk).state == "interrupted")
    @rule()
    def look(self) -> None:
        before = self.disk.records()
        status(self.disk)
        assert self.disk.records() == before

    @rule(large=st.booleans())
    def answer_at_another_length(self, *, large: bool) -> None:
        """What the bank says is a large value from now on, or a short one."""
        self.world.size = 3_000 if large else 1

    @rule()
    def go_on_with_a_copy(self) -> None:
        self.disk = self.disk.copied()

    @precondition(lambda self: status(self.disk).state == "completed")
    @rule()
    def prune(self) -> None:
        self.disk.open(write=True)
        self.disk.remove()
        self.disk.close()
        assert (self.disk.records(), self.disk._blobs, self.disk._programs) == (b"", {}, {})
        self.disk, self.world, self.synced_once = Disk(), World(self.promise), b""

    @rule()
    def run_to_the_end(self) -> None:
        self.disk.writes_left = -1
        self.start()
        assert status(self.disk).state == "completed"
        journal_verifier.verify(self.disk.records(), self.disk._blobs)

    def start(self) -> None:
        DurableRun(PARSED, self.world.host(), store=self.disk, run_id="run1").run()

    @invariant()
    def what_was_synced_is_there_for_good(self) -> None:
        now = self.disk.records()[: self.disk.synced]
        assert now.startswith(self.synced_once)
        self.synced_once = now

    @invariant()
    def the_world_saw_no_more_than_the_run_has_ticks(self) -> None:
        assert len(self.world.ledger) <= TICKS
        if self.promise != "idempotent":
            assert len(self.world.asked) == len(set(self.world.asked))

    @invariant()
    def every_effect_has_an_intent_that_was_synced_before(self) -> None:
        synced = self.disk.records()[: self.disk.synced]
        for key in self.world.ledger:
            assert f'"idempotency_key":"{key}"'.encode() in synced


class PowerFailsWithAReconciler(PowerFails):
    promise = "reconcilable"


class PowerFailsWithoutAPromise(PowerFails):
    promise = "none"


LIMITS = settings(
    max_examples=40, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck)
)
TestIdempotent = PowerFails.TestCase
TestIdempotent.settings = LIMITS
TestReconcilable = PowerFailsWithAReconciler.TestCase
TestReconcilable.settings = LIMITS
TestWithoutPromise = PowerFailsWithoutAPromise.TestCase
TestWithoutPromise.settings = LIMITS


# ------------------------------------------------------------------------------------------ all stores alike


def story(store: Callable[[], Store]) -> list[bytes]:
    """A run that is cut off in a tool and resumed; its records without header and links."""
    world = World("idempotent")
    world.dies = True
    with pytest.raises(PowerCut):
        DurableRun(PARSED, world.host(), store=store(), run_id="run1").run()
    world.dies = False
    DurableRun(PARSED, world.host(), store=store(), run_id="run1").run()
    lines = store().records().splitlines()
    journal_verifier.verify(b"\n".join(lines) + b"\n")
    return [line[:-72] for line in lines[1:]]


@pytest.mark.parametrize("kind", LASTING)
def test_the_same_run_leaves_the_same_records_in_every_store(
    kind: str, place: Callable[[str], Callable[[], Store]]
) -> None:
    assert story(place(kind)) == story(place("memory"))


@pytest.mark.parametrize("kind", LASTING)
def test_records_that_were_not_synced_are_lost_with_the_process_or_kept_never_torn(
    kind: str, place: Callable[[str], Callable[[], Store]]
) -> None:
    store = place(kind)()
    store.open(write=True)
    lines = chained(4)
    for n, previous, line in lines:
        store.append(n, previous, line, sync=n == 1)
    seen = place(kind)().records()
    whole = [b"".join(line + b"\n" for _, _, line in lines[:count]) for count in (2, 3, 4)]
    assert seen in whole
    store.close()
