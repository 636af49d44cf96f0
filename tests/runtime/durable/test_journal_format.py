"""Journals with every kind of record, checked by a verifier that knows docs/journal-format.md alone."""

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import journal_verifier
import pytest

from agentl import Host, MockLLM, parse_source
from agentl.codec import dump, load
from agentl.drivers import durable as durable_driver
from agentl.durable import DurableError, DurableRun, FileStore, journal
from agentl.durable.records import KINDS, Record, record_from, record_made
from agentl.durable.repair import plan_repair, repair
from agentl.durable.sending import cancel_run
from agentl.durable.settling import Word, settle
from agentl.host.loading import load_host
from agentl.programs import parse_file

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "journal-format.md").read_text(encoding="utf-8")
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.agent"))
ASKING = """
AGENT asker {
  TOOL book { INPUT { n: Number } OUTPUT { reference: String } SIDE_EFFECT { hotel } }
  POLICY { DEFAULT ALLOW }
  PLAN one WHEN 1 == 1 { book(n = 1) DELEGATE ghost { EXPECT { place } }
    REASON "how now" { USING { book.reference } PRODUCE { mood: Symbol } }
    ASK guard { QUESTION "Which way?" REASON fork TIMEOUT 10min DEFAULT right }
    VERIFY { 1 == 2 ON FAIL { ROLLBACK } } }
  LOOP MAX 2 { SELECT_PLAN EXECUTE }
}
"""


class Death(BaseException):
    """Stands for the death of the process."""


class Dying(FileStore):
    """A store whose process dies before or after its n-th write."""

    def __init__(self, directory: Path, number: int, *, after: bool) -> None:
        super().__init__(directory)
        self.left, self.after = number, after

    def append(self, n: int, previous: str, line: bytes, *, sync: bool) -> None:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Death
        super().append(n, previous, line, sync=sync)
        if self.left == 0:
            raise Death


def sample(path: Path, store: FileStore) -> None:
    """Run a sample program, as far as the store lets it."""
    loaded = load_host(path)
    try:
        DurableRun(parse_file(path), loaded.host, loaded.model or MockLLM(), store=store, run_id="run1").run()
    except Death:
        store.close()


@pytest.fixture(autouse=True)
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTL_WITNESS", str(tmp_path / "witness.sqlite"))


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The kinds written so far. A run does not check what it writes: reading it must make the same."""
    kinds = set[str]()

    def compared(data: dict[str, Any]) -> Record:
        record, read = record_made(data), record_from(load(dump(data).encode("ascii")))
        assert type(record) is type(read)
        assert list(record) == list(read)
        assert record == read
        kinds.add(record.kind)
        return record

    monkeypatch.setattr(journal, "record_made", compared)
    return kinds


def verified(directory: Path) -> list[dict[str, Any]]:
    return journal_verifier.verify((directory / "wal.jsonl").read_bytes())


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_journal_of_every_sample_program_keeps_the_format(path: Path, tmp_path: Path) -> None:
    sample(path, FileStore(tmp_path / "run"))
    assert [record["kind"] for record in verified(tmp_path / "run")][-1] == "ended"


@pytest.mark.parametrize("number", [3, 6, 9, 12, 15, 18])
@pytest.mark.parametrize("path", PROGRAMS[:3], ids=lambda path: path.stem)
def test_so_does_one_whose_process_died_and_one_that_was_resumed(
    path: Path, number: int, tmp_path: Path
) -> None:
    sample(path, Dying(tmp_path / "run", number, after=bool(number % 2)))
    died = verified(tmp_path / "run")
    sample(path, FileStore(tmp_path / "run"))
    resumed = verified(tmp_path / "run")
    assert resumed[: len(died)] == died
    assert resumed[-1]["kind"] == "ended"


# -------------------------------------------------------------------------------- every kind, in one place


def asking(directory: Path, asker: Callable[..., Any], *, dies: bool = False) -> DurableRun:
    host = Host()

    @host.tool("book")
    def book(n: float) -> dict[str, str]:
        if dies:
            raise Death
        return {"reference": f"b{n}"}

    host.compensation("book", idempotent=True)(lambda arguments, result: None)
    host.subagent("ghost", idempotent=True)(lambda payload: {"place": "door"})
    host.asker = asker
    model, store = MockLLM({"how now": {"mood": "calm"}}), FileStore(directory)
    return DurableRun(parse_source(ASKING), host, model, store=store, run_id="run1")


def dying(question: str, reason: str) -> str:
    raise Death


@pytest.fixture
def eventful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Journals of runs that were interrupted, settled, asked in vain, repaired, cancelled."""
    late, settled, cancelled, repaired = (tmp_path / name for name in ("late", "settled", "off", "mended"))
    with pytest.raises(Death):
        asking(late, dying).run()
    with monkeypatch.context() as later:
        later.setattr(durable_driver.time, "time", lambda: 4e9)
        asking(late, lambda question, reason: "left").run()
    for directory in (settled, cancelled):
        with pytest.raises(Death):
            asking(directory, dying, dies=True).run()
    settle(settled, None, Word("operator_happened", {"reference": "by hand"}, "ada"))
    asking(settled, lambda question, reason: "left").run()
    cancel_run(cancelled, who="ada")
    with pytest.raises(DurableError, match="R502"):
        asking(cancelled, dying).run()
    shutil.copytree(settled, repaired)
    lines = (repaired / "wal.jsonl").read_bytes().splitlines(keepends=True)
    (repaired / "wal.jsonl").write_bytes(b"".join([*lines[:5], b"junk\n", *lines[6:]]))
    repair(plan_repair(repaired), "ada")
    return [late, settled, cancelled, repaired]


