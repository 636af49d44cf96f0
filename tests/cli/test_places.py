"""What a command line says of places, people and values, whatever these hold."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentl import Host, InDoubt, parse_source
from agentl.durable import DurableRun, FileStore
from agentl.durable.stores.dsn import is_dsn, shown

PAYER = """AGENT payer {
  OBSERVE { clock }
  TOOL pay { INPUT { n: Number } OUTPUT { reference: String } }
  POLICY { DEFAULT ALLOW }
  BELIEF { heard = 0 }
  EVENT ping { SET heard = k }
  PLAN p WHEN clock > 0 { STEP s { pay(n = 1) ASK ada { QUESTION "go on?" } } }
  LOOP MAX 2 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}"""
HOST = "from agentl import Host\nhost = Host()\n"
FORGED = "x\nstate    completed\x1b[2K\u2028"
SHOWN = "x\\nstate    completed\\x1b[2K\\u2028"


class Stop(BaseException):
    """Stands for the death of the process."""


@pytest.fixture
def doubtful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that died while it asked, with `pay` in doubt; the current folder is the one it lies in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def pay(n: float) -> dict[str, str]:
        raise InDoubt("no answer")

    def ask(question: str, reason: str) -> str:
        raise Stop

    host = Host()
    host.sensors["clock"] = lambda: 1
    host.tool("pay")(pay)
    host.asker = ask
    with pytest.raises(Stop):
        DurableRun(parse_source(PAYER), host, store=FileStore("run"), run_id="r").run()
    return tmp_path / "run"


def lines_of(text: str) -> list[str]:
    assert not set(text) & set("\x1b\u2028\r")
    return text.splitlines()


@pytest.mark.usefixtures("doubtful")
@pytest.mark.parametrize(
    "words",
    [
        ("cancel", "run", "--by", FORGED),
        ("settle", "run", "--did-not-happen", "--by", FORGED),
        ("send", "run", "ping", "--id", FORGED),
        ("send", "run", "ping", "--by", FORGED),
    ],
)
def test_what_people_say_of_themselves_never_passes_for_a_line_of_ours(in_process, words) -> None:
    done = in_process("durable", *words)
    assert done.returncode == 0
    shown = [done.stderr, *(in_process("durable", word, "run").stdout for word in ("status", "show"))]
    shown.append(in_process("durable", "list").stdout)
    for text in shown:
        assert not [line for line in lines_of(text) if line.startswith("state    completed")]
    if words[0] != "send":
        assert SHOWN in shown[0]
        assert SHOWN in shown[1]


@pytest.mark.parametrize("command", ["status", "show", "export", "cancel", "list", "prune"])
def test_a_pipe_as_a_place_is_refused_at_once(tmp_path, in_process, command) -> None:
    os.mkfifo(tmp_path / "f")
    for place in (tmp_path / "f", f"{tmp_path / 'f'}#run"):
        done = in_process("durable", command, place)
        assert (done.returncode, "R602" in done.stderr) == (2, True)


def test_a_pipe_is_no_database(tmp_path, in_process) -> None:
    os.mkfifo(tmp_path / "f.db")
    done = in_process("durable", "status", f"{tmp_path / 'f.db'}#run")
    assert (done.returncode, "R602" in done.stderr) == (2, True)


@pytest.mark.parametrize("scheme", ["mysql", "postgresql+psycopg", "sqlite", "FILE"])
def test_another_url_is_refused_and_never_a_directory(tmp_path, monkeypatch, in_process, scheme) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.agent").write_text(PAYER)
    (tmp_path / "a.py").write_text(HOST)
    place = f"{scheme}://u:SEKRET@127.0.0.1:1/x#r"
    for words in (
        ("run", "a.agent", "--durable", place),
        ("durable", "status", place),
        ("durable", "list", place),
    ):
        done = in_process(*words)
        assert (done.returncode, "R602" in done.stderr) == (2, True)
        assert f"{scheme.lower()}://" in done.stderr
        assert "SEKRET" not in done.stderr + done.stdout
    assert {path.name for path in tmp_path.iterdir()} <= {"a.agent", "a.py", "__pycache__"}


@pytest.mark.parametrize(
    "place",
    [
        "POSTGRESQL://u:SEKRET@127.0.0.1:1/x",
        "Postgres://u:SEKRET@127.0.0.1:1/x",
        "host=127.0.0.1 port=1 dbname=x user=u password=SEKRET",
        "password='SEK RET' host=127.0.0.1 port=1",
    ],
)
def test_postgresql_is_known_however_it_is_spelled_and_no_password_is_shown(
    tmp_path, monkeypatch, in_process, place
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_dsn(place)
    assert "SEK" not in shown(place)
    (tmp_path / "a.agent").write_text(PAYER)
    (tmp_path / "a.py").write_text(HOST)
    for words in (
        ("run", "a.agent", "--durable", f"{place}#r"),
        ("durable", "status", f"{place}#r"),
        ("durable", "list", place),
        ("durable", "status", place),
    ):
        done = in_process(*words)
        assert (done.returncode, "R602" in done.stderr) == (2, True)
        assert "SEK" not in done.stderr + done.stdout
    assert {path.name for path in tmp_path.iterdir()} <= {"a.agent", "a.py", "__pycache__"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('{"k": 1e999}', "1e999 is too large a number"),
        ('{"k": NaN}', "NaN is not JSON"),
        ('{"k": -Infinity}', "-Infinity is not JSON"),
        ('{"k": 1, "k": 2}', "a key is given twice"),
        ('{"k": "\\ud800"}', "half a character"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_json_on_the_command_line_is_strict(doubtful, in_process, value, why) -> None:
    for words in (("send", "run", "ping", value), ("settle", "run", "--happened", value)):
        done = in_process("durable", *words)
        assert (done.returncode, "U123" in done.stderr, why in done.stderr) == (2, True, True)
    assert not (doubtful / "inbox.jsonl").exists()


def test_what_waits_for_an_operator_is_listed_until_somebody_has_spoken(doubtful, in_process) -> None:
    def listed(*words: str) -> list[str]:
        done = in_process("durable", "list", "--format", "json", *words)
        return [run["state"] for run in json.loads(done.stdout)]

    assert listed("--status", "in_doubt") == ["interrupted"]
    assert listed("--status", "completed") == []
    assert listed("--status", "completed", "--status", "in_doubt") == ["interrupted"]
    assert in_process("durable", "settle", "run", "--did-not-happen").returncode == 0
    assert listed("--status", "in_doubt") == []
    assert "in_doubt" in in_process("durable", "list", "--status", "odd").stderr


def test_an_inbox_that_was_changed_is_found_by_status(doubtful, in_process: Callable) -> None:
    in_process("durable", "cancel", "run", "--by", "root@vm")
    inbox = doubtful / "inbox.jsonl"
    inbox.write_bytes(inbox.read_bytes().replace(b"root@vm", b"mall@vm"))
    found = in_process("durable", "status", "run")
    assert (found.returncode, "R201" in found.stderr) == (2, True)
    assert "agentl durable repair run" in found.stderr
    inbox.unlink()
    assert "R202" in in_process("durable", "status", "run").stderr


def test_an_event_is_sent_once_under_its_name(doubtful, in_process) -> None:
    sent = in_process("durable", "send", "run", "ping", '{"k": "é"}', "--id", "hook-1")
    assert (sent.returncode, "ping (sent:hook-1): kept" in sent.stderr) == (0, True)
    again = in_process("durable", "send", "run", "ping", '{"k": "é"}', "--id", "hook-1")
    assert "was sent before under this name" in again.stderr
    assert in_process("durable", "send", "run", "ping", "[]").returncode == 2
    undeclared = in_process("durable", "send", "run", "pnig")
    assert (undeclared.returncode, "U126" in undeclared.stderr) == (2, True)
    assert "the run takes these: ping" in undeclared.stderr
    assert len((doubtful / "inbox.jsonl").read_text().splitlines()) == 1
