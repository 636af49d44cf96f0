"""An export says what its records say, in any state of its run (durability.md §1)."""

import json

import pytest

from agentl.durable import DurableError, Word, export_run, replay, settle


@pytest.fixture
def exported(durable, bank, crash, tmp_path):
    """The export of a run that died inside transfer."""
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    path = tmp_path / "export.json"
    path.write_text(export_run(tmp_path / "run").text())
    return path


def test_an_unfinished_run_is_marked_partial_and_replay_says_so(exported) -> None:
    assert json.loads(exported.read_text())["partial"] is True
    assert replay(exported).outcome == "partial"


def test_a_finished_run_is_whole(durable, bank, exported, tmp_path) -> None:
    durable(bank.host()).run()
    exported.write_text(export_run(tmp_path / "run").text())
    assert json.loads(exported.read_text())["partial"] is False
    assert replay(exported).outcome == "conforming"


@pytest.mark.parametrize(
    ("field", "value"), [("run", "other"), ("partial", False), ("program", "0" * 64), ("format", "x")]
)
def test_a_field_that_says_something_else_than_the_records_is_refused(exported, field, value) -> None:
    data = json.loads(exported.read_text())
    data[field] = value
    exported.write_text(json.dumps(data))
    with pytest.raises(DurableError) as refusal:
        replay(exported)
    assert refusal.value.code == "R203"
    assert field == "format" or f"its field {field}" in str(refusal.value)


def test_a_doubt_that_an_operator_settled_replays_without_the_inbox(durable, bank, crash, tmp_path) -> None:
    bank.promise, bank.after = "none", [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    settle(tmp_path / "run", None, Word("operator_happened", {"reference": "by hand"}, "ada"))
    run = durable(bank.host())
    run.run()
    path = tmp_path / "settled.json"
    path.write_text(run.export().text())
    result = replay(path)
    assert result.outcome == "conforming"
    assert result.runtime.trace.render() == run.trace_text()
    assert result.runtime.state.get("transfer.reference") == "by hand"