def test_the_samples_together_hold_every_kind_and_each_keeps_the_format(
    eventful: list[Path], tmp_path: Path, made: set[str]
) -> None:
    for path in PROGRAMS:
        sample(path, FileStore(tmp_path / path.stem))
    directories = [*eventful, *(tmp_path / path.stem for path in PROGRAMS)]
    seen = {record["kind"] for directory in directories for record in verified(directory)}
    assert sorted(KINDS.keys() - seen) == []
    assert seen == journal_verifier.KINDS
    assert made == seen - {"repaired"}  # which repair writes, without a run


def test_the_page_names_every_kind_and_every_field_of_it() -> None:
    rows = {
        kind.strip(): fields
        for kinds, _, fields, _ in re.findall(
            r"^\| ([a-z_, ]+) \| (.*) \| (.*) \| (yes|later) \|$", PAGE, re.MULTILINE
        )
        for kind in kinds.split(",")
    }
    assert rows.keys() == KINDS.keys()
    common = {*journal_verifier.COMMON, "h"}
    for kind, model in KINDS.items():
        told = set(re.findall(r"\w+", rows[kind]))
        assert set(model.model_fields) - common <= told, kind
        synced = re.search(rf"^\| [a-z_, ]*\b{kind}\b[a-z_, ]* \|.*\| (yes|later) \|$", PAGE, re.MULTILINE)
        assert synced is not None
        assert (synced.group(1) == "yes") == model.synced, kind


# -------------------------------------------------------------------------------- and the verifier verifies


def chained(lines: list[bytes]) -> bytes:
    """Chain bodies anew, so that only their order is wrong."""
    previous, text = b"", b""
    for n, line in enumerate(lines):
        body = re.sub(rb'^\{"n":\d+', b'{"n":%d' % n, line[:-72])
        previous = hashlib.sha256(previous + b"\n" + body).hexdigest().encode()
        text += body + b',"h":"' + previous + b'"}\n'
    return text


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    asking(tmp_path / "run", lambda question, reason: "left").run()
    return (tmp_path / "run" / "wal.jsonl").read_bytes().splitlines()


def test_a_chained_journal_is_accepted(lines: list[bytes]) -> None:
    assert journal_verifier.verify(chained(lines))


def test_a_changed_byte_breaks_the_chain(lines: list[bytes]) -> None:
    for number in range(1, len(lines)):
        altered = [
            line.replace(b'"agent":"', b'"agent":"x', 1) if n == number else line
            for n, line in enumerate(lines)
        ]
        with pytest.raises(AssertionError):
            journal_verifier.verify(b"\n".join(altered) + b"\n")


@pytest.mark.parametrize("kind", ["checkpoint", "intent", "answer", "header"])
def test_a_missing_record_that_others_need_is_noticed(kind: str, lines: list[bytes]) -> None:
    number = next(n for n, line in enumerate(lines) if f'"kind":"{kind}"'.encode() in line)
    with pytest.raises(AssertionError):
        journal_verifier.verify(chained([*lines[:number], *lines[number + 1 :]]))


@pytest.mark.parametrize("kind", ["checkpoint", "invoke", "ended", "header"])
def test_a_doubled_record_is_noticed(kind: str, lines: list[bytes]) -> None:
    number = next(n for n, line in enumerate(lines) if f'"kind":"{kind}"'.encode() in line)
    with pytest.raises(AssertionError):
        journal_verifier.verify(chained([*lines[: number + 1], *lines[number:]]))
