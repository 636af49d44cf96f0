"""Status, show, export, replay: they change no byte, on a live run and on a dead one."""

import hashlib
import json
from pathlib import Path

import pytest

import agentl.durable
from agentl import Host, Symbol, parse_source
from agentl.durable import (
    DurableError,
    FileStore,
    MemoryStore,
    export_run,
    read_records,
    replay,
    show,
    status,
)
from agentl.durable.chain import seal_line
from agentl.durable.lock import holder
from agentl.vocabulary import PLACEHOLDER


def fingerprint(directory: Path) -> dict[str, tuple[str, int, int]]:
    return {
        str(path): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            path.stat().st_mtime_ns,
            path.stat().st_mode,
        )
        for path in [directory, *directory.rglob("*")]
    }


def read_all(directory: Path) -> None:
    status(directory)
    show(directory)
    read_records(directory)
    export_run(directory)
    FileStore(directory).entries()
    holder(directory / "run.lock")


def test_readers_change_no_byte_of_a_live_run(durable, bank, tmp_path) -> None:
    host, looked = bank.host(), []

    def pending() -> int:
        before = fingerprint(tmp_path / "run")
        assert status(tmp_path / "run").state == "running"
        read_all(tmp_path / "run")
        assert fingerprint(tmp_path / "run") == before
        looked.append(len(before))
        return 0 if bank.ledger else 1

    host.sensors["queue.pending"] = pending
    host.emit("order")
    durable(host).run()
    assert len(looked) == 2


def test_readers_change_no_byte_of_a_run_that_a_crash_tore(durable, bank, crash, tmp_path) -> None:
    bank.before = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    with (tmp_path / "run" / "wal.jsonl").open("ab") as journal:
        journal.write(b'{"n":5,"kind":"inv')
    before = fingerprint(tmp_path / "run")
    read_all(tmp_path / "run")
    found = status(tmp_path / "run")
    assert (found.state, found.entries, found.problem) == ("interrupted", 4, None)
    durable(bank.host())
    assert fingerprint(tmp_path / "run") == before
    durable(bank.host()).run()
    assert status(tmp_path / "run").state == "completed"


