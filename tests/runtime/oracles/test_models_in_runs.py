"""`agentl run` with a model, without one, and with one that fails: real processes beside a real server."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentl import UNDEFINED, Host, Symbol, parse_source
from agentl.durable import DurableRun, FileStore

from .conftest import QUICK, Provider, Reply, calls, fails, message, says

KEY = "sk-test-1234567890"
PROGRAM = """AGENT desk {
  GOAL g { ACHIEVE risk != unset }
  PLAN p WHEN 1 == 1 {
    REASON "how risky?" { PRODUCE { risk: Symbol IN [low, high] DEFAULT high } }
    JUDGE "sure?" { fine NOUL "is it fine?" ABSTAIN BELOW 0.8 }
  }
}
"""
HOST = "from agentl import Host\nhost = Host()\n"
RISK = '{"risk": "low"}'
JUDGED = calls('{"fine": {"value": true, "p": 0.9}}')
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "desk.agent").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "desk.py").write_text(HOST, encoding="utf-8")
    return tmp_path


@pytest.fixture
def agentl(desk: Path) -> Run:
    def run(*words: str, program: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["-m", "agentl"] if program is None else ["-c", program]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AGENTL_")}
        ours = {"LANG": "C.UTF-8", "PYTHONWARNINGS": "error", "XDG_STATE_HOME": str(desk / "state")}
        return subprocess.run(
            [sys.executable, *command, *words],
            cwd=desk,
            env=kept | ours | environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=180,
        )

    return run


def served(provider: Provider, *replies: Reply) -> dict[str, str]:
    """Return the environment that leads to `provider`, which gives these replies."""
    provider.replies = list(replies)
    limits = {"AGENTL_LLM_RETRIES": "0", "AGENTL_LLM_TIMEOUT": "10"}
    return {**limits, "AGENTL_MODEL_URL": provider.url, "OPENAI_API_KEY": KEY}


def test_without_a_model_the_fields_are_degraded_and_the_run_says_so_once(agentl: Run):
    result = agentl("run", "desk.agent", "--ticks", "3")
    assert result.returncode == 0
    assert result.stderr.count("M101") == 1
    assert "no answer for risk" in result.stdout
    assert "no answer for fine" in result.stdout
    french = agentl("--lang", "fr", "run", "desk.agent", "--ticks", "1")
    assert "aucun modèle" in french.stderr


def test_a_program_that_asks_no_model_is_not_told_of_one_and_loads_none(agentl: Run, desk: Path):
    (desk / "desk.agent").write_text("AGENT desk { PLAN p WHEN 1 == 1 { SET x = 1 } }", encoding="utf-8")
    program = (
        "import sys; from agentl.cli import main\n"
        "sys.argv = ['agentl', 'run', 'desk.agent', '--ticks', '1']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "loaded = {'pydantic_ai', 'openai', 'lsprotocol', 'agentl_server'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {sorted(loaded)}' if loaded else 0)"
    )
    result = agentl(program=program)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("setting", ["option", "environment"])
def test_the_model_that_is_named_answers(agentl: Run, provider: Provider, setting: str):
    environment = served(provider, calls(RISK), JUDGED)
    named = ("--model", "openai:gpt-4o") if setting == "option" else ()
    if not named:
        environment["AGENTL_MODEL"] = "openai:gpt-4o"
    result = agentl("run", "desk.agent", "--ticks", "1", *named, **environment)
    assert (result.returncode, result.stderr.count("M101")) == (0, 0)
    assert "risk: low" in result.stdout
    assert "fine: true" in result.stdout


def test_an_endpoint_of_ones_own_is_asked_in_the_chat_format_whichever_variable_names_it(
    agentl: Run, provider: Provider
):
    environment = served(provider, calls(RISK), JUDGED)
    environment["OPENAI_BASE_URL"] = environment.pop("AGENTL_MODEL_URL")
    result = agentl("run", "desk.agent", "--ticks", "1", "--model", "openai:gpt-4o", **environment)
    assert "risk: low" in result.stdout
    assert provider.paths == ["/v1/chat/completions"] * 2


def test_the_option_wins_over_the_hosts_model_and_that_over_the_environment(
    agentl: Run, provider: Provider, desk: Path
):
    host = "from agentl import Host, MockLLM\nhost, llm = Host(), MockLLM({'risky': {'risk': 'low'}})\n"
    (desk / "desk.py").write_text(host, encoding="utf-8")
    environment = served(provider, calls('{"risk": "high"}'), JUDGED)
    result = agentl("run", "desk.agent", "--ticks", "1", AGENTL_MODEL="openai:gpt-4o", **environment)
    assert (result.returncode, provider.requests) == (0, [])
    result = agentl("run", "desk.agent", "--ticks", "1", "--model", "openai:gpt-4o", **environment)
    assert len(provider.requests) == 2
    assert "risk: high" in result.stdout


def test_an_answer_is_journaled_once_with_what_it_took_and_never_asked_for_again(
    agentl: Run, provider: Provider, desk: Path
):
    environment = served(provider, calls(RISK), JUDGED)
    words = ("run", "desk.agent", "--durable", "run", "--ticks", "1", "--model", "openai:gpt-4o")
    first = agentl(*words, **environment)
    again = agentl(*words, **environment)
    assert (first.returncode, again.returncode, len(provider.requests)) == (0, 0, 2)
    assert first.stdout.splitlines()[:-1] == again.stdout.splitlines()[:-1]
    journal = (desk / "run" / "wal.jsonl").read_text(encoding="ascii")
    records = [json.loads(line) for line in journal.splitlines()]
    asked = [record for record in records if record["kind"] in {"reason", "judge"}]
    assert [record["kind"] for record in asked] == ["reason", "judge"]
    assert asked[0]["usage"] == {
        "model": "openai:gpt-4o",
        "requests": 1,
        "input_tokens": 11,
        "output_tokens": 7,
        "cost": None,
    }
    shown = agentl("durable", "show", "run")
    assert "[openai:gpt-4o: 11 tokens in, 7 out, cost unknown]" in shown.stdout
    for text in (journal, first.stdout, first.stderr, shown.stdout):
        assert KEY not in text


def test_a_run_cut_between_two_questions_asks_only_the_second_one_again(
    agentl: Run, provider: Provider, desk: Path
):
    environment = served(provider, calls(RISK), JUDGED)
    words = ("run", "desk.agent", "--durable", "run", "--ticks", "1", "--model", "openai:gpt-4o")
    agentl(*words, **environment)
    journal = desk / "run" / "wal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    judge = next(number for number, line in enumerate(lines) if b'"kind":"judge"' in line)
    journal.write_bytes(b"".join(lines[:judge]))
    # elsewhere nobody has seen the longer journal (R207)
    resumed = agentl(*words, **environment, XDG_STATE_HOME=str(desk / "elsewhere"))
    assert (resumed.returncode, len(provider.requests)) == (0, 3)
    assert "risk: low" in resumed.stdout


@pytest.mark.parametrize(
    "reply",
    [
        fails(500),
        fails(401, f"wrong key {KEY}"),
        fails(400, f"wrong key {KEY}"),
        says("I would rather talk about the weather."),
        says(""),
        message(content=None, refusal="no"),
        says("x" * 10_000_000),
        replace(calls(RISK), cut=True),
        replace(calls(RISK), delay=1),
        Reply(b"{nope"),
        calls('{"risk": 3, "fine": NaN}'),
    ],
)
def test_whatever_a_provider_does_the_run_goes_on_without_the_answer(
    model_of: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Reply
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = model_of(reply, limits=replace(QUICK, retries=0, timeout=0.5))
    run = DurableRun(parse_source(PROGRAM), Host(), model, store=FileStore(tmp_path / "run"))
    state = run.run(1).state
    assert (state.get("risk"), state.locals["fine"]) == (Symbol("high"), UNDEFINED)
    assert state.get("reason.degraded") is True
    journal = (tmp_path / "run" / "wal.jsonl").read_text(encoding="ascii")
    assert len(journal) < 100_000
    assert KEY not in journal + run.trace_text()


@pytest.mark.parametrize(
    ("name", "code"), [("nonsense:x", "M103"), ("gpt-4o", "M103"), ("mistral:large", "M102")]
)
def test_a_model_that_cannot_be_used_is_refused_before_anything_runs(
    agentl: Run, desk: Path, name: str, code: str
):
    result = agentl("run", "desk.agent", "--durable", "run", "--model", name)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"error {code}" in result.stderr
    assert not (desk / "run").exists()


def test_without_the_extra_the_model_is_refused_with_what_to_install(agentl: Run):
    program = (
        "import sys; sys.modules['pydantic_ai'] = None\n"
        "from agentl.cli import main\n"
        "sys.argv = ['agentl', 'run', 'desk.agent', '--model', 'openai:gpt-4o']\n"
        "sys.exit(main())"
    )
    result = agentl(program=program)
    assert result.returncode == 2
    assert "error M102" in result.stderr
    assert "agentl[models]" in result.stderr
