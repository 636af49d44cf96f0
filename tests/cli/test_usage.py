"""Help, version, languages, pages, commands from above."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from agentl.cli.app import app
from agentl.cli.help_texts import help_texts

COMMANDS = ["run", "replay", "explain", "durable", "durable status", "durable show", "durable export"]


def test_help_lists_every_command(agentl):
    text = agentl("--help").stdout
    assert [
        name
        for name in ("run", "replay", "explain", "durable")
        if not re.search(rf"^  {name}\b", text, re.MULTILINE)
    ] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_says_what_it_does_and_exits_zero(agentl, command: str):
    done = agentl(*command.split(), "--help")
    assert done.returncode == 0
    assert f"Usage: agentl {command}" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("words", [(), ("durable",)])
def test_no_command_shows_nothing_but_help_and_exits_two(agentl, words: tuple[str, ...]):
    done = agentl(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == agentl(*words, "--help").stdout


def test_a_guess_names_no_word_twice(agentl):
    told = agentl("rnu", "x").stderr
    assert told.splitlines()[1].strip().startswith("help: did you mean run? ")


def test_version_is_that_of_the_distribution(agentl):
    assert agentl("--version").stdout == f"agentl {version('agentl')}\n"


def test_a_misspelt_option_is_met_with_the_right_one(agentl):
    assert "--durable" in agentl("run", "payments.agent", "--durabel", "x").stderr.splitlines()[1]


def test_a_misspelt_command_is_met_with_the_right_one(agentl):
    assert "did you mean replay" in agentl("repaly", "x").stderr


@pytest.mark.parametrize(
    ("words", "environment", "begins"),
    [
        (["run", "no.agent"], {}, "error U102: there is no no.agent"),
        (["run", "no.agent", "--lang", "fr"], {}, "erreur U102"),
        (["--lang=fr", "run", "no.agent"], {"AGENTL_LANG": "en"}, "erreur U102"),
        (["run", "no.agent"], {"AGENTL_LANG": "fr_CA.UTF-8"}, "erreur U102"),
        (["run", "no.agent"], {"LANG": "fr_FR.UTF-8"}, "erreur U102"),
        (["run", "no.agent"], {"LANG": "en_US.UTF-8", "LC_MESSAGES": "fr"}, "erreur U102"),
        (["run", "no.agent"], {"LANG": "fr_FR.UTF-8", "LC_ALL": "C.UTF-8"}, "error U102"),
        (["run", "no.agent", "--lang", "tlh"], {"AGENTL_LANG": "fr"}, "error U102"),
        (["run", "no.agent", "--lang", "en"], {"AGENTL_LANG": "fr"}, "error U102"),
        (["run", "--lang", "fr"], {}, "erreur U101"),
    ],
)
def test_the_language_is_the_option_then_the_variable_then_english(agentl, words, environment, begins):
    assert agentl(*words, **environment).stderr.startswith(begins)


def test_explain_prints_the_page_of_a_code_in_any_case(agentl):
    assert agentl("explain", "r304").stdout.startswith("# R304: ")


def test_explain_without_a_code_lists_them_all(agentl):
    lines = agentl("explain").stdout.splitlines()
    assert len(lines) > 30
    assert all(re.fullmatch(r"[A-Z]\d{3}: .+", line) for line in lines)


def test_a_reader_that_goes_away_is_no_error(room: Path):
    command = f"{sys.executable} -m agentl explain | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=room, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_a_command_from_above_that_fails_to_load_breaks_no_other(agentl, room: Path):
    package = room / "above"
    (package / "above-1.0.dist-info").mkdir(parents=True)
    (package / "above-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: above\nVersion: 1.0\n"
    )
    (package / "above-1.0.dist-info" / "entry_points.txt").write_text(
        "[agentl.commands]\nbroken = above:nothing\ngreet = above:register\n"
    )
    (package / "above.py").write_text(
        "def register(app):\n    app.command('greet')(greet)\n\n"
        "def greet() -> int:\n    print('hello')\n    return 0\n"
    )

    assert agentl("explain", "U107", PYTHONPATH=str(package)).returncode == 0
    assert agentl("greet", PYTHONPATH=str(package)).stdout == "hello\n"
    assert "broken" in agentl("--help", PYTHONPATH=str(package)).stdout
    done = agentl("broken", PYTHONPATH=str(package))
    assert done.returncode == 2
    assert done.stderr.startswith("error U107: the command broken cannot be loaded")


def test_a_bug_is_told_in_two_lines_and_in_full_on_demand(agentl, room: Path):
    (room / "sitecustomize.py").write_text("import pathlib\npathlib.Path.read_bytes = None\n")
    done = agentl("run", "payments.agent", PYTHONPATH=str(room))
    assert done.returncode == 70
    assert done.stderr.startswith("error U901: agentl itself failed: TypeError")
    assert "Traceback" not in done.stderr
    assert "Traceback" in agentl("run", "payments.agent", PYTHONPATH=str(room), AGENTL_DEBUG="1").stderr


def test_the_help_of_a_command_from_above_is_french_as_well(agentl) -> None:
    said = agentl("lsp", "--help", LC_ALL="fr_FR.UTF-8").stdout
    assert "Lance le serveur de langage" in said
    assert "language server" not in said
    assert "Run the language server on standard input and output" in agentl("lsp", "--help").stdout
    assert "Lance le serveur de langage" in agentl("--help", AGENTL_LANG="fr").stdout


def every_command(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, below in getattr(command, "commands", {}).items():
        yield from every_command(below, (*words, name))


def test_the_help_of_every_command_is_french_where_french_is_spoken(in_process) -> None:
    """Nothing of it stands in English: neither what we say of a command, nor what typer says itself."""
    english = {*help_texts(app), "Show this message and exit.", "[required]", "Commands:", "COMMAND "}
    for words, _ in every_command(get_command(app)):
        said = in_process(*words, "--help", "--lang", "fr")
        shown = " ".join(said.stdout.split())
        assert (said.returncode, shown.startswith("Usage : agentl")) == (0, True)
        assert "Options :" in shown
        assert [text for text in english if text in shown] == []
        assert "Usage: agentl" in in_process(*words, "--help").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("foo",), "la commande foo n'existe pas"),
        (("durable", "foo"), "la commande foo n'existe pas"),
        (("run", "a.agent", "--ticks", "x"), "--ticks ne convient pas : un nombre entier est attendu"),
        (("run", "a.agent", "--ticks", "0"), "--ticks ne convient pas : 1 ou plus est attendu"),
        (
            ("test", "a.agent", "--format", "x"),
            "--format ne convient pas : l'un de 'text', 'json' est attendu",
        ),
        (("run", "a.agent", "--ticks"), "--ticks veut une valeur"),
        (("explain", "R101", "more"), "more est de trop"),
    ],
)
def test_what_typer_does_not_understand_is_told_in_french_where_french_is_spoken(
    in_process, words, says
) -> None:
    said = in_process(*words, "--lang", "fr")
    assert said.returncode == 2
    assert says in said.stderr.splitlines()[0]
