"""R101: which declaration an edit changed, for each open run, and silence for what changes nothing."""

from __future__ import annotations

import pytest
from pages import PAYMENTS, page, run
from test_pages import dying

from agentl_grammar.problems import Problem
from agentl_server.ide.findings import findings


@pytest.fixture
def folder(tmp_path):
    run(tmp_path, host=lambda: dying("notify"))
    return tmp_path


def told(folder, text) -> list[tuple[str, str]]:
    """Return the R101s of a text as (covered text, second line of the message)."""
    shown = page(folder, text)
    return [(shown.source.slice(found.span), str(found.message).split("\n")[1]) for found in r101(shown)]


def r101(shown) -> list[Problem]:
    return [found for found in findings(shown).problems if found.code == "R101"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AGENT payments {", "// pays\nAGENT   payments\n{"),
        ("  OBSERVE", '  VERSION "2" DESCRIPTION "pays"\n  OBSERVE'),
        ("RISK HIGH }", 'RISK HIGH DESCRIPTION "moves money" }'),
        ("amount=100, to", "amount = 100 to"),
        ("  PLAN", "  SCENARIO s { EXPECT NO ERROR }\n  PLAN"),
        ("AGENT", "# one\n/* two */\nAGENT"),
    ],
)
def test_comments_layout_and_what_does_not_run_are_silent(folder, old, new):
    assert old in PAYMENTS
    assert told(folder, PAYMENTS.replace(old, new)) == []


GUARD = "WHEN tools.transfer.in_doubt == true"
CHANGES = {
    "an argument": (
        "amount=100",
        "amount=200",
        "pay",
        'plan:pay: journaled `transfer(amount=100, to="acct-9")`, now `transfer(amount=200, to="acct-9")`',
    ),
    "a trigger": (
        "pending > 0",
        "pending > 1",
        "pay",
        "plan:pay: journaled `queue.pending > 0`, now `queue.pending > 1`",
    ),
    "a risk": ("RISK HIGH", "RISK LOW", "transfer", "tool:transfer: journaled `HIGH`, now `LOW`"),
    "a rule": (
        "NEVER transfer",
        "NEVER notify",
        "POLICY",
        f"policy: journaled `NEVER transfer {GUARD}`, now `NEVER notify {GUARD}`",
    ),
    "an added plan": ("  PLAN pay", "  PLAN more { pay }\n  PLAN pay", "more", "plan:more was added"),
    "a plan that is gone": (
        "  TOOL notify { INPUT { msg: String } OUTPUT { sent: Bool } }\n",
        "",
        "payments",
        "tool:notify is gone: `TOOL notify { INPUT { msg: String } OUTPUT { sent: Bool } }`",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_is_told_at_the_name_of_its_declaration_with_both_texts(folder, change):
    old, new, covered, message = CHANGES[change]
    assert told(folder, PAYMENTS.replace(old, new)) == [(covered, message)]


def test_other_order_of_declarations_is_told_on_the_agent(folder):
    first, second = (line for line in PAYMENTS.split("\n") if line.startswith("  TOOL"))
    swapped = PAYMENTS.replace(first, "@").replace(second, first).replace("@", second)
    assert told(folder, swapped) == [("payments", "its declarations stand in another order")]


def test_pinned_text_of_the_declaration_is_related(folder):
    shown = page(folder, PAYMENTS.replace("amount=100", "amount=200"))
    (found,) = r101(shown)
    (related,) = found.related
    assert related.name.startswith(str(folder / "runs"))
    pinned = findings(shown).sources[related.name]
    assert pinned.slice(related.span).startswith("PLAN pay WHEN")
    assert "amount=100" in str(related.message)


def test_every_open_run_is_told_of_and_completed_ones_are_not(folder):
    run(folder, host=lambda: dying("transfer"), run_id="second")
    run(folder, run_id="third")
    shown = page(folder, PAYMENTS.replace("amount=100", "amount=200"))
    assert sorted(str(found.message).split()[1] for found in r101(shown)) == ["6c463a", "second"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("amount=100", "amount="),
        ("PLAN pay WHEN", "PLAN WHEN"),
        ("PLAN pay", "PLNA pay"),
        ("NEVER transfer", "NEVER"),
        ("RISK HIGH", "RISK"),
        ("  POLICY {", "  POLICY {{"),
        ("TOOL notify {", "TOOL notify"),
        ('notify(msg="paid") }', 'notify(msg="paid"'),
    ],
)
def test_nothing_is_told_of_a_declaration_that_cannot_be_read(folder, old, new):
    shown = page(folder, PAYMENTS.replace(old, new), before=PAYMENTS)
    assert shown.problems
    assert r101(shown) == []


def test_change_is_told_while_another_declaration_cannot_be_read(folder):
    text = PAYMENTS.replace("RISK HIGH", "RISK LOW").replace('msg="paid"', "msg=")
    assert told(folder, text) == [("transfer", "tool:transfer: journaled `HIGH`, now `LOW`")]


def test_nothing_is_told_while_the_feature_is_off(folder):
    shown = page(folder, PAYMENTS.replace("amount=100", "amount=200"))
    assert findings(shown, lambda feature: feature != "runDiagnostics").problems == ()


def test_corrupt_run_could_not_resume_anyway(folder):
    changed = PAYMENTS.replace("amount=100", "amount=1")
    assert told(folder, changed)
    (journal,) = folder.glob("runs/*/wal.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b'"value":1', b'"value":2', 1))
    assert told(folder, changed) == []
