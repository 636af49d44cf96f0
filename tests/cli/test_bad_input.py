"""Whatever a person gets wrong: one clear line, a next step, exit 2, no traceback."""

from collections.abc import Callable
from pathlib import Path

import pytest

HOST = "from agentl import Host\n"
PROGRAM = "AGENT a { LOOP MAX 1 { OBSERVE } }\n"


def write(room: Path, name: str, content: str | bytes) -> None:
    path = room / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def missing_file(room: Path) -> list[str]:
    return ["run", "nowhere.agent"]


def directory_as_program(room: Path) -> list[str]:
    (room / "a.agent").mkdir()
    return ["run", "a.agent"]


def not_utf8(room: Path) -> list[str]:
    write(room, "a.agent", b"AGENT a {\n  // caf\xe9\n}\n")
    return ["run", "a.agent"]


def empty_file(room: Path) -> list[str]:
    write(room, "a.agent", "")
    return ["run", "a.agent"]


def broken_syntax(room: Path) -> list[str]:
    write(room, "a.agent", "AGENT a {\n  GOAL {\n")
    return ["run", "a.agent"]


def missing_host(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    return ["run", "a.agent"]


def host_raises(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", HOST + "\ndef build():\n    raise RuntimeError('no key')\n")
    return ["run", "a.agent"]


def host_has_a_syntax_error(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", "def build(:\n")
    return ["run", "a.agent"]


def host_exits(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", "import sys\nsys.exit('bye')\n")
    return ["run", "a.agent"]


def host_is_something_else(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", "def build():\n    return 5\n")
    return ["run", "a.agent"]


def host_offers_nothing(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", HOST + "def bild():\n    return Host()\n")
    return ["run", "a.agent"]


def host_declares_what_cannot_be_meant(room: Path) -> list[str]:
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", HOST + "host = Host()\n@host.tool('pay', timeout='30')\ndef pay(): return {}\n")
    return ["run", "a.agent"]


def events_into_the_run(room: Path) -> list[str]:
    return ["run", "payments.agent", "--durable", "runs/p", "--events", "runs/p/events.jsonl"]


def events_over_the_program(room: Path) -> list[str]:
    return ["run", "payments.agent", "--events", "./payments.agent"]


def events_over_the_host(room: Path) -> list[str]:
    (room / "link").symlink_to("payments.py")
    return ["run", "payments.agent", "--events", "link"]


def events_over_the_database(room: Path) -> list[str]:
    write(room, "runs.db", "not even one")
    return ["run", "payments.agent", "--durable", "runs.db#p", "--events", "runs.db"]


def directory_of_other_things(room: Path) -> list[str]:
    write(room, "runs/holiday.jpg", "beach")
    return ["run", "payments.agent", "--durable", "runs"]


def durable_is_a_file(room: Path) -> list[str]:
    write(room, "runs", "text")
    return ["run", "payments.agent", "--durable", "runs"]


def durable_below_a_file(room: Path) -> list[str]:
    write(room, "runs", "text")
    return ["run", "payments.agent", "--durable", "runs/payments"]


def status_of_nothing(room: Path) -> list[str]:
    return ["durable", "status", "runs"]


def show_of_other_things(room: Path) -> list[str]:
    write(room, "runs/holiday.jpg", "beach")
    return ["durable", "show", "runs"]


def export_of_a_file(room: Path) -> list[str]:
    return ["durable", "export", "payments.agent"]


def replay_of_nothing(room: Path) -> list[str]:
    return ["replay", "journal.json"]


def replay_of_a_program(room: Path) -> list[str]:
    return ["replay", "payments.agent"]


def replay_of_other_json(room: Path) -> list[str]:
    write(room, "other.json", "[1, 2]")
    return ["replay", "other.json"]


def events_into_a_directory(room: Path) -> list[str]:
    return ["run", "payments.agent", "--events", "."]


def unknown_option(room: Path) -> list[str]:
    return ["run", "payments.agent", "--durabel", "runs"]


def unknown_command(room: Path) -> list[str]:
    return ["rnu", "payments.agent"]


def missing_argument(room: Path) -> list[str]:
    return ["run"]


def ticks_is_no_number(room: Path) -> list[str]:
    return ["run", "payments.agent", "--ticks", "many"]


def ticks_is_zero(room: Path) -> list[str]:
    return ["run", "payments.agent", "--ticks", "0"]


def run_id_without_durable(room: Path) -> list[str]:
    return ["run", "payments.agent", "--run-id", "x"]


def run_id_that_is_a_path(room: Path) -> list[str]:
    return ["run", "payments.agent", "--durable", "runs", "--run-id", "../x"]


def unknown_code(room: Path) -> list[str]:
    return ["explain", "R999"]


CASES = [
    (missing_file, "U102", "nowhere.agent"),
    (directory_as_program, "U103", "a.agent"),
    (not_utf8, "U105", "0xe9"),
    (empty_file, "S106", "AGENT"),
    (broken_syntax, "S102", "a.agent:2:9"),
    (missing_host, "H101", "a.py"),
    (host_raises, "H102", "a.py, "),
    (host_has_a_syntax_error, "H102", "SyntaxError"),
    (host_exits, "H102", "bye"),
    (host_is_something_else, "H103", "int"),
    (host_offers_nothing, "H103", "bild"),
    (host_declares_what_cannot_be_meant, "H104", "timeout"),
    (events_into_the_run, "U111", "runs/p/events.jsonl"),
    (events_over_the_program, "U111", "payments.agent"),
    (events_over_the_host, "U111", "payments.py"),
    (events_over_the_database, "U111", "runs.db"),
    (directory_of_other_things, "R602", "runs"),
    (durable_is_a_file, "R602", "runs"),
    (durable_below_a_file, "R602", "runs/payments"),
    (status_of_nothing, "R602", "runs"),
    (show_of_other_things, "R602", "runs"),
    (export_of_a_file, "R602", "payments.agent"),
    (replay_of_nothing, "R203", "journal.json"),
    (replay_of_a_program, "R203", "payments.agent"),
    (replay_of_other_json, "R203", "other.json"),
    (events_into_a_directory, "U103", "."),
    (unknown_option, "U101", "--durabel"),
    (unknown_command, "U101", "rnu"),
    (missing_argument, "U101", "FILE"),
    (ticks_is_no_number, "U101", "--ticks"),
    (ticks_is_zero, "U101", "--ticks"),
    (run_id_without_durable, "U109", "--run-id"),
    (run_id_that_is_a_path, "U110", "../x"),
    (unknown_code, "U108", "R999"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_bad_input_is_told_in_one_line_with_a_next_step(
    agentl, room: Path, case: tuple[Callable[[Path], list[str]], str, str], language: str
):
    prepare, code, named = case
    done = agentl(*prepare(room), AGENTL_LANG=language)

    first, *rest = done.stderr.splitlines()
    word = {"en": "error", "fr": "erreur"}[language]
    assert first.startswith(f"{word} {code}"), done.stderr
    assert named in done.stderr
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert any(line.strip().startswith({"en": "help:", "fr": "aide :"}[language]) for line in rest), (
        done.stderr
    )
    assert (
        rest[-1]
        .strip()
        .startswith({"en": "more: agentl explain ", "fr": "détails : agentl explain "}[language])
    )


def test_nothing_is_left_behind_by_a_refused_run(agentl, room: Path):
    write(room, "a.agent", PROGRAM)
    agentl("run", "a.agent", "--durable", "runs")
    assert not (room / "runs").exists()


def test_no_rights_are_told_without_a_traceback(agentl_without_privilege, room: Path):
    write(room, "secret.agent", PROGRAM)
    (room / "secret.agent").chmod(0o000)
    (room / "closed").mkdir(mode=0o500)
    for code, words in (
        ("U104", ["run", "secret.agent"]),
        ("R602", ["run", "payments.agent", "--durable", "closed/payments"]),
    ):
        done = agentl_without_privilege(*words)
        assert done.stderr.startswith(f"error {code}: "), done.stderr
        assert "ermission" in done.stderr.splitlines()[0]
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_a_run_without_rights_is_met_with_advice_about_rights(agentl, agentl_without_privilege, room: Path):
    agentl("run", "payments.agent", "--durable", "runs/p")
    run = room / "runs" / "p"
    for closed, rights in ((run / "wal.jsonl", 0o600), (run / "run.lock", 0o600), (run, 0o700)):
        closed.chmod(0o000)
        done = agentl_without_privilege("run", "payments.agent", "--durable", "runs/p")
        closed.chmod(rights)
        assert done.stderr.startswith("error R602: not a run directory: Permission denied\n"), closed
        assert "help: give yourself the rights to it and to the files in it" in done.stderr


def test_an_unreadable_host_script_is_not_to_be_written_again(agentl_without_privilege, room: Path):
    (room / "payments.py").chmod(0o000)
    told = agentl_without_privilege("run", "payments.agent").stderr
    assert told.startswith("error H101: ")
    assert "help: give yourself the right to read payments.py\n" in told


def test_text_of_others_stays_on_one_line_and_is_clipped(agentl, room: Path):
    write(room, "a.agent", PROGRAM)
    write(room, "a.py", "raise ValueError('one\\nerror U101: two\\x1b[31m' + 'x' * 5000)\n")
    told = agentl("run", "a.agent").stderr.splitlines()
    assert told[0].startswith(
        "error H102: a.py, line 1: ValueError while the host script was loading: one\\nerror"
    )
    assert "two\\x1b[31mxxx" in told[0]
    assert (len(told), len(told[0])) == (4, len("error H102: ") + 600)
    told = agentl("run", "payments.agent", "--durable", "r", "--run-id", "a\nb").stderr.splitlines()
    assert told[0] == "error U110: a\\nb cannot be the name of a run"
    assert len(told) == 3


def test_a_construct_that_is_not_executed_is_refused_by_line_before_anything_runs(agentl, room: Path):
    write(
        room,
        "a.agent",
        "AGENT a {\n  OBSERVE { x.y }\n  HYPOTHESIS leak { PRIOR 0.2 }\n  LOOP MAX 1 { OBSERVE }\n}\n",
    )
    write(room, "a.py", "raise SystemExit('the host was loaded')\n")
    done = agentl("run", "a.agent", "--durable", "runs")
    assert done.returncode == 1
    assert "error C101" in done.stderr
    assert "a.agent:3:3" in done.stderr
    assert "HYPOTHESIS" in done.stderr
    assert done.stdout == ""
    assert not (room / "runs").exists()
