"""A person with an interrupted run, in a real Neovim: from the page as it opens to a run that is chosen."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.needs("nvim")


def test_the_story_of_runs_on_the_page(headless, project):
    run = project.interrupted_run()
    found = headless("story.lua", project.program, RUN_ID=run, PAYMENTS_DELAY="60")
    it_opens(found, run[:6])
    it_is_edited(found)
    it_is_resumed(found, run)
    it_is_killed_and_stopped(found)
    it_is_chosen(found)


def titles(shown: dict[str, Any]) -> list[str]:
    return [lens["title"] for lens in shown["lenses"]]


def labels(shown: dict[str, Any]) -> list[str]:
    return [hint["label"] for hint in shown["hints"]]


def it_opens(found, short):
    assert found["client"]["filetype"] == "agentl"
    (diagnostic,) = found["diagnostics"]
    assert (diagnostic["code"], diagnostic["source"]) == ("D201", "agentl")
    assert "no rule reads tools.notify.in_doubt" in diagnostic["message"]
    assert titles(found["opened"]) == [
        "▶ Run",
        f"↻ Resume {short} (interrupted · 5 entries · 1 open intent)",
        f"⌕ Inspect {short}",
    ]
    assert "queue.pending = 1 (t1)" in labels(found["opened"])
    assert "… open intent (t1)" in labels(found["opened"])
    assert '`transfer(order="order-7", account="NL-0042", amount=250)` … open intent' in found["hover"]


def it_is_edited(found):
    assert "    NEVER notify WHEN tools.notify.in_doubt == true" in found["fixed"]
    assert found["refusal"] == "agentl: payments.agent has changes that are not saved; save it, then run"
    after_the_comment = [
        item["codes"] for item in found["published"] if item["version"] == found["commented"]
    ]
    assert after_the_comment == [["D201"]]
    assert not found["modified"]


def it_is_resumed(found, run):
    short = run[:6]
    assert found["completion"] == [run]
    assert titles(found["resumed"]) == ["▶ Run", f"⌕ Inspect {short} (completed)", "in doubt since tick 1"]
    assert "⚠ in doubt (t1) · ⛔ NEVER l.30 (t2)" in labels(found["resumed"])
    assert any(
        line.startswith("notice to treasury: A transfer may have happened") for line in found["output"]
    )
    assert found["journal"][0] == f"# payments · run {short}"
    assert "## Tick 2" in found["journal"]
    assert f"agentl: run {short} (runs/payments) · completed · 17 entries · 1 in doubt" in found["messages"]


def it_is_killed_and_stopped(found):
    (resume,) = [title for title in titles(found["killed"]) if title.startswith("↻")]
    assert "(interrupted · 5 entries · 1 open intent)" in resume
    assert len([title for title in titles(found["stopped"]) if title.startswith("↻ Resume")]) == 2


def it_is_chosen(found):
    assert found["choice"]["prompt"] == "Which run to resume?"
    second, third = found["choice"]["items"]
    assert "(runs/payments-2) · interrupted · 5 entries · 1 open intent" in second
    assert "(runs/payments-3) · interrupted · 5 entries · 1 open intent" in third
    assert found["messages"][-2:] == [
        "agentl: nobody names no run, or several: give a longer id or a directory",
        "agentl: no run of this program to stop",
    ]
