"""What is offered and shown for runs that are corrupt, many, not the newest, or waited for a person."""

from __future__ import annotations

import os

from pages import PAYMENTS, drawn, page, run, transfer_in_doubt
from test_pages import dying

from agentl import Host
from agentl_server.ide.hover import hover
from agentl_server.ide.inspection import journal_document


def test_corrupt_run_is_only_inspected_and_said_to_be_corrupt(tmp_path):
    directory = run(tmp_path, host=lambda: dying("notify"))
    data = (directory / "wal.jsonl").read_bytes()
    (directory / "wal.jsonl").write_bytes(data.replace(b'"value":1', b'"value":2', 1))
    assert drawn(page(tmp_path)).split("\n")[0] == "    [▶ Run | ⌕ Inspect 6c463a (corrupt)]"


def test_every_one_of_many_open_runs_has_its_lens(tmp_path):
    for number in range(7):
        run(tmp_path, host=lambda: dying("transfer"), run_id=f"{number}aaaaa")
    assert drawn(page(tmp_path)).split("\n")[0].count("↻ Resume") == 7


def test_hints_are_those_of_the_run_that_went_on_last_and_of_equals_the_one_begun_last(tmp_path):
    older = run(tmp_path, host=lambda: dying("transfer"), run_id="a")
    newer = run(tmp_path, host=lambda: dying("notify"), run_id="b")
    journals = [directory / "wal.jsonl" for directory in (older, newer)]
    open_intents = []
    for older_changed in (2, 1):
        os.utime(journals[0], ns=(0, older_changed))
        os.utime(journals[1], ns=(0, 1))
        lines = drawn(page(tmp_path)).split("\n")
        open_intents += [line.split()[1] for line in lines if "… open intent" in line]
    assert open_intents == ["send", "tell"]


ASKING = PAYMENTS.replace(
    "NEVER transfer WHEN tools.transfer.in_doubt == true", "REQUIRE APPROVAL FOR transfer WHEN amount > 1"
)


def test_approval_that_nobody_was_asked_for_is_told_from_one_that_was_refused(tmp_path):
    def refusing() -> Host:
        host = transfer_in_doubt()
        host.approver = lambda _: False
        return host

    run(tmp_path, ASKING, run_id="unasked", ticks=1)
    unasked = page(tmp_path)
    assert "«⛔ not approved: nobody was asked (t1)»" in drawn(unasked)
    told = hover(unasked, ASKING.index("transfer(amount")).markdown
    assert "  - approval: nobody was asked" in told
    assert "nobody was asked" in journal_document(unasked.runs[0])

    run(tmp_path, ASKING, refusing, run_id="refused", ticks=1)
    refused = page(tmp_path)
    assert "«⛔ not approved (t1)»" in drawn(refused)
    (view,) = [view for view in refused.runs if view.run_id == "refused"]
    assert "nobody was asked" not in journal_document(view)