def test_readers_need_no_right_to_write(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    for path in [*(tmp_path / "run").rglob("*"), tmp_path / "run"]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    read_all(tmp_path / "run")
    assert status(tmp_path / "run").state == "completed"


def test_status_follows_the_life_of_a_run(durable, bank, crash, store) -> None:
    run = durable(bank.host(), store=store)
    store.open(write=True)
    store.close()
    assert (run.status.state, run.status.run_id) == ("new", None)
    bank.after = [crash()]
    with pytest.raises(crash):
        run.run(max_ticks=2)
    found = run.status
    assert (found.state, found.run_id, found.agents, found.length) == ("interrupted", "run1", ("payer",), 2)
    assert (found.entries, found.tick, found.kinds) == (
        4,
        1,
        {"read": 1, "drain": 1, "verdict": 1, "intent": 1},
    )
    assert [intent.action for intent in found.open_intents] == ["run1:payer:t1:a1"]
    run.run()
    found = run.status
    assert (found.state, found.entries, found.tick) == ("completed", 12, 2)
    assert [settlement.how for settlement in found.settlements] == ["retry"]
    assert found.open_intents == ()
    assert found.head == run.journal.records[-1].h


def test_a_damaged_run_is_corrupt_and_its_good_part_is_told(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    journal = tmp_path / "run" / "wal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"verdict":"ALLOWED"', b'"verdict":"ALLOWEd"'))
    found = status(tmp_path / "run")
    assert (found.state, found.entries, found.repairable) == ("corrupt", 2, True)
    assert (found.problem.code, found.problem.place.record) == ("R201", 3)


def test_status_tells_whether_a_program_means_something_else(durable, bank, payer) -> None:
    run = durable(bank.host())
    run.run()
    store = run.journal.store
    assert status(store).changed is None
    assert status(store, parse_source("// x\n" + payer)).changed is False
    assert status(store, parse_source(payer.replace("10", "11"))).changed is True


@pytest.mark.parametrize("reader", [status, show, read_records, export_run])
def test_a_place_without_a_run_is_refused_and_not_made(tmp_path, reader) -> None:
    with pytest.raises(DurableError) as refusal:
        reader(tmp_path / "nowhere")
    assert refusal.value.code == "R602"
    assert not (tmp_path / "nowhere").exists()


def test_show_tells_record_by_record_what_happened(durable, bank, crash) -> None:
    bank.promise, bank.after = "none", [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    run = durable(bank.host())
    intent = next(line for line in show(run.journal.store) if line.kind == "intent")
    assert (intent.subject, intent.state, intent.tick, intent.site) == (
        "transfer", "open", 1, "payer/plan:pay/step:send/0",
    )  # fmt: skip
    assert intent.fields["args"] == {"amount": 10}
    assert intent.fields["promise"] == "none"
    run.run()
    lines = show(run.journal.store)
    assert [line.n for line in lines] == list(range(1, len(lines) + 1))
    assert next(line for line in lines if line.kind == "intent").state == "in doubt"
    assert {line.tick for line in show(run.journal.store, tick=2)} == {2}


SECRETIVE = """
AGENT keeper {
  OBSERVE { card vault }
  TOOL open { OUTPUT { pin: String box: String } }
  POLICY { DEFAULT ALLOW NEVER SEND card.number NEVER SEND open.pin NEVER SEND vault }
  PLAN go { STEP s { open() } }
  LOOP MAX 1 { OBSERVE go EXECUTE }
}
"""


def test_show_masks_what_never_send_protects(durable, store) -> None:
    host = Host()
    host.sensors["card"] = lambda: {"number": "4711", "name": "ann"}
    host.sensors["vault"] = lambda: "4711"
    host.tool("open")(lambda: {"pin": "4711", "box": "b"})
    run = durable(host, SECRETIVE, store=store)
    run.run()
    assert "4711" in store.records().decode()
    lines = show(store)
    assert "4711" not in str(lines)
    assert next(line for line in lines if line.kind == "invoke").fields["value"]["box"] == "b"


SHORT = """
AGENT keeper {
  OBSERVE { my.pin my.code }
  TOOL use { INPUT { pin: String code: Number next: Number box: String } }
  POLICY { NEVER SEND my.pin, my.code  NEVER use WHEN pin == no  ALLOW use }
  PLAN go { use(pin = my.pin, code = my.code, next = my.code + 1, box = "b12") }
  LOOP MAX 1 { OBSERVE go EXECUTE }
}
"""


def test_show_masks_a_short_protected_value_as_an_argument_and_as_what_a_guard_read(durable, store) -> None:
    host = Host()
    host.sensors["my.pin"] = lambda: "abc"
    host.sensors["my.code"] = lambda: 12
    host.tool("use")(lambda **_: {})
    durable(host, SHORT, store=store).run()
    for line in show(store):
        if line.kind in ("verdict", "intent"):
            given = line.fields["args"]
            assert (given["pin"], given["code"], given["box"]) == (PLACEHOLDER, PLACEHOLDER, "b12")
        if line.kind == "verdict":
            assert line.fields["reads"]["pin"] == PLACEHOLDER


def test_show_masks_a_protected_value_in_what_a_person_approved(durable, store) -> None:
    host = Host()
    host.sensors["my.pin"] = lambda: "abc"
    host.sensors["my.code"] = lambda: 4711
    host.tool("use")(lambda **_: {})
    host.approver = lambda _: True
    durable(host, SHORT.replace("ALLOW use", "REQUIRE APPROVAL FOR use"), store=store).run()
    told = [line.subject for line in show(store) if line.kind == "approve"]
    assert told == ['use(pin=[redacted], code=[redacted], next=4712.0, box="b12")']


def test_show_masks_a_protected_value_also_before_the_record_that_tells_it_from_others(
    durable, store
) -> None:
    host = Host()
    host.sensors["a.note"] = lambda: "code 4711"
    host.sensors["my.code"] = lambda: 4711
    program = "AGENT a { OBSERVE { a.note my.code } POLICY { NEVER SEND my.code } LOOP MAX 1 { OBSERVE } }"
    durable(host, program, store=store).run()
    told = {line.subject: line.fields["value"] for line in show(store) if line.kind == "read"}
    assert told == {"a.note": "code [redacted]", "my.code": "[redacted]"}


def test_show_decodes_values(durable, store) -> None:
    host = Host()
    host.sensors["queue.pending"] = lambda: Symbol("none")
    durable(host, store=store).run()
    assert show(store)[0].fields["value"] == Symbol("none")


def exported(run, path: Path) -> Path:
    path.write_text(run.export().text())
    return path


def test_an_export_holds_the_lines_as_they_stand_and_replays_without_a_host(
    durable, bank, payer, tmp_path
) -> None:
    run = durable(bank.host(), payer)
    run.run()
    path = exported(run, tmp_path / "journal.json")
    data = json.loads(path.read_text())
    assert "".join(f"{line}\n" for line in data["records"]).encode() == run.journal.store.records()
    assert (data["format"], data["run"], data["partial"]) == ("agentl.replay/1-draft", "run1", False)
    result = replay(path)
    assert (result.outcome, result.run_id, result.entries) == ("conforming", "run1", 10)
    assert result.runtime.trace.render() == run.trace_text()
    assert len(bank.calls) == 1


def test_a_resumed_run_replays_to_the_same_state(durable, bank, crash, tmp_path) -> None:
    bank.promise, bank.after = "none", [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    run = durable(bank.host())
    run.run()
    result = replay(exported(run, tmp_path / "journal.json"))
    assert result.outcome == "conforming"
    assert result.runtime.state.digest() == run.runtime.state.digest()


def test_the_export_of_an_unfinished_run_is_marked_partial_and_replays_as_far_as_it_goes(
    durable, bank, crash, tmp_path
) -> None:
    bank.after = [crash()]
    run = durable(bank.host())
    with pytest.raises(crash):
        run.run()
    path = exported(run, tmp_path / "journal.json")
    assert json.loads(path.read_text())["partial"] is True
    result = replay(path)
    assert (result.outcome, result.entries) == ("partial", 4)
    assert "pay starts" in result.runtime.trace.render()


def test_a_replay_hands_out_its_trace_before_the_first_event(durable, bank, tmp_path) -> None:
    run = durable(bank.host())
    run.run()
    codes = []
    path = exported(run, tmp_path / "j.json")
    replay(path, on_trace=lambda trace: trace.subscribe(lambda event: codes.append(event.code)))
    assert codes == [event.code for event in run.runtime.trace.events]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda data: data["records"].pop(3), "R202"),
        (lambda data: data["records"].pop(0), "R205"),
        (lambda data: data["records"].clear(), "R205"),
        (lambda data: data["records"].append(data["records"].pop()[1:]), "R203"),
        (
            lambda data: data["records"].append(data["records"].pop().replace("completed", "cancelled")),
            "R201",
        ),
        (lambda data: data.update(source=data["source"].replace("10", "11")), "R101"),
        (lambda data: data.update(source="AGENT"), "R101"),
        (lambda data: data.update(format="other"), "R203"),
        (lambda data: data.update(extra=1), "R203"),
        (lambda data: data.update(records=["é"]), "R203"),
    ],
)
def test_an_altered_export_is_refused(durable, bank, tmp_path, change, code) -> None:
    run = durable(bank.host())
    run.run()
    path = exported(run, tmp_path / "journal.json")
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(DurableError) as refusal:
        replay(path)
    assert refusal.value.code == code


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_what_is_no_export_is_refused(tmp_path, content: bytes) -> None:
    (tmp_path / "journal.json").write_bytes(content)
    with pytest.raises(DurableError, match="not an exported run") as refusal:
        replay(tmp_path / "journal.json")
    assert refusal.value.code == "R203"
    with pytest.raises(DurableError, match="No such file"):
        replay(tmp_path / "absent.json")


def test_a_journal_leads_to_no_import_and_no_evaluation() -> None:
    """The readers hold no call that could load code (durability.md §5)."""
    package = Path(agentl.durable.__file__).parent
    drivers = (package.parent / "drivers").glob("*.py")
    for module in [*package.rglob("*.py"), *drivers, package.parent / "codec.py"]:
        text = module.read_text()
        for word in ("pickle", "marshal", "eval(", "exec(", "__import__", "import_module", "importlib"):
            assert word not in text, (module.name, word)


def test_a_value_that_no_codec_wrote_is_refused_with_its_record(durable, bank, store) -> None:
    durable(bank.host(), store=store).run()
    previous, data = "", b""
    for line in store.records().splitlines():
        fields = json.loads(line)
        del fields["h"]
        if fields["n"] == 1:
            fields["value"] = {"$pickle": "gASV"}
        sealed, previous = seal_line(previous, fields)
        data += sealed + b"\n"
    altered = MemoryStore()
    altered._data = data
    digest = json.loads(data.split(b"\n")[0])["program"]
    altered._programs[digest] = store.pinned(digest)
    for attempt in (lambda: show(altered), lambda: durable(bank.host(), store=altered).run()):
        with pytest.raises(DurableError) as refusal:
            attempt()
        assert (refusal.value.code, refusal.value.place.record) == ("R203", 1)
