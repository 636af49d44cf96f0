"""Where the commands show or write what a journal holds: masked, or for its owner (durability.md §5)."""

import json
import os
import stat
from pathlib import Path

import pytest

from agentl.cli.journal_view import export_run
from agentl.cli.status_view import show_status
from agentl.durable import show
from agentl.durable.sending import cancel_run
from agentl.errors import InDoubt
from agentl.host.registry import Host

CARD = """
AGENT keeper {
  OBSERVE { card.number }
  TOOL pay { OUTPUT { reference: String } }
  POLICY { DEFAULT ALLOW NEVER SEND card.number }
  PLAN go { pay() }
  LOOP MAX 1 { OBSERVE go EXECUTE }
}
"""


@pytest.fixture
def doubtful(durable, tmp_path) -> str:
    """The place of a run that is in doubt for a reason that names a protected value."""
    host = Host()
    host.sensors["card.number"] = lambda: "CANARY-4111"

    @host.tool("pay")
    def pay() -> None:
        raise InDoubt("about CANARY-4111")

    durable(host, CARD).run()
    return str(tmp_path / "run")


def test_status_masks_why_an_action_is_in_doubt_as_show_does(doubtful, capsys) -> None:
    assert show_status(doubtful, as_json=True, quick=False) == 0
    told = json.loads(capsys.readouterr().out)
    for name in ("in_doubt", "settlements"):
        assert [settled["reason"] for settled in told[name]] == ["about [redacted]"]
    assert [line.fields["reason"] for line in show(doubtful) if line.kind == "resolution"] == [
        "about [redacted]"
    ]
    show_status(doubtful, as_json=False, quick=False)
    show_status(doubtful, as_json=True, quick=True)
    assert "CANARY" not in capsys.readouterr().out


def test_status_of_a_damaged_run_tells_no_reason(doubtful, capsys) -> None:
    journal = Path(doubtful) / "wal.jsonl"
    journal.write_bytes(journal.read_bytes() + b"more\n")
    show_status(doubtful, as_json=True, quick=False)
    out = capsys.readouterr().out
    assert [settled["reason"] for settled in json.loads(out)["settlements"]] == [None]
    assert "CANARY" not in out


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_an_export_is_for_its_owner_alone_and_a_file_that_was_there_keeps_its_mode(
    doubtful, tmp_path, umask
) -> None:
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    old.touch()
    old.chmod(0o640)
    before = os.umask(umask)
    try:
        for file in (new, old):
            export_run(doubtful, file)
    finally:
        os.umask(before)
    assert "CANARY" in new.read_text()
    assert [stat.S_IMODE(file.stat().st_mode) for file in (new, old)] == [0o600, 0o640]


def test_an_export_of_a_run_that_is_only_about_to_end_says_what_is_so(
    durable, bank, crash, tmp_path, capsys
) -> None:
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host()).run()
    for said in ("the run has not ended", "the run was cancelled, which its journal does not say yet"):
        export_run(str(tmp_path / "run"), tmp_path / "run.json")
        assert f"{said}: the export is marked partial" in capsys.readouterr().err
        if "cancelled" not in said:
            cancel_run(tmp_path / "run")
    (tmp_path / "run" / "inbox.jsonl").write_bytes(b"nonsense\n")
    export_run(str(tmp_path / "run"), tmp_path / "run.json")
    assert "the run has not ended" in capsys.readouterr().err
