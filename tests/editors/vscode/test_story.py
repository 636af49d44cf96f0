"""The story of an interrupted payment, as a person sees it on the page."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from .project import Project
from .workbench import Workbench

pytestmark = pytest.mark.needs("vsce", "code-server", "chromium", "playwright")

CALL = "amount = queue.next.amount)"


@pytest.fixture
def page(run: str, project: Project, workbench: Workbench) -> Workbench:
    """The program of that run, open."""
    workbench.open(project.program.name)
    workbench.lens(f"Resume {run}").wait_for()
    return workbench


def test_lenses_and_hints_show_the_interrupted_run(page: Workbench, run: str):
    expected = [
        "▶ Run",
        f"↻ Resume {run} (interrupted · 5 entries · 1 open intent)",
        f"⌕ Inspect {run}",
    ]
    page.wait_for(lambda: page.lenses() == expected, "the run and what can be done with it is shown")
    page.shows(f"{CALL} … open intent (t1)")
    page.shows("PLAN pay WHEN queue.pending > 0 queue.pending = 1 (t1) {")
    page.shows('queue.next = {id: "order-7", account: "NL-0042", amount: 250} (t1)')


def test_hover_on_a_call_shows_the_attempt_and_the_contract(page: Workbench, run: str):
    said = page.hover(CALL, "transfer")
    assert f"run {run} (interrupted)" in said
    assert 'tick 1 transfer(order="order-7", account="NL-0042", amount=250) … open intent' in said
    assert "ALLOWED by DEFAULT ALLOW, having read tools.transfer.in_doubt = false, amount = 250" in said
    assert "Moves money to an account" in said
    assert "host promise: none" in said


def test_a_doubt_that_no_rule_reads_has_a_squiggle_and_a_fix(page: Workbench, project: Project):
    page.wait_for(lambda: page.warned() == ["notify"], "the tool is marked")
    page.go_to(*project.place("notify {"))
    assert page.fixes() == [
        "Add NEVER notify WHEN tools.notify.in_doubt == true",
        "Add a reconciler for notify to the host script",
        "Allow D201 here, with a reason",
    ]
    page.page.keyboard.press("Enter")
    page.shows("NEVER notify WHEN tools.notify.in_doubt == true")
    # the rule is the cure of D201 and a change of the program: now the run cannot resume
    page.wait_for(lambda: page.warned() == ["POLICY"], "the tool is no longer marked, the changed policy is")


def test_an_edit_that_ends_the_run_is_marked_until_it_is_undone_and_a_comment_never_is(
    page: Workbench, project: Project, run: str
):
    page.wait_for(lambda: page.warned() == ["notify"], "the page is settled")
    page.type_at(*project.place("RISK HIGH"), "/*watched*/")
    page.type_at(*project.place("queue.next.amount)"), "2*")
    page.wait_for(
        lambda: page.warned() == ["notify", "pay"], "the changed plan is marked, the comment is not"
    )
    page.shows("… open intent (t1) · stale")
    assert f"run {run} cannot resume: the program changed" in page.hover("PLAN pay", "pay")
    page.undo()
    page.wait_for(lambda: page.warned() == ["notify"], "nothing more is marked")
    page.shows("/*watched*/RISK HIGH")
    page.wait_for(lambda: "stale" not in page.text(), "the hints are fresh again")


def test_resuming_by_lens_shows_the_doubt_on_the_call_the_tool_and_in_the_output(
    page: Workbench, project: Project
):
    page.lens("Resume").click()
    page.shows(f"{CALL} ⚠ in doubt (t1) · ⛔ NEVER l.30 (t2)")
    page.shows("NEVER transfer WHEN tools.transfer.in_doubt == true ✓ applied 1\u00d7 (tick 2)")
    page.shows('→ {notice: "notice-1"} (t2)')
    page.lens("in doubt since tick 1").wait_for()
    page.wait_for(lambda: not any("Resume" in lens for lens in page.lenses()), "nothing is left to resume")
    page.wait_for(lambda: page.output_channel() == "agentl · payments", "the output of the run is shown")
    page.output().filter(has_text="notice to treasury").wait_for()
    told = "runs: 1 completed, 1 in doubt"
    page.wait_for(lambda: told in page.language_status("completed"), "the runs are told in the status bar")


def test_the_journal_opens_beside_the_program_and_follows_its_run(page: Workbench, run: str):
    page.lens(f"Inspect {run}").click()
    journal = page.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")
    journal.locator("body", has_text="interrupted").wait_for()
    page.lens("Resume").click()
    journal.locator("body", has_text="completed").wait_for()
    assert page.page.locator(f'.tab[aria-label*="run {run}"]').count() == 1


def test_a_run_that_is_killed_from_outside_is_shown_as_interrupted(
    project: Project, workbench: Workbench, folder: Path
):
    project.hold()
    workbench.open(project.program.name)
    workbench.lens("▶ Run").click()
    workbench.lens("■ Stop").wait_for()
    workbench.shows(f"{CALL} … open intent (t1)")
    os.kill(project.holder("payments"), signal.SIGKILL)
    workbench.lens(f"↻ Resume {project.run_id()} (interrupted").wait_for()


def test_a_run_is_started_stopped_and_resumed_from_the_palette(project: Project, workbench: Workbench):
    project.hold()
    workbench.open(project.program.name)
    workbench.lens("▶ Run").wait_for()
    workbench.palette("agentl: Run Program")
    workbench.language_status("1 running")
    workbench.palette("agentl: Stop Run…")
    workbench.language_status("1 interrupted")
    project.release()
    workbench.palette("agentl: Resume Run…")
    workbench.language_status("1 completed")
    workbench.palette("agentl: Run Program")
    workbench.language_status("2 completed")
    workbench.palette("agentl: Inspect Run…")
    workbench.choose("payments-2")
    workbench.page.locator('.tab[aria-label*="payments · run"]').wait_for()
