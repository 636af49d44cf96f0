"""The next step that a refusal prints does what it says, as it is printed, at every kind of place."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agentl_process import clean_environment, start
from store_kinds import LASTING, POSTGRES

from agentl import cli

PROGRAM = """AGENT payer {  // what it pays, é
  OBSERVE { clock }\r
  TOOL pay { INPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  EVENT ping { SET heard = k }
  PLAN p WHEN clock > 0 { STEP s { pay(n = 1) } }
  LOOP MAX 1 { RECEIVE OBSERVE SELECT_PLAN EXECUTE }
}
"""
HOST = """from agentl import Host, InDoubt

host = Host()
host.sensors["clock"] = lambda: 1

@host.tool("pay")
def pay(n):
    raise InDoubt("no answer")
"""
LANGUAGES = ["en", "fr"]
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A directory with a program that leaves its one action in doubt."""
    (tmp_path / "a.agent").write_bytes(PROGRAM.encode())
    (tmp_path / "a.py").write_text(HOST)
    return tmp_path


@pytest.fixture
def agentl(room: Path) -> Callable[..., Done]:
    return lambda *words, **environment: start(room, words, environment)


@pytest.fixture
def say(
    room: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """The same in this process, which costs a tenth."""
    monkeypatch.chdir(room)
    monkeypatch.setenv("AGENTL_LANG", "en")
    monkeypatch.setenv("XDG_STATE_HOME", str(room / "state"))

    def command(*words: str) -> Done:
        code = cli.run(list(words))
        told = capfdbinary.readouterr()
        return subprocess.CompletedProcess(words, code, told.out.decode(), told.err.decode())

    return command


@pytest.fixture(params=LASTING)
def place(request: pytest.FixtureRequest, address: Callable[[str], str]) -> str:
    """A place whose name a shell would take apart."""
    return "my runs/$x" if request.param == "file" else address(request.param)


def help_of(done: Done, code: str) -> str:
    assert done.returncode == 2
    assert f" {code}: " in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith(("  help: ", "  aide : "))]
    return line


def printed(done: Done, code: str) -> str:
    """The first command that the next step of a refusal holds."""
    return re.findall(r"`([^`]+)`", help_of(done, code))[0]


def in_shell(room: Path, command: str) -> subprocess.CompletedProcess[bytes]:
    """Let a shell run what was printed."""
    command = re.sub("^agentl", f"{shlex.quote(sys.executable)} -m agentl", command)
    return subprocess.run(
        ["sh", "-c", command], cwd=room, env=clean_environment(room, {}), capture_output=True, check=False
    )


def test_r101_the_command_it_prints_brings_the_program_back(room, agentl, say, place) -> None:
    assert agentl("run", "a.agent", "--durable", place).returncode == 0
    (room / "a.agent").write_text(PROGRAM.replace("n = 1", "n = 2"))
    words = ("run", "a.agent", "--durable", place)
    commands = {printed(say(*words, "--lang", lang), "R101") for lang in LANGUAGES}
    assert commands == {f"agentl durable export {shlex.quote(place)} --program"}
    said = in_shell(room, commands.pop())
    assert (said.returncode, said.stderr) == (0, b"")
    assert said.stdout == PROGRAM.encode()
    assert say("durable", "export", place, "--program", "-o", "a.agent").returncode == 0
    assert (room / "a.agent").read_bytes() == PROGRAM.encode()
    assert say(*words).returncode == 0


def test_r105_the_command_it_prints_settles_what_is_in_doubt(room, agentl, say, place) -> None:
    assert agentl("run", "a.agent", "--durable", place, "--run-id", "run1").returncode == 0
    for lang in LANGUAGES:
        refused = say("durable", "prune", place, "--lang", lang)
        command = printed(refused, "R105")
        assert command == f"agentl durable settle {shlex.quote(place)} run1:payer:t1:a1"
        assert "`--did-not-happen`" in help_of(refused, "R105")
        assert "--resend" not in help_of(refused, "R105")
        assert "run1:payer:t1:a1" in refused.stderr.splitlines()[0]
    assert in_shell(room, f"{command} --did-not-happen").returncode == 0
    assert say("durable", "prune", place).returncode == 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_r107_a_run_that_has_not_begun_is_not_called_damaged(room, agentl, say, lang) -> None:
    (room / "new").mkdir()
    words = {"en": ("has not begun", "damaged"), "fr": ("n'a pas commencé", "endommagé")}[lang]
    for command in (
        ("send", "ping"),
        ("settle", "--resend"),
        ("cancel",),
        ("export",),
        ("export", "--program"),
    ):
        refused = say("durable", command[0], "new", *command[1:], "--lang", lang)
        assert printed(refused, "R107").endswith("--durable new")
        assert (words[0] in refused.stderr, words[1] in refused.stderr) == (True, False)
    (room / "new" / "wal.jsonl").write_bytes(b"{}\n")
    refused = agentl("durable", "send", "new", "ping", "--lang", lang)
    assert (words[1] in refused.stderr, " R205: " in refused.stderr) == (True, True)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_r602_who_only_looks_is_not_told_to_make_a_new_directory(room, agentl, say, lang) -> None:
    new = re.compile(r"\bnew\b|\bempty\b|nouveau|vide")
    for words in (
        ("status", "nothing"),
        ("show", "nothing"),
        ("list", "nothing"),
        ("status", "nothing.db#r"),
    ):
        assert not new.search(help_of(say("durable", *words, "--lang", lang), "R602"))
    assert not (room / "nothing").exists()
    (room / "letters").mkdir()
    (room / "letters" / "a.txt").touch()
    assert not new.search(help_of(agentl("durable", "status", "letters", "--lang", lang), "R602"))
    assert new.search(help_of(say("run", "a.agent", "--durable", "letters", "--lang", lang), "R602"))


@pytest.mark.parametrize("kind", ["sqlite", POSTGRES])
def test_a_run_in_a_database_is_found_by_its_program(agentl, say, address, kind) -> None:
    place = address(kind)
    assert agentl("run", "a.agent", "--durable", place).returncode == 0
    database = place.partition("#")[0]

    def found(program: str, command: Callable[..., Done] = say) -> list[str]:
        done = command("durable", "list", database, "--program", program, "--format", "json")
        return [Path(run["program"]).name for run in json.loads(done.stdout)]

    assert found("a.agent", agentl) == found("./a.agent") == ["a.agent"]
    assert found("b.agent") == []
    assert "a.agent (payer)" in say("durable", "status", place).stdout
