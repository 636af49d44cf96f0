"""Every refusal of a run, produced once: its code, its place, its next step; none changes a byte."""

import hashlib
import json
from pathlib import Path

import pytest

from agentl import Host
from agentl.drivers import recorded
from agentl.durable import DurableError, FileStore, MemoryStore, ReplayDivergence
from agentl.durable.chain import seal_line
from agentl.durable.records import KINDS


def bytes_of(directory: Path) -> dict[str, tuple[str, int]]:
    """Digest and time of every file of a run."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != "run.lock"
    }


@pytest.fixture
def interrupted(durable, bank, crash, tmp_path) -> Path:
    """The directory of a run that died inside transfer, after the money moved."""
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    return tmp_path / "run"


@pytest.fixture
def refused(interrupted):
    """Return a function that runs something and returns its refusal, having checked that no byte changed."""

    def check(code: str, attempt, error: type[DurableError] = DurableError) -> DurableError:
        before = bytes_of(interrupted)
        with pytest.raises(error) as refusal:
            attempt()
        assert refusal.value.code == code
        assert refusal.value.place.path is not None
        assert str(refusal.value.action)
        assert bytes_of(interrupted) == before
        return refusal.value

    return check


COSMETIC = [
    lambda text: "// a comment\n" + text,
    lambda text: text.replace("{", "{\n\n"),
    lambda text: text.replace("AGENT payer {", 'AGENT payer { VERSION "9" DESCRIPTION "another"'),
    lambda text: text.replace("TOOL transfer {", 'TOOL transfer { DESCRIPTION "moves money"'),
    lambda text: text.replace("  ", "\t").replace("\n", "\r\n"),
    lambda text: text.rstrip()[:-1] + "SCENARIO s { GIVEN { queue.pending = 0 } EXPECT { x == 1 } }\n}",
]


@pytest.mark.parametrize("number", range(len(COSMETIC)))
def test_a_program_that_means_the_same_goes_on(durable, bank, payer, interrupted, number: int) -> None:
    run = durable(bank.host(), COSMETIC[number](payer))
    run.run()
    assert run.status.state == "completed"
    assert len(bank.ledger) == 1


CHANGES = {
    "PLAN pay WHEN queue.pending > 0": ("PLAN pay WHEN queue.pending > 1", "payer/plan:pay changed"),
    "amount = 10": ("amount = 11", "payer/plan:pay changed"),
    "NEVER transfer WHEN tools.transfer.in_doubt == true": ("", "payer/policy changed"),
    "DEFAULT ALLOW": ("DEFAULT DENY", "payer/policy changed"),
    "SIDE_EFFECT { bank.ledger }": ("", "payer/tool:transfer changed"),
    "OBSERVE { queue.pending }": ("OBSERVE { queue.pending queue.next }", "payer/observe changed"),
    "LOOP MAX 2 { OBSERVE SELECT_PLAN EXECUTE }": ("", "payer/loop was removed"),
    "POLICY {": ("PLAN other { STEP s { SET x = 1 } } POLICY {", "payer/plan:other was added"),
}


@pytest.mark.parametrize("old", CHANGES)
def test_r101_a_changed_program_is_refused_and_shows_both_texts(durable, bank, payer, refused, old) -> None:
    new, what = CHANGES[old]
    refusal = refused("R101", lambda: durable(bank.host(), payer.replace(old, new)))
    details = [str(detail) for detail in refusal.details]
    assert details[0] == what
    assert [line.split(":")[0] for line in details[1:]] == {
        "changed": ["then", "now"], "added": ["now"], "removed": ["then"],
    }[what.split()[-1]]  # fmt: skip
    assert refusal.place.record == 0
    assert len(bank.calls) == 1


def test_r101_shows_the_declaration_as_it_was_and_as_it_is(durable, bank, payer, refused) -> None:
    refusal = refused("R101", lambda: durable(bank.host(), payer.replace("amount = 10", "amount = 11")))
    assert "transfer(amount=10)" in str(refusal.details[1])
    assert "transfer(amount=11)" in str(refusal.details[2])


def test_r101_still_names_the_declarations_when_the_pinned_source_is_gone(
    durable, bank, payer, interrupted
) -> None:
    for path in (interrupted / "programs").iterdir():
        path.unlink()
    with pytest.raises(DurableError) as refusal:
        durable(bank.host(), payer.replace("amount = 10", "amount = 11"))
    assert [str(detail).splitlines()[0] for detail in refusal.value.details] == [
        "payer/plan:pay changed",
        "now: PLAN pay WHEN queue.pending > 0 {",
    ]


def copy_with(store: FileStore, kind: str, **changes: object) -> MemoryStore:
    """A store with the same run, the records of one kind altered and the chain mended behind them."""
    previous, data = "", b""
    for line in store.records().splitlines():
        fields = json.loads(line)
        del fields["h"]
        if fields["kind"] == kind:
            fields.update(changes)
        sealed, previous = seal_line(previous, fields)
        data += sealed + b"\n"
    copy = MemoryStore()
    copy._data = data
    return copy


ALTERED = {
    "read": ("key", "queue.other"),
    "drain": ("agent", "other"),
    "verdict": ("verdict", "DENIED"),
    "intent": ("digest", "0" * 64),
}


@pytest.mark.parametrize("kind", ALTERED)
def test_r102_a_record_that_no_crossing_asks_for_stops_the_resume(durable, bank, interrupted, kind) -> None:
    name, value = ALTERED[kind]
    store = copy_with(FileStore(interrupted), kind, **{name: value})
    before = store.records()
    with pytest.raises(ReplayDivergence) as refusal:
        durable(bank.host(), store=store).run()
    number = ["header", "read", "drain", "verdict", "intent"].index(kind)
    assert (refusal.value.code, refusal.value.place.record, refusal.value.exit_code) == ("R102", number, 1)
    assert str(refusal.value).endswith(f"cannot resume at crossing #{number}")
    journaled, now = (str(detail) for detail in refusal.value.details)
    assert journaled.startswith("journaled: ")
    assert value in journaled
    assert now.startswith("now: payer: " + kind)
    assert value not in now
    assert store.records() == before
    assert len(bank.calls) == 1


def test_r102_other_arguments_of_an_action_show_both_sides(durable, bank, interrupted) -> None:
    store = copy_with(FileStore(interrupted), "intent", args={"amount": 99})
    with pytest.raises(ReplayDivergence) as refusal:
        durable(bank.host(), store=store).run()
    assert '"args":{"amount":99}' in str(refusal.value.details[0])
    assert '"args":{"amount":10' in str(refusal.value.details[1])


def test_r102_records_left_over_at_the_end_are_refused(durable, bank, store) -> None:
    durable(bank.host(), store=store).run(max_ticks=2)
    shorter = copy_with(store, "header", length=1)
    with pytest.raises(ReplayDivergence) as refusal:
        durable(bank.host(), store=shorter).run()
    assert (refusal.value.code, refusal.value.place.record) == ("R102", 7)
    assert str(refusal.value.details[1]) == "now: the end of the run"


def test_r102_a_completed_run_that_asks_for_more_is_refused(durable, bank, store) -> None:
    durable(bank.host(), store=store).run(max_ticks=1)
    longer = copy_with(store, "header", length=2)
    with pytest.raises(ReplayDivergence) as refusal:
        durable(bank.host(), store=longer).run()
    assert str(refusal.value.details[0]) == "journaled: the end of the run"


@pytest.mark.parametrize(("field", "what"), [("state", "the state"), ("events", "the trace")])
def test_r103_a_checkpoint_that_differs_says_in_what(durable, bank, store, field, what) -> None:
    durable(bank.host(), store=store).run()
    other = copy_with(store, "checkpoint", **{field: "0" * 64})
    with pytest.raises(ReplayDivergence, match=f"{what} at the end of tick 1 differs") as refusal:
        durable(bank.host(), store=other).run()
    assert (refusal.value.code, refusal.value.place.record) == ("R103", 6)


def test_r201_to_r205_are_raised_before_anything_is_locked(durable, bank, interrupted, refused) -> None:
    journal = interrupted / "wal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    damages = {
        "R201": [*lines[:1], lines[1].replace(b'"value":1', b'"value":2'), *lines[2:]],
        "R202": [*lines[:1], *lines[2:]],
        "R203": [*lines[:1], b"", *lines[1:]],
        "R204": [lines[0].replace(b"1-draft", b"9"), *lines[1:]],
        "R205": lines[1:],
    }
    (interrupted / "run.lock").unlink()
    for code, damaged in damages.items():
        journal.write_bytes(b"\n".join(damaged))
        refusal = refused(code, lambda: durable(bank.host()))
        assert refusal.place.record in {0, 1}
        assert not (interrupted / "run.lock").exists()


def test_r301_another_run_id_is_refused(durable, bank, refused) -> None:
    refusal = refused("R301", lambda: durable(bank.host(), run_id="run2"))
    assert "belongs to run run1, not run2" in str(refusal)


def test_r302_another_number_of_ticks_is_refused(durable, bank, refused) -> None:
    refusal = refused("R302", lambda: durable(bank.host()).run(max_ticks=3))
    assert "without a number of ticks, not with 3" in str(refusal)
    assert len(bank.calls) == 1


def test_r302_names_both_numbers(durable, bank, store) -> None:
    durable(bank.host(), store=store).run(max_ticks=2)
    with pytest.raises(DurableError, match="began with 2 ticks, not 3"):
        durable(bank.host(), store=store).run(max_ticks=3)
    durable(bank.host(), store=store).run(max_ticks=2)


def test_r303_nothing_is_written_after_the_end(durable, bank, store) -> None:
    run = durable(bank.host(), store=store)
    run.run()
    before = store.records()
    with pytest.raises(DurableError) as refusal:
        run.journal.append("resumed", count=1)
    assert (refusal.value.code, refusal.value.place.record) == ("R303", 11)
    assert store.records() == before


def test_r304_a_run_that_is_held_is_refused(durable, bank, interrupted, refused) -> None:
    holder = FileStore(interrupted)
    holder.open(write=True)
    refusal = refused("R304", lambda: durable(bank.host()).run())
    assert "held by process" in str(refusal)
    assert durable(bank.host()).status.state == "running"
    holder.close()


def test_r305_a_host_that_lacks_what_the_run_used_is_refused(durable, bank, refused) -> None:
    refusal = refused("R305", lambda: durable(Host()).run())
    assert "sensor queue.pending, tool transfer" in str(refusal)


def test_r305_is_not_raised_for_what_the_run_never_used(durable, bank, crash, store) -> None:
    host = bank.host()
    host.sensors["unused"] = lambda: 1
    host.tool("unused")(lambda: None)
    bank.before = [crash()]
    with pytest.raises(crash):
        durable(host, store=store).run()
    durable(bank.host(), store=store).run()


def test_r305_a_reconciler_that_settled_an_action_must_stay(durable, bank, crash, store) -> None:
    bank.promise, bank.after = "reconcilable", [crash()]
    with pytest.raises(crash):
        durable(bank.host(), store=store).run()
    host = bank.host()
    readings = iter([1])
    host.sensors["queue.pending"] = lambda: next(readings, None) if not bank.ledger else _raise(crash)
    with pytest.raises(crash):
        durable(host, store=store).run()
    with pytest.raises(DurableError, match="reconciler transfer") as refusal:
        durable(bank.host("none"), store=store).run()
    assert refusal.value.code == "R305"


def _raise(error: type[BaseException]) -> None:
    raise error


def test_every_kind_that_is_read_has_a_sync_rule_and_a_name() -> None:
    unsynced = {name for name, kind in KINDS.items() if not kind.synced}
    assert unsynced == {
        "read",
        "drain",
        "verdict",
        "checkpoint",
        "delegate_lookup",
        "compensation_lookup",
    }
    assert recorded.END.template == "the end of the run"
