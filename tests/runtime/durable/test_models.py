"""What a model said, in a durable run: journaled once, re-derived, replayed (durability.md §5, §6)."""

from pathlib import Path
from typing import cast

import pytest

from agentl import Host, MockLLM, parse_source
from agentl.drivers.matching import identity
from agentl.durable import DurableRun, FileStore, export_run, replay, show
from agentl.interpreter.crossings import Judge
from agentl.oracles.model import Usage

PROGRAM = """AGENT a {
  PLAN p WHEN 1 == 1 {
    JUDGE "weigh" { f NOUL "is it?" ABSTAIN BELOW 0.5 }
    REASON "think" { PRODUCE { g: Int } }
  }
}"""


class Costly(MockLLM):
    """Answers from a script, and tells what it took."""

    last_usage = Usage("m", 1, 10, 5, 0.25)


def model() -> Costly:
    return Costly({"weigh": {"f": {"value": True, "p": 0.75}}, "think": {"g": 3}})


def run_in(place: Path, llm: MockLLM, program: str = PROGRAM) -> DurableRun:
    run = DurableRun(parse_source(program), Host(), llm, store=FileStore(place))
    run.run(2)
    return run


def test_a_judgement_is_a_record_of_its_own_with_what_it_took(tmp_path: Path):
    run = run_in(tmp_path / "run", model())
    asked = [record for record in run.journal.entries if record.kind in {"judge", "reason"}]
    assert [(record.kind, record.key) for record in asked] == [("judge", "weigh"), ("reason", "think")] * 2
    lines = {line.kind: line.fields for line in show(tmp_path / "run")}
    assert lines["judge"]["value"] == {"fields": {"f": {"value": True, "p": 0.75}}, "missing": None}
    took = {"model": "m", "requests": 1, "input_tokens": 10, "output_tokens": 5, "cost": 0.25}
    assert lines["judge"]["usage"] == lines["reason"]["usage"] == took


class Unreadable(MockLLM):
    """Cannot even tell what it took."""

    @property
    def last_usage(self) -> Usage:
        raise ValueError("not now")


@pytest.mark.parametrize(
    "usage",
    [
        Usage("m", 1, 10, 5, float("nan")),
        Usage("m", 1, 10, 5, float("inf")),
        Usage("m", 1, 10, 5, 10**400),
        Usage("m", 1, 10, 5, cast("float", object())),
        Usage("m", 1, cast("int", 10.5), 5),
        Usage("m", -1, 10, 5),
        Usage("m", cast("int", True), 10, 5),
        Usage("m\ud800", 1, 10, 5),
        Usage(cast("str", b"m"), 1, 10, 5),
        cast("Usage", {"cost": 0.25}),
        None,
    ],
    ids=["nan", "inf", "huge", "object", "half", "negative", "bool", "surrogate", "bytes", "dict", "raises"],
)
def test_a_usage_that_no_record_can_hold_is_dropped_and_the_answer_counts(
    tmp_path: Path, usage: Usage | None, caplog: pytest.LogCaptureFixture
):
    llm = Unreadable({"think": {"g": 3}})
    if usage is not None:
        llm = model()
        llm.last_usage = usage
    assert run_in(tmp_path / "run", llm).runtime.state.get("g") == 3
    assert "the model's last_usage is dropped" in caplog.text
    again = run_in(tmp_path / "run", silent := MockLLM())
    assert (silent.calls, again.runtime.state.get("g")) == ([], 3)
    assert not any("usage" in line.fields for line in show(tmp_path / "run"))


def test_a_run_derived_again_asks_nothing(tmp_path: Path):
    first = run_in(tmp_path / "run", model())
    silent = MockLLM()
    again = run_in(tmp_path / "run", silent)
    assert silent.calls == []
    assert again.trace_text() == first.trace_text()
    assert again.runtime.state.digest() == first.runtime.state.digest()


def test_a_judgement_is_replayed_without_a_model(tmp_path: Path):
    run_in(tmp_path / "run", model())
    (tmp_path / "journal.json").write_text(export_run(tmp_path / "run").text(), encoding="utf-8")
    result = replay(tmp_path / "journal.json")
    assert result.outcome == "conforming"
    assert (result.runtime.state.get("f"), result.runtime.state.get("g")) == (True, 3)


def test_other_questions_do_not_take_an_old_answer():
    def asked(text: str, **context: object) -> object:
        questions = {"f": {"kind": "NOUL", "instructions": text}}
        return identity(Judge(agent="a", tick=1, task="weigh", context=context, questions=questions))

    assert asked("is it?", tick=1) == asked("is it?", tick=1)
    assert asked("is it?", tick=1) != asked("is it not?", tick=1)
    assert asked("is it?", tick=1) != asked("is it?", tick=2)


def test_a_run_without_a_model_is_told_of_it_once(tmp_path: Path):
    told: list[str] = []
    run = DurableRun(
        parse_source(PROGRAM),
        store=FileStore(tmp_path / "run"),
        notify=lambda message: told.append(str(message)),
    )
    assert run.run(3).state.get("reason.degraded") is True
    assert [text for text in told if text.startswith("M101")] == told[1:]
    assert len(told) == 2
