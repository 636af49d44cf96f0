"""Every refusal of a durable run: what a process says, in both languages, and the page behind its code."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from agentl_process import clean_environment, start

from agentl.durable import FileStore, Word, cancel_run, read_records, settle
from agentl.durable.chain import seal_line
from agentl.durable.heads import heads_file

ROOT = Path(__file__).parents[2]
PROGRAM = """AGENT payer {
  OBSERVE { clock }
  TOOL pay { INPUT { n: Number } OUTPUT { reference: String } }
  TOOL note { INPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  EVENT ping { SET heard = k }
  PLAN p WHEN clock > 0 { STEP s { pay(n = 1) } STEP t { note(n = 2) } }
  LOOP MAX 2 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}
"""
HOST = """import os
from agentl import Host, InDoubt

host = Host()
if "TOKEN" in os.environ:
    host.secret("SECRET_OF_NOBODY")
host.sensors["clock"] = lambda: 1

@host.tool("pay")
def pay(n):
    raise InDoubt("no answer")

@host.tool("note")
def note(n):
    if "DIES" in os.environ:
        os._exit(9)
"""
RUN = ("run", "a.agent", "--durable", "run")


@dataclass
class Case:
    """How a refusal comes about: what is done to the run before, and the command."""

    words: tuple[str, ...] = RUN
    before: Callable[[Path], object] = lambda room: None
    base: str = "interrupted"
    environment: dict[str, str] = field(default_factory=dict[str, str])
    prefix: tuple[str, ...] = ()


def damaged(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Path], object]:
    """The lines of the journal are others; they are not chained anew."""

    def damage(room: Path) -> None:
        journal = room / "run" / "wal.jsonl"
        journal.write_bytes(b"".join(change(journal.read_bytes().splitlines(keepends=True))))

    return damage


def rewritten(kind: str, **changes: object) -> Callable[[Path], object]:
    """The first record of a kind says something else, and the chain holds."""

    def rewrite(room: Path) -> None:
        journal = room / "run" / "wal.jsonl"
        previous, lines, left = "", list[bytes](), changes
        for line in journal.read_bytes().splitlines():
            fields = json.loads(line)
            del fields["h"]
            if fields["kind"] == kind:
                fields.update(left)
                left = {}
            sealed, previous = seal_line(previous, fields)
            lines.append(sealed + b"\n")
        journal.write_bytes(b"".join(lines))

    return rewrite


def replaced(name: str, old: str, new: str) -> Callable[[Path], object]:
    def replace(room: Path) -> None:
        text = (room / name).read_text()
        assert old in text
        (room / name).write_text(text.replace(old, new))

    return replace


def seen_further(room: Path) -> None:
    first = read_records(room / "run")
    begin = json.loads((room / "run" / "wal.jsonl").read_bytes().split(b"\n", 1)[0])["h"]
    line = {"run": "r", "path": str(room / "run"), "n": len(first) + 9, "h": "0" * 64, "begin": begin}
    heads_file().parent.mkdir(parents=True)
    heads_file().write_text(json.dumps(line) + "\n")


def emptied(room: Path) -> None:
    shutil.rmtree(room / "run")
    (room / "run").mkdir()


def held(room: Path) -> FileStore:
    store = FileStore(room / "run")
    store.open(write=True)
    return store


CASES = {
    "R101": Case(before=replaced("a.agent", "n = 1", "n = 3")),
    "R102": Case(before=rewritten("read", key="other")),
    "R103": Case(before=rewritten("checkpoint", state="0" * 64), base="completed"),
    "R105": Case(("durable", "prune", "run", "--status", "interrupted")),
    "R106": Case(("durable", "prune", "run")),
    "R107": Case(("durable", "send", "run", "ping"), emptied),
    "R201": Case(
        before=damaged(lambda lines: [*lines[:1], lines[1].replace(b'"site":"', b'"site":"x'), *lines[2:]])
    ),
    "R202": Case(before=damaged(lambda lines: [*lines[:1], *lines[2:]])),
    "R203": Case(before=damaged(lambda lines: [*lines[:1], b"junk\n", *lines[1:]])),
    "R204": Case(before=damaged(lambda lines: [lines[0].replace(b"1-draft", b"9"), *lines[1:]])),
    "R205": Case(before=damaged(lambda lines: lines[1:])),
    "R206": Case(("durable", "export", "run"), lambda room: shutil.rmtree(room / "run" / "programs")),
    "R207": Case(before=seen_further),
    "R301": Case((*RUN, "--run-id", "other")),
    "R302": Case((*RUN, "--ticks", "9")),
    "R303": Case(("durable", "send", "run", "ping"), base="completed"),
    "R304": Case(before=held),
    "R305": Case(before=replaced("a.py", '@host.tool("pay")', "")),
    "R306": Case(environment={"TOKEN": "1"}),
    "R403": Case(
        ("durable", "settle", "run", "pay", "--resend"),
        lambda room: settle(room / "run", "pay", Word("operator_not", None, "ada")),
    ),
    "R502": Case(before=lambda room: cancel_run(room / "run", who="ada")),
    "R601": Case(prefix=("bash", "-c", 'ulimit -f 1; exec "$@"', "limited")),
    "R602": Case(("durable", "status", "nothing")),
}
WRITTEN = {"R502", "R601"}
"""The end of a cancelled run is written; a journal that may not grow keeps what was written before."""
ASKED = "R603"
"""It takes a person who is asked, and a run that changes meanwhile: below."""
LATER = {"R104", "R208", "R401", "R402", "R501"}
"""Of runs that wait, of seals and of budgets, which are not there yet."""


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rooms: of a run that died in its second action, the first in doubt, and of one that ended."""
    above = tmp_path_factory.mktemp("bases")
    for name, environment in (("interrupted", {"DIES": "1"}), ("completed", {})):
        room = above / name
        room.mkdir()
        (room / "a.agent").write_text(PROGRAM)
        (room / "a.py").write_text(HOST)
        done = start(room, (*RUN, "--run-id", "r"), environment)
        assert done.returncode == (9 if environment else 0), done.stderr
    return above


@pytest.fixture
def room(bases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function: the name of a base → a copy of it, of whose run nothing was seen."""

    def copy(base: str) -> Path:
        shutil.copytree(bases / base, tmp_path / "room", ignore=shutil.ignore_patterns("state"))
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "room" / "state"))
        monkeypatch.chdir(tmp_path / "room")
        return tmp_path / "room"

    return copy


def files_of(room: Path) -> dict[str, bytes]:
    """What the files of the run hold, but for the lock that is taken and given back."""
    files = (path for path in (room / "run").rglob("*") if path.is_file() and path.name != "run.lock")
    return {str(path): path.read_bytes() for path in files}


def refuses(done: subprocess.CompletedProcess[str], code: str, word: str) -> str:
    """The message of a refusal, whose parts are all there."""
    lines = done.stderr.splitlines()
    (head,) = [line for line in lines if line.startswith(f"{word} {code}: ")]
    told = lines[lines.index(head) :]
    assert done.returncode == (1 if code in {"R102", "R103"} else 2)
    at, help_, more = ("at", "help", "more") if word == "error" else ("lieu", "aide", "détails")
    for part in (help_,) if code == "R306" else (at, help_):
        assert [line for line in told if line.startswith(f"  {part}")]
    assert told[-1].startswith(f"  {more}")
    assert told[-1].endswith(f"agentl explain {code}")
    return head.partition(": ")[2]


@pytest.mark.parametrize("code", CASES)
def test_a_refusal_has_its_code_its_place_and_its_next_step_in_both_languages(
    code, room, in_process, monkeypatch
) -> None:
    case = CASES[code]
    here = room(case.base)
    holder = case.before(here)
    before = files_of(here)
    told = start(here, case.words, {"AGENTL_LANG": "en", **case.environment}, case.prefix)
    english = refuses(told, code, "error")
    if code not in WRITTEN:
        assert files_of(here) == before
    if not case.prefix:
        for name, value in case.environment.items():
            monkeypatch.setenv(name, value)
        assert refuses(in_process(*case.words, "--lang", "fr"), code, "erreur") != english
    if isinstance(holder, FileStore):
        holder.close()


def test_r603_a_run_that_changes_while_a_person_is_asked_is_left_alone(room) -> None:
    here = room("interrupted")
    damaged(lambda lines: [*lines[:3], b"junk\n", *lines[3:]])(here)
    person, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agentl", "durable", "repair", "run"],
        cwd=here,
        env=clean_environment(here, {"AGENTL_LANG": "en"}),
        stdin=terminal,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    os.close(terminal)
    assert process.stderr is not None
    asked = b""
    while b"[y/N]" not in asked:
        asked += os.read(process.stderr.fileno(), 4096)
    damaged(lambda lines: lines[:-1])(here)
    before = (here / "run" / "wal.jsonl").read_bytes()
    os.write(person, b"y\n")
    told = process.stderr.read().decode()
    done = subprocess.CompletedProcess((), process.wait(timeout=180), "", told[told.index("error ") :])
    os.close(person)
    process.stderr.close()
    assert refuses(done, ASKED, "error") == "the run changed while it was looked at; nothing was done"
    assert (here / "run" / "wal.jsonl").read_bytes() == before


def test_every_code_has_a_case_here_and_a_page_and_nothing_promises_another() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "runtime" / "agentl").rglob("*.py")]
    raised = {code for text in sources for code in re.findall(r'"(R\d{3})"', text)}
    pages = {path.stem for path in (ROOT / "docs" / "codes").glob("R*.md")}
    assert raised == pages == {*CASES, ASKED}
    listed = re.findall(
        r"^\| (R\d{3}) \|", (ROOT / "docs" / "durability.md").read_text("utf-8"), re.MULTILINE
    )
    assert listed == sorted(pages)
    for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        assert not LATER & set(re.findall(r"\bR\d{3}\b", path.read_text("utf-8"))), path
