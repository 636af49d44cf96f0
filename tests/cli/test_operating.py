"""`agentl durable settle`, `send`, `cancel`, `prune` and `repair`, as a person uses them."""

import json
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

RUN = ("run", "payments.agent", "--durable", "runs/p")
PLAIN = {"PAYMENTS_PROMISE": "none"}


def entries(room: Path) -> int:
    if not (room / "bank.sqlite").exists():
        return 0
    connection = sqlite3.connect(room / "bank.sqlite")
    try:
        return connection.execute("SELECT count(*) FROM ledger").fetchone()[0]
    except sqlite3.OperationalError:  # the table is being made
        return 0
    finally:
        connection.close()


@pytest.fixture
def interrupted(room: Path, beside) -> Path:
    """A run whose process was killed inside transfer, after the money moved; its bank promised nothing."""
    slow = {"PAYMENTS_DELAY": "60", **PLAIN}
    process = beside(*RUN, environment=slow, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 180
    while not entries(room) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=180)
    return room / "runs" / "p"


RECEIPT = json.dumps({"order": "order-7", "reference": "entry-1"})


def strike_the_order(room: Path) -> None:
    """What an operator does in the bank before saying that the transfer happened."""
    connection = sqlite3.connect(room / "bank.sqlite")
    with connection:
        connection.execute("UPDATE orders SET paid = 1")
    connection.close()


def test_an_operator_says_that_it_happened_and_the_run_goes_on(room, agentl, interrupted) -> None:
    strike_the_order(room)
    done = agentl("durable", "settle", "runs/p", "transfer", "--happened", RECEIPT, "--by", "ada")
    assert done.returncode == 0
    assert "kept, as said by ada" in done.stderr
    assert "the run takes it when it is resumed" in done.stderr
    status = agentl("durable", "status", "runs/p").stdout
    assert "put in" in status
    assert "operator_happened  ada" in status
    resumed = agentl(*RUN, **PLAIN)
    assert resumed.returncode == 0
    assert "an operator says that it happened" in resumed.stderr
    assert "had happened, says an operator" in resumed.stdout
    assert entries(room) == 1
    found = json.loads(agentl("durable", "status", "runs/p", "--json").stdout)
    assert (found["state"], found["in_doubt"], found["put_in"]) == ("completed", [], [])
    (said,) = found["settlements"]
    assert (said["how"], said["who"]) == ("operator_happened", "ada")
    assert "operator_happened, attempt 1, ada" in agentl("durable", "show", "runs/p").stdout


def test_the_same_in_french(agentl, interrupted) -> None:
    done = agentl("durable", "settle", "runs/p", "--did-not-happen", "--by", "ada", "--lang", "fr")
    assert "gardé, dit par ada" in done.stderr
    again = agentl("durable", "settle", "runs/p", "--did-not-happen", "--lang", "fr")
    assert again.returncode == 2
    assert "R403" in again.stderr
    assert "est déjà tranchée : operator_not, ada" in again.stderr


@pytest.mark.parametrize(
    ("words", "english", "french"),
    [
        (("settle", "--happened", "{}"), "order: it is missing", "order : absent"),
        (("settle", "--happened", "[]"), "result: a JSON object expected", "result : un objet JSON attendu"),
        (("send", "x", "[]"), "the JSON that is due: a JSON object expected", "un objet JSON attendu"),
    ],
)
def test_what_does_not_fit_is_said_in_both_languages(agentl, interrupted, words, english, french) -> None:
    for lang, told in (("en", english), ("fr", french)):
        refused = agentl("durable", words[0], "runs/p", *words[1:], "--lang", lang)
        assert (refused.returncode, told in refused.stderr.splitlines()[0]) == (2, True), refused.stderr


def test_who_is_the_user_and_the_machine_unless_told(agentl, interrupted) -> None:
    agentl("durable", "settle", "runs/p", "--resend")
    (said,) = json.loads(agentl("durable", "status", "runs/p", "--json").stdout)["put_in"]
    assert "@" in said["who"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), "U122"),
        (("--resend", "--did-not-happen"), "U122"),
        (("--happened", "{"), "U123"),
        (("--happened", "NaN"), "U123"),
        (("--happened", "{}"), "U121"),
        (("other", "--resend"), "U120"),
    ],
)
def test_what_is_not_understood_changes_nothing(agentl, interrupted, words, code) -> None:
    done = agentl("durable", "settle", "runs/p", *words)
    assert (done.returncode, code in done.stderr) == (2, True)
    assert not (interrupted / "inbox.jsonl").exists()


