"""Whole pages, drawn: what a person sees beside a run, after edits, and while a text is broken."""

from __future__ import annotations

import pytest
from pages import PAYMENTS, Dies, drawn, page, run, transfer_in_doubt

from agentl import Host


def test_page_of_a_run_with_a_doubt(tmp_path):
    run(tmp_path)
    assert (
        drawn(page(tmp_path))
        == """\
    [▶ Run | ⌕ Inspect 6c463a (completed)]
AGENT payments {
  OBSERVE { queue.pending }   «= 1 (t1, t2)»
    [in doubt since tick 1]
  TOOL transfer { INPUT { amount: Number  to: String } SIDE_EFFECT { ledger } RISK HIGH }
  TOOL notify { INPUT { msg: String } OUTPUT { sent: Bool } }
  POLICY {
    NEVER transfer WHEN tools.transfer.in_doubt == true   «✓ applied 1× (tick 2)»
  }
  PLAN pay WHEN queue.pending > 0 {   «queue.pending = 1 (t1, t2)»
    STEP send { transfer(amount=100, to="acct-9") }   «⚠ in doubt (t1) · ⛔ NEVER l.6 (t2)»
    STEP tell { notify(msg="paid") }   «→ {sent: true} (t1, t2)»
  }
}
"""
    )


def test_page_of_an_interrupted_run(tmp_path):
    run(tmp_path, host=lambda: dying("notify"))
    lines = drawn(page(tmp_path)).split("\n")
    state = "interrupted · 7 entries · 1 open intent · 1 in doubt"
    assert lines[0] == f"    [▶ Run | ↻ Resume 6c463a ({state}) | ⌕ Inspect 6c463a]"
    assert lines[-4] == '    STEP tell { notify(msg="paid") }   «… open intent (t1)»'


def test_page_without_runs_offers_to_run(tmp_path):
    (tmp_path / "payments.agent").write_text(PAYMENTS)
    assert drawn(page(tmp_path)) == "    [▶ Run]\n" + PAYMENTS


def test_results_stay_with_their_statement_when_lines_and_other_declarations_move(tmp_path):
    run(tmp_path)
    moved = PAYMENTS.replace(
        "  TOOL notify", "  // a comment\n\n  GOAL done { ACHIEVE x == 1 }\n  TOOL   notify"
    )
    lines = drawn(page(tmp_path, moved)).split("\n")
    assert (
        '    STEP send { transfer(amount=100, to="acct-9") }   «⚠ in doubt (t1) · ⛔ NEVER l.9 (t2)»' in lines
    )
    assert '    STEP tell { notify(msg="paid") }   «→ {sent: true} (t1, t2)»' in lines


def test_results_are_stale_when_their_declaration_changed_and_fresh_again_when_it_is_undone(tmp_path):
    run(tmp_path)
    changed = PAYMENTS.replace("amount=100", "amount=200")
    assert "«→ {sent: true} (t1, t2) · stale»" in drawn(page(tmp_path, changed))
    assert "stale" not in drawn(page(tmp_path, changed.replace("amount=200", "amount=100")))


def test_results_are_stale_when_the_tool_they_depend_on_changed(tmp_path):
    run(tmp_path)
    text = drawn(page(tmp_path, PAYMENTS.replace("OUTPUT { sent: Bool }", "OUTPUT { sent: Any }")))
    assert "«→ {sent: true} (t1, t2) · stale»" in text
    assert "«⚠ in doubt (t1) · ⛔ NEVER l.6 (t2)»" in text


def test_results_follow_a_statement_that_moves_inside_its_plan(tmp_path):
    run(tmp_path)
    moved = PAYMENTS.replace(
        "STEP tell { notify", "STEP wait { SET x = 1 }\n    STEP tell { SET y = 1 notify"
    )
    text = drawn(page(tmp_path, moved))
    assert 'notify(msg="paid") }   «→ {sent: true} (t1, t2) · stale»' in text


def test_results_of_a_statement_that_is_gone_vanish(tmp_path):
    run(tmp_path)
    text = drawn(page(tmp_path, PAYMENTS.replace('notify(msg="paid")', "SET x = 1")))
    assert "sent: true" not in text


def test_results_are_not_given_to_another_call_at_the_same_place(tmp_path):
    run(tmp_path)
    swapped = PAYMENTS.replace('notify(msg="paid")', 'transfer(amount=1, to="me")')
    lines = drawn(page(tmp_path, swapped)).split("\n")
    assert '    STEP tell { transfer(amount=1, to="me") }' in lines


