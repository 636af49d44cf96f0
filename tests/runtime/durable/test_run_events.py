"""Events of a run: each is delivered, once, however often the run is resumed (durability.md §6)."""

import threading
from contextlib import nullcontext

import pytest

from agentl import Host, HostError, Symbol
from agentl.durable import DurableError, FileStore

LISTENING = """
AGENT listener {
  BELIEF { heard = 0 }
  TOOL ping { INPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  EVENT order { SET heard = heard + 1 }
  PLAN go WHEN pinged != yes { STEP one { ping(n = 1) SET pinged = yes } }
  LOOP MAX 3 { SELECT_PLAN EXECUTE }
}
"""


def listening_host(crashes: list[BaseException], emitted_outside: list[Host]) -> Host:
    host = Host()
    emitted_outside.append(host)
    host.emit("order", number=1)
    host.emit("order", number=2)

    @host.tool("ping", idempotent=True)
    def ping(n: int) -> None:
        host.emit("order", number=3, tags=(1, Symbol("x")))
        if crashes:
            raise crashes.pop()

    return host


def test_events_of_build_and_of_tools_are_delivered_exactly_once_over_crashes(durable, crash, store) -> None:
    crashes = [crash(), crash()]
    hosts: list[Host] = []
    for _ in range(2):
        with pytest.raises(crash):
            durable(listening_host(crashes, hosts), LISTENING, store=store).run()
    run = durable(listening_host(crashes, hosts), LISTENING, store=store)
    machine = run.run()
    assert machine.state.get("heard") == 3
    assert [entry["id"] for entry in store.entries()] == ["build:0", "build:1", "run1:listener:t1:a1:0"]
    drained = [record.value for record in run.journal.records if record.kind == "drain"]
    assert [[event["id"] for event in events] for events in drained] == [
        ["build:0", "build:1"], ["run1:listener:t1:a1:0"], [],
    ]  # fmt: skip
    assert drained[1][0]["payload"] == {"number": 3, "tags": {"$tuple": [1, {"$symbol": "x"}]}}


def test_what_a_repeated_action_emits_instead_is_another_event_and_none_is_lost(
    durable, crash, store
) -> None:
    crashes = [crash()]
    for attempt in (1, 2):
        host = Host()
        host.emit("order", process=attempt)  # built anew by each process, and each says something else
        host.emit("order", process=0)

        @host.tool("ping", idempotent=True, retries=1)
        def ping(n: int, attempt=attempt, host=host) -> None:
            host.emit("order", attempt=attempt)
            host.emit("order", attempt=0)
            if crashes:
                raise crashes.pop()

        run = durable(host, LISTENING, store=store)
        with pytest.raises(crash) if attempt == 1 else nullcontext():
            run.run()
    assert [(entry["id"], entry["payload"]) for entry in store.entries()] == [
        ("build:0", {"process": 1}),
        ("build:1", {"process": 0}),
        ("run1:listener:t1:a1:0", {"attempt": 1}),
        ("run1:listener:t1:a1:1", {"attempt": 0}),
        ("build:0~2", {"process": 2}),
        ("run1:listener:t1:a1:0~2", {"attempt": 2}),
    ]
    assert run.runtime.state.get("heard") == 6


def test_an_event_without_a_name_is_refused_and_the_inbox_stays_sound(durable, store) -> None:
    host = Host()
    for name in (5, None, b"order", Symbol("order"), ["order"], ""):
        with pytest.raises(HostError, match="an event needs a name") as refused:
            host.emit(name)
        assert refused.value.code == "H104"
    host.tool("ping")(lambda n: host.emit(n, said=n))
    assert durable(host, LISTENING, store=store).run().state.get("heard") == 0
    assert not store.entries()


def test_an_event_in_flight_when_its_drain_was_not_yet_recorded_is_delivered(durable, crash, store) -> None:
    host = Host()
    durable(host, LISTENING, store=store)
    store.open(write=True)
    store.put_in({"id": "x", "kind": "event", "source": "order", "payload": {}})
    store.close()
    host.tool("ping")(lambda n: None)
    assert durable(host, LISTENING, store=store).run().state.get("heard") == 1


def test_a_lost_journal_is_refused_while_the_inbox_tells_that_the_run_began(durable, tmp_path) -> None:
    host = Host()

    @host.tool("ping")
    def ping(n: int) -> None:
        host.emit("order")

    durable(host, LISTENING, store=FileStore(tmp_path / "run")).run()
    (tmp_path / "run" / "wal.jsonl").unlink()
    with pytest.raises(DurableError) as refused:
        durable(host, LISTENING, store=FileStore(tmp_path / "run")).run()
    assert refused.value.code == "R205"
    assert not (tmp_path / "run" / "wal.jsonl").exists()


def test_events_from_another_thread_reach_the_inbox(durable, store) -> None:
    host = Host()

    @host.tool("ping")
    def ping(n: int) -> None:
        sender = threading.Thread(target=lambda: host.emit("order"))
        sender.start()
        sender.join()

    machine = durable(host, LISTENING, store=store).run()
    assert machine.state.get("heard") == 1
    assert len(store.entries()) == 1


class Relay(Host):
    """A host that brings its own events."""

    def __init__(self) -> None:
        super().__init__()
        known = {"id": "r1", "source": "order", "payload": {}}
        self.events = [[known, {"source": "order", "payload": {}}], [known], ["no event"]]

    def drain(self):
        return self.events.pop(0)


def test_a_host_that_overrides_drain_is_heard_too(durable, store) -> None:
    host = Relay()
    host.tool("ping")(lambda n: None)
    assert durable(host, LISTENING, store=store).run().state.get("heard") == 2
