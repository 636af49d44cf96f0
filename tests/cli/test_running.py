"""`agentl run` and the readers of a run, as processes: what they print, where, and how they exit."""

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

RUN = ("run", "payments.agent", "--durable", "runs/p")


def rows(room: Path, query: str) -> list[tuple]:
    path = room / "bank.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as bank:
        try:
            return bank.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []


def wait_for_the_money(room: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 180
    while not rows(room, "SELECT * FROM ledger") and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.fixture
def interrupt(room: Path, beside):
    """Start the durable run with a slow bank and send a signal inside `transfer`, after the money moved."""

    def start_and_send(number: signal.Signals, **environment: str) -> tuple[int, str]:
        slow = {"PAYMENTS_DELAY": "60", **environment}
        process = beside(*RUN, environment=slow, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_for_the_money(room, process)
        process.send_signal(number)
        _, told = process.communicate(timeout=180)
        return process.returncode, told

    return start_and_send


def files_of(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


# -------------------------------------------------------------------------------------------- output


def test_the_trace_and_the_metrics_go_to_stdout_and_the_notices_to_stderr(agentl):
    done = agentl(*RUN)
    assert done.returncode == 0
    assert re.fullmatch(r"→ durable run [0-9a-f]{12}: runs/p/wal\.jsonl\n", done.stderr)
    assert done.stdout.startswith("[t1] TICK        tick 1\n")
    assert "\nmetrics\n  ticks           2\n" in done.stdout


def test_a_live_run_says_nothing_on_stderr(agentl):
    assert agentl("run", "payments.agent").stderr == ""


def test_two_live_runs_never_share_an_idempotency_key(agentl, room: Path):
    agentl("run", "payments.agent")
    with closing(sqlite3.connect(room / "bank.sqlite")) as bank:
        bank.execute("UPDATE orders SET paid = 0")
        bank.commit()
    agentl("run", "payments.agent")
    assert len(set(rows(room, "SELECT key FROM ledger"))) == 2


def test_quiet_prints_the_same_trace_at_the_end(agentl, room: Path):
    loud = agentl("run", "payments.agent").stdout
    (room / "bank.sqlite").unlink()
    assert agentl("run", "payments.agent", "--quiet").stdout == loud


def test_events_are_one_json_object_a_line(agentl, room: Path):
    done = agentl("run", "payments.agent", "--events", "events.jsonl")
    events = [json.loads(line) for line in (room / "events.jsonl").read_text().splitlines()]
    assert [event["seq"] for event in events] == list(range(len(events)))
    trace = done.stdout.partition("\n\nmetrics")[0].splitlines()
    assert [f"[t{event['tick']}] {event['kind']:<11} {event['text']}" for event in events] == trace
    assert events[1]["detail"] == {"path": "queue.pending", "value": 1}
    assert {event["agent"] for event in events} == {"payments"}


def test_piped_output_has_no_colour(agentl):
    done = agentl(*RUN)
    assert "\x1b" not in done.stdout + done.stderr + agentl("durable", "status", "runs/p").stdout


def on_a_terminal(beside, *words: str, **environment: str) -> str:
    parent, child = pty.openpty()
    colourful = {"TERM": "xterm-256color", **environment}
    with beside(*words, environment=colourful, stdout=child, stderr=subprocess.DEVNULL):
        os.close(child)
        shown = b""
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
    os.close(parent)
    return shown.decode()


def test_a_terminal_gets_colours_unless_no_color_is_set(beside):
    assert "\x1b[32m" in on_a_terminal(beside, "run", "payments.agent")
    assert "\x1b[3" not in on_a_terminal(beside, "run", "payments.agent", NO_COLOR="1")


# -------------------------------------------------------------------------------------------- exit codes


def test_unmet_goals_exit_zero_and_three_on_demand(agentl):
    assert agentl("run", "payments.agent", "--ticks", "1").returncode == 0
    done = agentl("run", "payments.agent", "--ticks", "1", "--fail-on-goal", AGENTL_BANK="other.sqlite")
    assert done.returncode == 3


def test_met_goals_exit_zero_with_fail_on_goal(agentl):
    assert agentl("run", "payments.agent", "--fail-on-goal").returncode == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_exits_by_its_number_and_the_run_resumes(agentl, interrupt, room: Path, number, code):
    status, told = interrupt(number)
    assert status == code
    assert "Traceback" not in told
    assert told.endswith("interrupted; the same command resumes this run\n")
    assert agentl(*RUN).returncode == 0
    assert len(rows(room, "SELECT * FROM ledger")) == 1


def test_another_length_on_resume_is_refused(agentl, interrupt):
    interrupt(signal.SIGKILL)
    done = agentl(*RUN, "--ticks", "9")
    assert done.returncode == 2
    assert done.stderr.startswith("error R302")


def test_a_changed_program_is_refused_with_the_declaration(agentl, interrupt, room: Path):
    interrupt(signal.SIGKILL)
    program = room / "payments.agent"
    program.write_text(program.read_text().replace("amount > 1000", "amount > 2000"))
    done = agentl(*RUN)
    assert done.returncode == 2
    assert done.stderr.startswith("error R101: the program changed since this run began\n")
    assert "amount > 2000" in done.stderr
    assert len(rows(room, "SELECT * FROM ledger")) == 1


# -------------------------------------------------------------------------------------------- a killed run


def test_the_story_of_a_killed_run_in_english(agentl, interrupt):
    _, told = interrupt(signal.SIGKILL)
    run = re.fullmatch(r"→ durable run ([0-9a-f]{12}): runs/p/wal\.jsonl\n", told)[1]
    action = f"{run}:payments:t1:a1"
    done = agentl(*RUN)
    assert done.stderr == (
        f"↻ resuming durable run {run}: 5 journaled entries re-derived without effect\n"
        f"  intent without result: transfer ({action}), to be settled\n"
        f"  ↻ transfer ({action}): re-sent with the same idempotency key\n"
    )
    assert f"\nsettled\n  transfer ({action}): sent again with the same key\n" in done.stdout


def test_the_story_of_a_killed_run_in_french(agentl, interrupt):
    _, told = interrupt(signal.SIGKILL, AGENTL_LANG="fr")
    run = re.fullmatch(r"→ exécution durable ([0-9a-f]{12}) : runs/p/wal\.jsonl\n", told)[1]
    action = f"{run}:payments:t1:a1"
    assert agentl(*RUN, "--lang", "fr").stderr == (
        f"↻ reprise de l'exécution durable {run} : 5 entrée(s) journalisée(s), re-dérivées sans effet\n"
        f"  intention sans résultat : transfer ({action}) — sera tranchée\n"
        f"  ↻ transfer ({action}) : relancée avec la même clé d'idempotence\n"
    )


def test_status_tells_an_interrupted_run_and_the_line_that_resumes_it(agentl, interrupt, room: Path):
    interrupt(signal.SIGKILL)
    text = agentl("durable", "status", "runs/p").stdout
    key = rows(room, "SELECT key FROM ledger")[0][0]
    assert "state    interrupted: the same command resumes it\n" in text
    assert f"key {key}  promised: idempotent\n" in text
    assert text.endswith("resume   agentl run payments.agent --durable runs/p\n")


def test_status_as_json_says_the_same(agentl, interrupt, room: Path):
    interrupt(signal.SIGKILL, PAYMENTS_PROMISE="none")
    found = json.loads(agentl("durable", "status", "runs/p", "--json").stdout)
    key = rows(room, "SELECT key FROM ledger")[0][0]
    assert (found["state"], found["entries"], found["tick"]) == ("interrupted", 5, 1)
    assert [(intent["tool"], intent["key"], intent["promise"]) for intent in found["open_intents"]] == [
        ("transfer", key, "none")
    ]
    agentl(*RUN, PAYMENTS_PROMISE="none")
    ended = json.loads(agentl("durable", "status", "runs/p", "--json").stdout)
    assert (ended["state"], ended["open_intents"], ended["resume"]) == ("completed", [], None)
    assert [(doubt["tool"], doubt["how"]) for doubt in ended["in_doubt"]] == [("transfer", "in_doubt")]


def test_status_tells_that_the_program_changed_but_not_for_a_comment(agentl, interrupt, room: Path):
    interrupt(signal.SIGKILL)
    program = room / "payments.agent"
    program.write_text("// a comment\n" + program.read_text())
    assert "changed since the run began" not in agentl("durable", "status", "runs/p").stdout
    program.write_text(program.read_text().replace("amount > 1000", "amount > 2000"))
    assert "changed since the run began" in agentl("durable", "status", "runs/p").stdout


def test_readers_change_no_byte(agentl, interrupt, room: Path):
    interrupt(signal.SIGKILL)
    before = files_of(room / "runs")
    agentl("durable", "status", "runs/p")
    agentl("durable", "show", "runs/p")
    agentl("durable", "export", "runs/p", "-o", "journal.json")
    agentl("replay", "journal.json")
    assert files_of(room / "runs") == before


def test_show_tells_the_open_intent_with_its_arguments(agentl, interrupt):
    interrupt(signal.SIGKILL)
    text = agentl("durable", "show", "runs/p").stdout
    assert text.startswith("tick 1\n  #1    read        queue.pending = 1\n")
    assert 'intent      transfer(order="order-7", account="NL-0042", amount=250.0)  open  id ' in text


def test_show_of_one_tick_shows_only_that_tick(agentl):
    agentl(*RUN)
    lines = agentl("durable", "show", "runs/p", "--tick", "2").stdout.splitlines()
    assert lines[0] == "tick 2"
    assert [line.split()[1] for line in lines[1:]] == ["read", "read", "drain", "checkpoint"]


def test_show_as_json_has_every_record_once(agentl):
    agentl(*RUN)
    records = [json.loads(line) for line in agentl("durable", "show", "runs/p", "--json").stdout.splitlines()]
    assert [record["n"] for record in records] == list(range(1, len(records) + 1))
    assert records[-1]["kind"] == "ended"


def test_show_follows_a_run_until_it_ends(beside, agentl, interrupt):
    interrupt(signal.SIGKILL)
    with beside("durable", "show", "runs/p", "--follow", stdout=subprocess.PIPE) as follower:
        shown = [follower.stdout.readline()]
        while shown[-1] and "  open  id" not in shown[-1]:
            shown.append(follower.stdout.readline())
        agentl(*RUN)
        rest, _ = follower.communicate(timeout=180)
    assert follower.returncode == 0
    # What is being performed while it is looked at is shown as open, and not again when it is done.
    told, whole = "".join(shown) + rest, agentl("durable", "show", "runs/p").stdout
    assert told.replace("  done  id", "  open  id") == whole.replace("  done  id", "  open  id")


def test_a_corrupt_run_is_told_by_status_and_exits_two(agentl, room: Path):
    agentl(*RUN)
    journal = room / "runs" / "p" / "wal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"key":"queue.pending"', b'"key":"queue.pendinG"', 1))
    done = agentl("durable", "status", "runs/p")
    assert done.returncode == 2
    assert "state  corrupt" in done.stdout or "state    corrupt" in done.stdout
    assert done.stderr.startswith("error R201: durable journal altered at crossing #1\n")


def test_a_second_process_is_told_who_holds_the_run_and_readers_read_it(beside, agentl, room: Path):
    slow = {"PAYMENTS_DELAY": "60"}
    with beside(*RUN, environment=slow, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as holder:
        wait_for_the_money(room, holder)
        before = files_of(room / "runs")
        found = json.loads(agentl("durable", "status", "runs/p", "--json").stdout)
        shown = agentl("durable", "show", "runs/p").stdout
        refused = agentl(*RUN)
        after = files_of(room / "runs")
        holder.kill()
    assert (found["state"], found["holder"]["pid"]) == ("running", holder.pid)
    assert "transfer(" in shown
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"error R304: the run is held by process {holder.pid} since ")
    assert after == before
    assert len(rows(room, "SELECT * FROM ledger")) == 1


# -------------------------------------------------------------------------------------------- export, replay


def test_export_and_replay_give_the_same_trace_without_the_host(agentl, room: Path):
    run = agentl(*RUN)
    assert agentl("durable", "export", "runs/p", "-o", "journal.json").returncode == 0
    (room / "payments.py").unlink()
    (room / "payments.agent").unlink()
    done = agentl("replay", "journal.json")
    assert done.returncode == 0
    assert done.stdout == run.stdout
    assert "15 journaled entries re-derived, nothing differs\n" in done.stderr


def test_an_export_to_stdout_is_the_export(agentl, room: Path):
    agentl(*RUN)
    agentl("durable", "export", "runs/p", "-o", "journal.json")
    assert agentl("durable", "export", "runs/p").stdout == (room / "journal.json").read_text()


@pytest.mark.parametrize(
    "output", ["runs/p/wal.jsonl", "runs/p/new.json", "runs/../runs/p/sub/new.json", "link"]
)
def test_an_export_into_the_run_is_refused_and_changes_no_byte(agentl, room: Path, output: str):
    agentl(*RUN)
    (room / "link").symlink_to("runs/p/wal.jsonl")
    before = files_of(room / "runs")
    done = agentl("durable", "export", "runs/p", "-o", output)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error U111: {output} lies inside the run directory runs/p\n")
    assert files_of(room / "runs") == before


def test_events_never_overwrite_the_journal(agentl, room: Path):
    agentl(*RUN)
    before = files_of(room / "runs")
    assert agentl(*RUN, "--events", "runs/p/wal.jsonl").returncode == 2
    assert files_of(room / "runs") == before


@pytest.mark.parametrize("needed", ["payments.agent", "payments.py", "runs.db"])
def test_events_never_overwrite_what_the_run_needs(agentl, room: Path, needed: str):
    command = ["run", "payments.agent", "--durable", "runs.db#p"]
    agentl(*command)
    before = (room / needed).read_bytes()
    done = agentl(*command, "--events", needed)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error U111: {needed} would be written over {needed}, ")
    assert (room / needed).read_bytes() == before


def test_an_export_over_the_database_of_its_run_is_refused(agentl, room: Path):
    agentl("run", "payments.agent", "--durable", "runs.db#p")
    done = agentl("durable", "export", "runs.db#p", "-o", "runs.db")
    assert (done.returncode, done.stderr[:11]) == (2, "error U111:")
    assert agentl("durable", "show", "runs.db#p").returncode == 0


def test_an_export_that_cannot_be_written_leaves_the_older_one_whole(agentl, room: Path):
    agentl(*RUN)
    (room / "journal.json").write_text("the older one")
    limited = [
        "bash",
        "-c",
        f"ulimit -f 1; exec {sys.executable} -m agentl durable export runs/p -o journal.json",
    ]
    done = subprocess.run(limited, cwd=room, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("error U106: journal.json cannot be used: File too large\n")
    assert (room / "journal.json").read_text() == "the older one"
    assert not list(room.glob(".journal.json*"))


def test_an_export_through_a_link_keeps_the_link_and_the_rights(agentl, room: Path):
    agentl(*RUN)
    (room / "real.json").write_text("older")
    (room / "real.json").chmod(0o640)
    (room / "link.json").symlink_to("real.json")
    assert agentl("durable", "export", "runs/p", "-o", "link.json").returncode == 0
    assert (room / "link.json").is_symlink()
    assert json.loads((room / "real.json").read_text())["format"] == "agentl.replay/1-draft"
    assert (room / "real.json").stat().st_mode & 0o777 == 0o640


def test_an_unfinished_run_is_exported_as_partial(agentl, interrupt):
    interrupt(signal.SIGKILL)
    done = agentl("durable", "export", "runs/p", "-o", "journal.json")
    assert done.returncode == 0
    assert "marked partial" in done.stderr
    assert agentl("replay", "journal.json").stderr.endswith("; it has not ended\n")


def test_a_completed_run_re_derives_quietly(agentl, room: Path):
    first = agentl(*RUN)
    (room / "bank.sqlite").unlink()
    again = agentl(*RUN)
    assert again.returncode == 0
    assert again.stdout == first.stdout
    assert rows(room, "SELECT * FROM ledger") == []
