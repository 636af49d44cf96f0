"""An export says what its records say, in any state of its run (durability.md §1)."""

import json

import pytest

from agentl.drivers.replay import ReplayDriver
from agentl.durable import DurableError, Export, Word, export_file, export_run, replay, settle
from agentl.durable.status import read_run
from agentl.interpreter.crossings import Begin


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


def test_an_export_that_was_sealed_anew_around_another_text_is_refused(exported) -> None:
    export = Export.model_validate_json(exported.read_text())
    other = export.model_copy(update={"source": f"{export.source}// a comment\n"})
    exported.write_text(other.model_copy(update={"seal": other.digest()}).text())
    with pytest.raises(DurableError) as refusal:
        replay(exported)
    assert refusal.value.code == "R101"


@pytest.mark.parametrize("edit", ["comment", "blank", "cut"])
def test_an_export_whose_meaning_stays_but_whose_text_was_altered_is_refused(exported, edit) -> None:
    """Neither the digest of the program nor the chain of the records covers these."""
    data = json.loads(exported.read_text())
    if edit == "comment":
        data["source"] += "// a comment\n"
    elif edit == "blank":
        data["source"] = data["source"].replace("LOOP", "LOOP ", 1)
    else:
        data["records"].pop()
    exported.write_text(json.dumps(data))
    with pytest.raises(DurableError, match="altered after it was written") as refusal:
        replay(exported)
    assert refusal.value.code == "R203"


def test_the_layout_of_the_file_itself_may_change(exported) -> None:
    exported.write_text(json.dumps(json.loads(exported.read_text()), separators=(",", ":")))
    assert replay(exported).outcome == "partial"


def test_what_lies_in_pieces_of_any_size_is_read_alike(exported, monkeypatch: pytest.MonkeyPatch) -> None:
    told = replay(exported).runtime.trace.render()
    for size in (1, 7, 4096):
        monkeypatch.setattr(export_file, "_PIECE", size)
        result = replay(exported)
        assert (result.outcome, result.runtime.trace.render()) == ("partial", told)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "no JSON",
        lambda text: text[:-3],
        lambda text: text + "{}",
        lambda text: text.replace("[", "[,", 1),
        lambda text: text.replace('"partial": true', '"partial": 1'),
        lambda text: text.replace('"partial": true', '"partial": true, "partial": true'),
        lambda text: text.replace('"partial": true', '"partial": true, "more": ""'),
        lambda text: text.replace('"partial": true,', ""),
        lambda text: text.replace('"records": [', '"records": [1, '),
        lambda text: text.replace('"blobs": {', '"blobs": {"a": 1'),
        lambda text: text.replace('"seal": "', '"seal": {} "'),
        lambda text: text.replace('"run": "', '"run": "\x00'),
        lambda text: text.replace('"run": "', '"run": "\\u12'),
    ],
)
def test_a_file_that_is_no_export_is_refused(exported, damage) -> None:
    exported.write_text(damage(exported.read_text()))
    with pytest.raises(DurableError, match=r"it is no agentl\.replay/1-draft file") as refusal:
        replay(exported)
    assert refusal.value.code == "R203"


def test_no_change_of_a_byte_of_an_export_goes_unseen(exported) -> None:
    whole = exported.read_bytes()
    for place in range(0, len(whole), 61):
        exported.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        if json_of(exported) != json.loads(whole):
            with pytest.raises(DurableError):
                replay(exported)


def json_of(path) -> object:
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def test_a_replay_reads_no_further_than_the_next_record(exported, tmp_path) -> None:
    records, taken = read_run(tmp_path / "run").records, []

    def one_by_one():
        for record in records:
            taken.append(record.n)
            yield record

    driver = ReplayDriver(one_by_one(), "run")
    assert taken == [0]
    driver.answer(Begin(agent=records[0].agents[0], tick=0))
    assert taken == [0, 1]


def test_the_next_step_for_a_damaged_export_is_to_export_again(exported) -> None:
    whole = json.loads(exported.read_text())
    for field, value, code in (("source", "AGENT other { }", "R101"), ("records", [], "R205")):
        exported.write_text(json.dumps({**whole, field: value}))
        with pytest.raises(DurableError) as refusal:
            replay(exported)
        assert refusal.value.code == code
        assert f"agentl durable export PLACE -o {exported}" in str(refusal.value.action)


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
