"""Large values beside the journal: there before their record, checked by every reader, gone with the run."""

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path

import journal_verifier
import pytest

from agentl import Host
from agentl.cli import run
from agentl.codec import decode, encode
from agentl.durable import (
    DurableError,
    FileStore,
    MemoryStore,
    SQLiteStore,
    StoreFailure,
    export_run,
    read_records,
    replay,
    show,
    status,
)
from agentl.durable.blobs import LIMIT
from agentl.durable.chain import seal_line
from agentl.durable.prune import candidates, prune
from agentl.durable.repair import plan_repair, repair

LARGE = "x" * 100_000
TELLER = """
AGENT teller {
  OBSERVE { text }
  TOOL tell { INPUT { text: String } OUTPUT { answer: String } SIDE_EFFECT { book } }
  POLICY { DEFAULT ALLOW }
  BELIEF { heard = "" }
  EVENT word { THEN SET heard = "some" }
  PLAN say WHEN 1 == 1 { tell(text = text) }
  LOOP MAX 1 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}
"""
NAMED = b'{"$blob":"'


def host(text: str = LARGE, answer: str = LARGE) -> Host:
    made = Host()
    made.sensors["text"] = lambda: text
    made.tool("tell", idempotent=True)(lambda text: {"answer": answer})
    made.emit("word", text=text)
    return made


@pytest.fixture
def told(durable, tmp_path: Path) -> Path:
    """A completed run whose event, sensor, arguments and result are large."""
    durable(host(), TELLER).run()
    return tmp_path / "run"


def blobs_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / "blobs").iterdir()}


def test_large_values_stand_beside_the_journal_under_their_digest(told: Path) -> None:
    blobs = blobs_of(told)
    assert {hashlib.sha256(data).hexdigest() for data in blobs.values()} == set(blobs)
    lines = (told / "wal.jsonl").read_bytes().splitlines()
    assert max(map(len, lines)) < 2_000
    named = [json.loads(line)["kind"] for line in lines if NAMED in line]
    assert named == ["read", "drain", "verdict", "intent", "invoke"]
    journal_verifier.verify((told / "wal.jsonl").read_bytes(), blobs)


def test_every_reader_gets_the_value_back(durable, told: Path) -> None:
    records = {record.kind: record for record in read_records(told)}
    assert records["drain"].value[0]["payload"] == {"text": LARGE}
    assert records["intent"].args == {"text": LARGE}
    assert records["invoke"].value == {"answer": LARGE}
    lines = {line.kind: line for line in show(told)}
    assert lines["read"].fields["value"] == LARGE
    again = durable(host(), TELLER)
    assert again.journal.entries == read_records(told)
    again.run()
    assert again.runtime.state.get("tell.answer") == LARGE


@pytest.mark.parametrize(("length", "count"), [(LIMIT - 2, 0), (LIMIT - 1, 1)])
def test_a_value_is_large_when_its_json_has_more_than_65536_bytes(
    durable, tmp_path: Path, length: int, count: int
) -> None:
    store = MemoryStore()
    durable(host("x" * length, "short"), TELLER, store=store).run()
    reads = [line for line in store.records().splitlines() if b'"kind":"read"' in line]
    assert sum(NAMED in line for line in reads) == count


def test_files_are_for_their_owner_alone(tmp_path: Path, durable) -> None:
    before = os.umask(0)
    try:
        durable(host(), TELLER).run()
    finally:
        os.umask(before)
    room = tmp_path / "run" / "blobs"
    assert stat.S_IMODE(room.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in room.iterdir()} == {0o600}


def test_a_blob_is_synced_renamed_and_its_directory_synced_before_its_record(
    durable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, str]] = []
    sync, rename = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        done.append(("fsync", Path(f"/proc/self/fd/{descriptor}").readlink().name))
        sync(descriptor)

    def renamed(source, target, **options) -> None:
        done.append(("rename", Path(target).name))
        rename(source, target, **options)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    durable(host("short"), TELLER).run()
    (digest,) = blobs_of(tmp_path / "run")
    at = done.index(("fsync", f"{digest}.new"))
    wanted = [("fsync", f"{digest}.new"), ("rename", digest), ("fsync", "blobs"), ("fsync", "wal.jsonl")]
    assert done[at : at + 4] == wanted


