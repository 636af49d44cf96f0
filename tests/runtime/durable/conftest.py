"""A small world: one payment, a ledger in memory, three promises, and crashes that no code can catch."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentl import NOT_EXECUTED, Host, current_action, parse_source
from agentl.durable import DurableRun, FileStore, MemoryStore, Store

PAYER = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer {
    INPUT { amount: Number }
    OUTPUT { reference: String }
    SIDE_EFFECT { bank.ledger }
  }
  POLICY {
    DEFAULT ALLOW
    NEVER transfer WHEN tools.transfer.in_doubt == true
  }
  PLAN pay WHEN queue.pending > 0 { STEP send { transfer(amount = 10) } }
  LOOP MAX 2 { OBSERVE SELECT_PLAN EXECUTE }
}
"""


class Crash(BaseException):
    """Stands for the death of the process: neither a program nor a host can catch it."""


@dataclass
class Bank:
    """The only witness. `fails` are raised one a call, before the money moves, `dies` after it moved."""

    promise: str = "idempotent"
    ledger: list[str] = field(default_factory=list)
    calls: list[tuple[str, int]] = field(default_factory=list)
    before: list[BaseException] = field(default_factory=list)
    after: list[BaseException] = field(default_factory=list)
    known: list[Any] = field(default_factory=list)
    retries: int = 0

    def transfer(self, amount: float) -> dict[str, str]:  # as the program calls it
        action = current_action()
        self.calls.append((action.idempotency_key, action.attempt))
        if self.before:
            raise self.before.pop(0)
        if self.promise != "idempotent" or action.idempotency_key not in self.ledger:
            self.ledger.append(action.idempotency_key)
        if self.after:
            raise self.after.pop(0)
        return {"reference": f"entry-{len(self.ledger)}"}

    def reconcile(self, args: dict[str, Any], action: Any) -> Any:  # as a host is called
        if self.known:
            answer = self.known.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        return {"reference": "entry-1"} if action.idempotency_key in self.ledger else NOT_EXECUTED

    def host(self, promise: str | None = None) -> Host:
        promise = promise or self.promise
        host = Host()
        host.sensors["queue.pending"] = lambda: 0 if self.ledger else 1
        host.tool("transfer", idempotent=promise == "idempotent", retries=self.retries)(self.transfer)
        if promise == "reconcilable":
            host.reconciler("transfer")(self.reconcile)
        return host


@pytest.fixture(autouse=True)
def _own_state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def crash() -> type[BaseException]:
    return Crash


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = FileStore(tmp_path / "run") if request.param == "file" else MemoryStore()
    yield made
    made.close()


@pytest.fixture
def payer() -> str:
    return PAYER


@pytest.fixture
def durable(tmp_path: Path) -> Callable[..., DurableRun]:
    """Return a run of a text, by default PAYER in a directory, under the name `run1`."""

    def make(host: Host | None = None, text: str = PAYER, **options: Any) -> DurableRun:
        options.setdefault("store", FileStore(tmp_path / "run"))
        options.setdefault("run_id", "run1")
        return DurableRun(parse_source(text), host, **options)

    return make