def test_a_cancelled_run_is_refused_and_told_as_such(room, agentl, interrupted) -> None:
    done = agentl("durable", "cancel", "runs/p", "--by", "ada")
    assert done.returncode == 0
    assert "its result is not known" in done.stderr
    assert "cancelled" in agentl("durable", "status", "runs/p").stdout
    resumed = agentl(*RUN, **PLAIN)
    assert (resumed.returncode, "R502" in resumed.stderr) == (2, True)
    assert "the run was cancelled by ada" in resumed.stderr
    assert entries(room) == 1
    assert agentl("durable", "show", "runs/p", "--follow").returncode == 0


def test_prune_shows_then_deletes_and_spares_what_can_go_on(room, agentl, interrupted) -> None:
    assert agentl("run", "payments.agent", "--durable", "runs/q").returncode == 0
    shown = agentl("durable", "prune", "runs", "--dry-run")
    assert (shown.returncode, "would go runs/q" in shown.stdout) == (0, True)
    assert "runs/p: it is interrupted" in shown.stdout
    assert (room / "runs" / "q").exists()
    assert "runs deleted: 1" in agentl("durable", "prune", "runs").stderr
    assert sorted(path.name for path in (room / "runs").iterdir()) == ["p"]
    refused = agentl("durable", "prune", "runs/p")
    assert (refused.returncode, "R106" in refused.stderr) == (2, True)
    for words in (("--older-than", "30"), ("--status", "odd")):
        assert "U124" in agentl("durable", "prune", "runs", *words).stderr


def test_repair_shows_asks_and_keeps_the_original(room, agentl, interrupted) -> None:
    journal = interrupted / "wal.jsonl"
    whole = journal.read_bytes()
    lines = whole.splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:4], lines[4].replace(b'"tick":1', b'"tick":2'), *lines[5:]]))
    damaged = journal.read_bytes()
    assert "R201" in agentl("durable", "status", "runs/p").stderr
    asked = agentl("durable", "repair", "runs/p")
    assert (asked.returncode, "U125" in asked.stderr) == (2, True)
    assert "#4 would go" in asked.stdout
    assert journal.read_bytes() == damaged
    assert agentl("durable", "repair", "runs/p", "--yes", "--by", "ada").returncode == 0
    assert (interrupted / "wal.jsonl.damaged-1").read_bytes() == damaged
    shown = agentl("durable", "show", "runs/p").stdout
    assert re.search(r"lines lost: \d+, actions among them: \d+, ada", shown)
    assert agentl("durable", "repair", "runs/p").returncode == 0
    assert agentl(*RUN, **PLAIN).returncode == 0
    assert entries(room) == 1


def test_the_status_of_an_empty_directory_says_so(room, agentl) -> None:
    (room / "empty").mkdir()
    assert "new: the directory is empty" in agentl("durable", "status", "empty").stdout


def test_repair_tells_what_entries_go_and_asks_whether_one_had_cancelled_the_run(agentl, interrupted) -> None:
    agentl("durable", "cancel", "runs/p", "--by", "ada")
    inbox = interrupted / "inbox.jsonl"
    cancelled = inbox.read_bytes()
    inbox.write_bytes(cancelled.replace(b'"id":"cancel"', b'"id":"cbncel"'))
    asked = agentl("durable", "repair", "runs/p")
    assert "entry #1 of the inbox would go: cancel ada\n" in asked.stdout
    assert "it stays cancelled" in asked.stdout
    inbox.write_bytes(cancelled.replace(b"cancel", b"cbncel"))
    refused = agentl("durable", "repair", "runs/p", "--yes")
    assert (refused.returncode, "U125" in refused.stderr, "--not-cancelled" in refused.stderr) == (
        2,
        *[True] * 2,
    )
    assert "may have cancelled the run" in refused.stdout
    assert agentl("durable", "repair", "runs/p", "--yes", "--cancelled", "--by", "bob").returncode == 0
    assert "R502" in agentl(*RUN, **PLAIN).stderr
