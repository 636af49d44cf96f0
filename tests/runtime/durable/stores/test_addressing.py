"""Places in one word, and the list of runs (durability.md §1, §11)."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from store_kinds import LASTING, POSTGRES

from agentl import Host, cli, parse_source
from agentl.durable import DurableError, DurableRun, FileStore, PostgresStore, SQLiteStore, status
from agentl.durable.addressing import addresses, store_at
from agentl.errors import UsageError

QUIET = "AGENT {name} {{ OBSERVE {{ door.state }} LOOP MAX 2 {{ OBSERVE }} }}"


def run_at(place: str, name: str = "porter", run_id: str | None = None) -> None:
    host = Host()
    host.sensors["door.state"] = lambda: 1
    DurableRun(parse_source(QUIET.format(name=name)), host, store=store_at(place), run_id=run_id).run()


@pytest.mark.parametrize(
    ("word", "kind", "name"),
    [
        ("runs/x", FileStore, "runs/x"),
        ("runs/x#2", FileStore, "runs/x#2"),
        ("new.db#r1", SQLiteStore, "new.db#r1"),
        ("new.sqlite3#r1", SQLiteStore, "new.sqlite3#r1"),
        ("a#b.db#r1", SQLiteStore, "a#b.db#r1"),
        ("postgresql://ann:tulip@db/runs#r1", PostgresStore, "postgresql://ann@db/runs#r1"),
        ("postgres://ann:tu#lip@db/runs#r1", PostgresStore, "postgres://ann@db/runs#r1"),
    ],
)
def test_a_word_names_a_store(word: str, kind: type, name: str) -> None:
    store = store_at(word)
    assert type(store) is kind
    assert store.name == name


def test_a_directory_with_a_hash_in_its_name_stays_a_directory(tmp_path: Path) -> None:
    (tmp_path / "x.db#1").mkdir()
    assert isinstance(store_at(tmp_path / "x.db#1"), FileStore)


@pytest.mark.parametrize("word", ["postgresql://ann:tulip@db/runs", "postgresql://ann:tulip@db/runs#"])
def test_a_database_without_a_run_is_refused_without_its_password(word: str) -> None:
    with pytest.raises(DurableError) as refusal:
        store_at(word)
    assert refusal.value.code == "R602"
    assert "tulip" not in f"{refusal.value} {refusal.value.place}"


def test_a_sqlite_file_without_a_run_is_refused_and_a_run_that_is_not_in_it_too(tmp_path: Path) -> None:
    run_at(f"{tmp_path}/runs.db#a")
    for word in (f"{tmp_path}/runs.db", f"{tmp_path}/runs.db#b", f"{tmp_path}/none.db#a"):
        with pytest.raises(DurableError) as refusal:
            status(word)
        assert refusal.value.code == "R602"
    with pytest.raises(UsageError) as misnamed:
        store_at(f"{tmp_path}/runs.db#a/b")
    assert misnamed.value.code == "U110"


def test_the_place_names_the_run_and_another_name_is_refused(tmp_path: Path) -> None:
    run_at(f"{tmp_path}/runs.db#a")
    assert status(f"{tmp_path}/runs.db#a").run_id == "a"
    with pytest.raises(DurableError) as refusal:
        run_at(f"{tmp_path}/runs.db#a", run_id="b")
    assert refusal.value.code == "R301"


@pytest.mark.parametrize("kind", LASTING)
def test_every_reading_command_takes_every_place(
    kind: str, address: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    place = address(kind)
    run_at(place, run_id="run1")
    for words in (["status"], ["show"], ["export"], ["status", "--json"]):
        assert cli.run(["durable", words[0], place, *words[1:]]) == 0
        assert "run1" in (told := capsys.readouterr()).out or "door.state" in told.out


# ------------------------------------------------------------------------------------------ the list


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three runs below a directory: two in directories, one in a database; one is corrupt."""
    run_at(f"{tmp_path}/here/one", run_id="one")
    run_at(f"{tmp_path}/here/deep/two", "warden", run_id="two")
    run_at(f"{tmp_path}/here/runs.db#three")
    run_at(f"{tmp_path}/here/.hidden/four")
    journal = tmp_path / "here" / "deep" / "two" / "wal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"how":"completed"', b'"how":"completee"'))
    return tmp_path / "here"


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert cli.run(["durable", "list", *words, "--format", "json"]) == 0
    return sorted(run["run_id"] for run in json.loads(capsys.readouterr().out))


def test_a_directory_lists_its_runs_at_any_depth_with_those_of_databases(runs: Path) -> None:
    assert sorted(addresses(runs)) == [f"{runs}/deep/two", f"{runs}/one", f"{runs}/runs.db#three"]


def test_the_list_is_filtered_by_status_agent_program_and_age(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, digest = str(runs), FileStore(runs / "one").records().split(b'"program":"')[1][:12].decode()
    assert listed(capsys, place) == ["one", "three", "two"]
    assert listed(capsys, place, "--status", "completed") == ["one", "three"]
    assert listed(capsys, place, "--status", "completed", "--status", "corrupt") == ["one", "three", "two"]
    assert listed(capsys, place, "--agent", "warden") == ["two"]
    assert listed(capsys, place, "--program", digest) == ["one", "three"]
    assert listed(capsys, place, "--program", "payments.agent") == []
    assert listed(capsys, place, "--since", "1h") == ["one", "three", "two"]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert listed(capsys, place, "--since", tomorrow) == []
    assert listed(capsys, f"{place}/runs.db") == ["three"]


@pytest.mark.parametrize("kind", [POSTGRES])
def test_a_database_lists_its_runs(kind: str, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("a", "b"):
        run_at(f"{database}#{run}")
    assert listed(capsys, database) == ["a", "b"]


def test_the_list_for_people_tells_state_and_place(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["durable", "list", str(runs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["run", "state", "agents"]
    told = {tuple(line.split()[:2]): line for line in lines[1:]}
    assert told.keys() == {("two", "corrupt"), ("one", "completed"), ("three", "completed")}
    assert told["three", "completed"].endswith(f"{runs}/runs.db#three")


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--status", "dead"], "U115"), (["--since", "yesterday"], "U116"), (["nowhere"], "R602")],
)
def test_a_list_that_is_not_understood_is_refused(
    words: list[str], code: str, tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["durable", "list", *words]) == 2
    assert code in capsys.readouterr().err


@pytest.mark.needs("postgres")
def test_no_command_shows_the_password_of_a_database(durable, bank, database, capsys) -> None:
    """Every command that takes a place, with a password that the server does not ask for."""
    address = re.sub(r"//(\w+)@", r"//\1:tulip@", database)
    durable(bank.host(), store=PostgresStore(address, "run1")).run()
    for words in (
        ("list", address),
        ("list", address, "--format", "json"),
        ("status", f"{address}#run1"),
        ("status", f"{address}#run1", "--json"),
        ("status", f"{address}#other"),
        ("show", f"{address}#run1"),
        ("export", f"{address}#run1"),
        ("send", f"{address}#run1", "x"),
        ("settle", f"{address}#run1", "--resend"),
        ("cancel", f"{address}#run1"),
        ("repair", f"{address}#run1"),
        ("prune", address, "--older-than", "1d"),
        ("prune", address, "--dry-run"),
        ("prune", address),
    ):
        cli.run(["durable", *words])
        told = "".join(capsys.readouterr())
        assert told
        assert "tulip" not in told, words
    assert PostgresStore.runs(database) == []