def test_broken_text_keeps_what_stood_on_the_lines_around_the_edit(tmp_path):
    run(tmp_path)
    broken = PAYMENTS.replace("  POLICY {", "  TOOL {{\n\n  POLICY {")
    text = drawn(page(tmp_path, broken, before=PAYMENTS))
    assert "[in doubt since tick 1]\n  TOOL transfer" in text
    assert (
        '    STEP send { transfer(amount=100, to="acct-9") }   «⚠ in doubt (t1) · ⛔ NEVER l.8 (t2)»' in text
    )


def test_broken_text_that_is_edited_at_several_places_keeps_what_stands_between(tmp_path):
    run(tmp_path)
    broken = "// on top\n" + PAYMENTS.replace("  POLICY {", "  POLICY {{").replace(
        "    STEP tell", "    STEP\n    STEP tell"
    )
    lines = drawn(page(tmp_path, broken, before=PAYMENTS)).split("\n")
    assert lines[1] == "    [▶ Run | ⌕ Inspect 6c463a (completed)]"
    assert (
        '    STEP send { transfer(amount=100, to="acct-9") }   «⚠ in doubt (t1) · ⛔ NEVER l.7 (t2)»' in lines
    )
    assert '    STEP tell { notify(msg="paid") }   «→ {sent: true} (t1, t2)»' in lines


MISTAKES = {
    "another plan": "  PLAN other { IF x = = 1 THEN pay }\n",
    "a plan without its name": "  PLAN { SET x = 1 }\n",
    "a misspelt member": "  GAOL done { x == 1 }\n",
    "an open text": '  DESCRIPTION "pays\n',
    "a tool without its brace": "  TOOL extra { RISK LOW\n",
    "a rule half typed": "  POLICY { NEVER }\n",
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("before", ["  OBSERVE", "  POLICY", "}\n"])
def test_a_mistake_elsewhere_leaves_lenses_and_results_alive_and_fresh(tmp_path, mistake, before):
    """Also with a text of which no version was right: nothing comes from an older one."""
    run(tmp_path)
    place = PAYMENTS.rindex(before)
    shown = page(tmp_path, PAYMENTS[:place] + MISTAKES[mistake] + PAYMENTS[place:])
    assert shown.problems
    lines = drawn(shown).split("\n")
    assert "    [▶ Run | ⌕ Inspect 6c463a (completed)]" in lines
    assert "    [in doubt since tick 1]" in lines
    assert '    STEP tell { notify(msg="paid") }   «→ {sent: true} (t1, t2)»' in lines


def test_results_follow_an_edit_of_their_plan_while_a_mistake_stands_elsewhere(tmp_path):
    run(tmp_path)
    broken = PAYMENTS.replace("  POLICY", "  PLAN other { x = = }\n  POLICY")
    edited = broken.replace("STEP tell {", "STEP wait { SET x = 1 }\n    STEP tell {")
    lines = drawn(page(tmp_path, edited, before=PAYMENTS)).split("\n")
    assert '    STEP tell { notify(msg="paid") }   «→ {sent: true} (t1, t2) · stale»' in lines


def test_calls_of_a_tool_that_is_being_typed_are_not_stale(tmp_path):
    run(tmp_path)
    broken = PAYMENTS.replace("OUTPUT { sent: Bool }", "OUTPUT { sent: }")
    lines = drawn(page(tmp_path, broken, before=PAYMENTS)).split("\n")
    assert '    STEP tell { notify(msg="paid") }   «→ {sent: true} (t1, t2)»' in lines


@pytest.mark.parametrize("cut", range(0, len(PAYMENTS), 7))
def test_broken_text_of_any_length_draws_without_an_exception(tmp_path, cut):
    run(tmp_path, ticks=1)
    drawn(page(tmp_path, PAYMENTS[:cut], before=PAYMENTS))


def test_newest_run_is_drawn_and_every_open_run_has_its_lens(tmp_path):
    run(tmp_path, host=lambda: dying("transfer"), run_id="aaaaaa111111")
    run(tmp_path, host=lambda: dying("notify"), run_id="bbbbbb222222")
    first = drawn(page(tmp_path)).split("\n")[0]
    assert first.count("↻ Resume") == 2
    assert first.count("⌕ Inspect") == 2


def test_failure_denial_and_mute_sensor_are_told_apart(tmp_path):
    def host() -> Host:
        made = transfer_in_doubt()
        made.sensors["queue.pending"] = iter([2, None]).__next__

        @made.tool("transfer")
        def transfer(amount: float, to: str) -> dict[str, object]:
            raise ConnectionError("refused")

        return made

    text = drawn((run(tmp_path, host=host), page(tmp_path))[1])
    assert "«= 2 (t1), mute (t2)»" in text
    assert "«✗ ConnectionError: refused (t1)»" in text


def dying(tool: str) -> Host:
    host = transfer_in_doubt()

    def die(**_: object) -> dict[str, object]:
        raise Dies

    host.tools[tool] = die
    return host
