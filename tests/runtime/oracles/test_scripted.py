"""Models whose answers are told in advance: ScriptedLLM, and what MockLLM judges."""

from pathlib import Path

import pytest

from agentl import MockLLM, ScriptedLLM


def test_answers_come_in_sequence_whatever_is_asked():
    model = ScriptedLLM([{"f": 1}, {"g": {"value": True, "p": 0.5}}, "pay", None])
    assert model.reason("t", {}, {"f": "Int"}) == {"f": 1}
    assert model.judge("u", {}, {"g": {}}) == {"g": {"value": True, "p": 0.5}}
    assert model.select_plan({}, ("pay", "wait")) == "pay"
    assert model.reason("v", {}, {}) is None
    assert model.calls == [("reason", "t"), ("judge", "u"), ("select_plan", ["pay", "wait"]), ("reason", "v")]


def test_an_exception_among_the_answers_is_raised_and_a_spent_script_says_so():
    model = ScriptedLLM([OSError("no line")])
    with pytest.raises(OSError, match="no line"):
        model.reason("t", {}, {})
    with pytest.raises(LookupError, match="1 answers, and this is question 2"):
        model.reason("t", {}, {})


def test_answers_come_from_a_file(tmp_path: Path):
    (tmp_path / "answers.json").write_text('[{"f": "é"}]', encoding="utf-8")
    assert ScriptedLLM.from_file(tmp_path / "answers.json").reason("t", {}, {}) == {"f": "é"}


@pytest.mark.parametrize("text", ['{"f": 1}', "nonsense", ""])
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, text: str):
    (tmp_path / "answers.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"no list|Expecting"):
        ScriptedLLM.from_file(tmp_path / "answers.json")


def test_a_mock_judges_from_its_script_and_leaves_out_the_rest():
    model = MockLLM({"weigh": {"f": True, "h": 1}})
    assert model.judge("WEIGH it", {}, {"f": {}, "g": {}}) == {"f": True}
    assert model.calls == [("judge", "WEIGH it")]