def test_a_disk_that_takes_no_blob_stops_the_run_before_its_record(
    durable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:

        def failing(source, target, **options) -> None:
            raise OSError(28, "No space left on device")

        broken.setattr(os, "replace", failing)
        with pytest.raises(StoreFailure) as failure:
            durable(host("short"), TELLER).run()
    assert failure.value.code == "R601"
    assert [record.kind for record in read_records(tmp_path / "run")][-1] == "intent"
    durable(host("short"), TELLER).run()
    assert status(tmp_path / "run").state == "completed"


# ------------------------------------------------------------------------------------------- damage


def forget(path: Path) -> None:
    path.unlink()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[50] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def link(path: Path) -> None:
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


DAMAGES = {forget: "is missing", flip: "is not what its digest says", cut: "is not", link: "is missing"}


@pytest.fixture(params=DAMAGES, ids=lambda damage: damage.__name__)
def damaged(request: pytest.FixtureRequest, durable, tmp_path: Path) -> tuple[Path, str]:
    """An interrupted run, killed after its tool, whose sensor was read as a large value; and what is said."""
    with contextlib.suppress(KeyboardInterrupt):
        dying = host()

        def die(text: str) -> dict[str, str]:
            raise KeyboardInterrupt

        dying.tools["tell"] = die
        durable(dying, TELLER).run()
    digest = hashlib.sha256(f'"{LARGE}"'.encode()).hexdigest()
    request.param(tmp_path / "run" / "blobs" / digest)
    return tmp_path / "run", DAMAGES[request.param]


READ = 1
"""Records: header, read, drain, verdict, intent."""


def test_a_blob_that_is_missing_or_wrong_is_refused_with_its_record(damaged, durable) -> None:
    directory, why = damaged
    before = (directory / "wal.jsonl").read_bytes()
    for reader in (lambda: durable(host(), TELLER), lambda: show(directory), lambda: export_run(directory)):
        with pytest.raises(DurableError, match=why) as refusal:
            reader()
        assert (refusal.value.code, refusal.value.place.record) == ("R206", READ)
        assert "restore" in str(refusal.value.action)
    found = status(directory)
    assert (found.state, found.repairable) == ("corrupt", True)
    assert (directory / "wal.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("language", "words"), [("en", "the value"), ("fr", "la valeur")], ids=["english", "french"]
)
def test_the_command_line_says_so_and_ends_with_two(
    damaged, capsys: pytest.CaptureFixture[str], language: str, words: str
) -> None:
    directory, _ = damaged
    assert run(["--lang", language, "durable", "show", str(directory)]) == 2
    told = capsys.readouterr().err
    assert "R206" in told
    assert words in told


def test_a_repair_drops_from_the_record_on_whose_value_is_lost(damaged, durable) -> None:
    directory, _ = damaged
    plan = plan_repair(directory)
    assert (plan.kept, [line.kind for line in plan.lost]) == (
        READ - 1,
        ["read", "drain", "verdict", "intent"],
    )
    repair(plan, "ada")
    durable(host(), TELLER).run()
    assert status(directory).state == "completed"


def test_what_no_record_names_is_ignored(told: Path) -> None:
    (told / "blobs" / ("0" * 64)).write_bytes(b"junk")
    (told / "blobs" / f"{'1' * 64}.new").write_bytes(b"half")
    assert status(told).state == "completed"
    assert "0" * 64 not in export_run(told).blobs


@pytest.mark.parametrize("nested", [{"a": {"$blob": "0" * 64}}, {"$blob": "0"}, {"$blob": 1}])
def test_a_line_that_names_a_blob_elsewhere_or_otherwise_is_refused(durable, nested) -> None:
    store = MemoryStore()
    durable(host("short", "short"), TELLER, store=store).run()
    *lines, _ = store.records().splitlines()
    head, previous = bytearray(), ""
    for line in lines[:-1]:
        data = json.loads(line)
        del data["h"]
        if data["kind"] == "read":
            data["value"] = nested
        sealed, previous = seal_line(previous, data)
        head += sealed + b"\n"
    store._data = head
    with pytest.raises(DurableError) as refusal:
        durable(host("short", "short"), TELLER, store=store).run()
    assert refusal.value.code == "R203"


def test_a_value_of_a_program_is_never_taken_for_a_blob() -> None:
    awkward = {"$blob": "0" * 64}
    assert b'{"$blob":"' not in json.dumps(encode(awkward), separators=(",", ":")).encode()
    assert decode(encode(awkward)) == awkward


# ------------------------------------------------------------------------------- leaving, with and without


def test_an_export_carries_what_its_records_name_and_replays_without_the_directory(
    told: Path, tmp_path: Path
) -> None:
    file = tmp_path / "export.json"
    file.write_text(export_run(told).text())
    carried = json.loads(file.read_text())["blobs"]
    assert {digest: text.encode() for digest, text in carried.items()} == blobs_of(told)
    assert replay(file).outcome == "conforming"


@pytest.mark.parametrize("change", ["missing", "altered"])
def test_an_export_whose_blob_is_missing_or_altered_is_refused(
    told: Path, tmp_path: Path, change: str
) -> None:
    data = json.loads(export_run(told).text())
    digest = next(iter(data["blobs"]))
    if change == "missing":
        del data["blobs"][digest]
    else:
        data["blobs"][digest] += " "
    file = tmp_path / "export.json"
    file.write_text(json.dumps(data))
    with pytest.raises(DurableError) as refusal:
        replay(file)
    assert refusal.value.code == "R206"


def test_nothing_is_left_of_the_blobs_of_a_pruned_run(durable, told: Path, tmp_path: Path) -> None:
    durable(host(), TELLER, store=SQLiteStore(tmp_path / "runs.db", "run1"), run_id=None).run()
    for place in (str(told), f"{tmp_path / 'runs.db'}#run1"):
        (candidate,) = candidates([place])
        prune(candidate)
    assert not told.exists()
    assert b"x" * 1000 not in (tmp_path / "runs.db").read_bytes()


def test_a_directory_of_blobs_alone_is_no_strange_place_for_a_run(durable, tmp_path: Path) -> None:
    store = FileStore(tmp_path / "run")
    store.open(write=True)
    store.put_blob("0" * 64, b"left by a run that died before its header")
    store.close()
    durable(host(), TELLER).run()
    assert status(tmp_path / "run").state == "completed"
