"""The text that a run began with is kept byte by byte, and one that was altered or is gone is told (R206)."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from agentl_process import start
from store_kinds import LASTING

from agentl import Host, cli
from agentl.durable import DurableError, FileStore, MemoryStore, export_run, status
from agentl.durable.chain import seal_line

PROGRAM = """AGENT payer {
  // pays nothing
  OBSERVE { clock }
  POLICY { DEFAULT ALLOW  NEVER SEND clock.pin }
  LOOP MAX 1 { OBSERVE }
}
"""
HOST = """from agentl import Host

host = Host()
host.sensors["clock"] = lambda: {"pin": "4711-0815"}
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "a.agent").write_text(PROGRAM)
    (tmp_path / "a.py").write_text(HOST)
    return tmp_path


def alter(place: str, text: str | None) -> None:
    """Keep another text under the digest, as no store of ours would; or none."""
    data = None if text is None else text.encode()
    before, mark, run = place.partition("#")
    if place.startswith("postgresql"):
        with psycopg.connect(before, autocommit=True) as connection:
            connection.execute("DELETE FROM agentl_programs" if data is None else "SELECT 1")
            connection.execute("UPDATE agentl_programs SET text = %s WHERE run = %s", (data, run))
    elif mark:
        with closing(sqlite3.connect(before)) as connection, connection:
            connection.execute("DELETE FROM agentl_programs" if data is None else "SELECT 1")
            connection.execute("UPDATE agentl_programs SET text = ?", (data,))
    else:
        (path,) = Path(place, "programs").iterdir()
        path.unlink() if data is None else path.write_bytes(data)


@pytest.mark.parametrize("kind", LASTING)
def test_a_changed_byte_is_told_with_code_and_next_step_and_the_run_is_not_lost(room, address, kind) -> None:
    place = address(kind)

    def agentl(*words: str, lang: str = "en"):
        return start(room, words, {"AGENTL_LANG": lang})

    assert agentl("run", "a.agent", "--durable", place).returncode == 0
    assert agentl("durable", "status", place).stderr == ""
    alter(place, PROGRAM.replace("pays nothing", "pays nothinG"))
    for lang, word in (("en", "help: "), ("fr", "aide : ")):
        told = agentl("durable", "status", place, lang=lang)
        assert (told.returncode, " R206: " in told.stderr, word in told.stderr) == (2, True, True)
    (listed,) = json.loads(agentl("durable", "list", place.partition("#")[0], "--format", "json").stdout)
    assert (listed["state"], listed["problem"]["code"]) == ("completed", "R206")
    assert " R206: " in agentl("durable", "export", place).stderr
    assert "clock" in agentl("durable", "show", place).stdout
    assert agentl("run", "a.agent", "--durable", place).returncode == 0
    alter(place, PROGRAM)
    assert status(place).problem is None
    assert json.loads(export_run(place).text())["source"] == PROGRAM


@pytest.mark.parametrize("kind", LASTING)
def test_a_text_that_is_gone_or_means_something_else_hides_no_secret_from_show(
    room, address, kind, capsys, monkeypatch
) -> None:
    place = address(kind)
    monkeypatch.setenv("AGENTL_LANG", "en")
    monkeypatch.setenv("XDG_STATE_HOME", str(room / "state"))
    monkeypatch.chdir(room)
    assert cli.run(["run", "a.agent", "--durable", place]) == 0
    for text in (PROGRAM.replace("NEVER SEND clock.pin", ""), None):
        alter(place, text)
        capsys.readouterr()
        for command in ("show", "export"):
            code = cli.run(["durable", command, place])
            told = capsys.readouterr()
            assert (code, "4711" in told.out, " R206: " in told.err) == (2, False, True)
    assert status(place).state == "completed"


def older(place: FileStore) -> MemoryStore:
    """The same run as a version wrote it whose headers had no digest of the text."""
    copy, previous = MemoryStore(), ""
    for line in place.records().splitlines():
        fields = json.loads(line)
        del fields["h"]
        fields.pop("text", None)
        sealed, previous = seal_line(previous, fields)
        copy._data += sealed + b"\n"
    return copy


def test_a_journal_of_before_is_read_and_its_text_is_held_to_what_it_means(room, durable) -> None:
    host = Host()
    host.sensors["clock"] = lambda: 1
    durable(host, PROGRAM).run()
    store = older(FileStore(room / "run"))
    digest = json.loads(store.records().split(b"\n")[0])["program"]
    for text, code in ((PROGRAM, None), (f"// other\n{PROGRAM}", None), (PROGRAM.replace("1", "2"), "R206")):
        store._programs[digest] = text
        problem = status(store).problem
        assert (problem and problem.code) == code
        if code is None:
            assert export_run(store).source == text
    store._programs.clear()
    with pytest.raises(DurableError) as refusal:
        export_run(store)
    assert refusal.value.code == "R206"
