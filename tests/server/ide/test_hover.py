"""Hover: what is said about a call, a tool, a path, a rule and a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import PAYMENTS, RUN, drawn, page, run
from test_pages import dying

from agentl import InDoubt, MockLLM, parse_file
from agentl.durable import DurableRun, FileStore
from agentl.host.source import read_host
from agentl.oracles.model import Usage
from agentl_grammar.lexicon import WORDS
from agentl_grammar.source import Source
from agentl_server.ide.completion import completion
from agentl_server.ide.hover import hover
from agentl_server.ide.inspection import journal_document
from agentl_server.ide.page import Page
from agentl_server.ide.words import word_text


def at(shown: Page, needle: str, behind: int = 0) -> str:
    found = hover(shown, shown.source.text.index(needle) + behind)
    return found.markdown if found else ""


def test_call_tells_each_attempt_and_the_rule_that_decided_with_the_values_it_read(tmp_path):
    run(tmp_path)
    text = at(page(tmp_path), "transfer(amount=100")
    assert text.startswith(
        '**run 6c463a** (completed)\n\n- **tick 1** `transfer(amount=100, to="acct-9")` ⚠ in doubt\n'
    )
    for line in (
        "  - ALLOWED by `DEFAULT ALLOW`, having read `tools.transfer.in_doubt = false`",
        "action `6c463a7a4312:payments:t1:a1` · promise: none",
        "never sent again (the line went dead)",
        '- **tick 2** `transfer(amount=100, to="acct-9")` ⛔ denied',
        "  - DENIED by `NEVER transfer WHEN tools.transfer.in_doubt == true`, having read",
        "`tools.transfer.in_doubt = true`",
    ):
        assert line in text


def test_call_whose_plan_changed_says_so(tmp_path):
    run(tmp_path)
    assert "stale: the program changed here since" in at(
        page(tmp_path, PAYMENTS.replace("=100", "=7")), "transfer(amount"
    )


def test_tool_tells_contract_promise_doubt_and_counts(tmp_path):
    run(tmp_path)
    host = read_host(Source("h = Host()\nh.tools['transfer'] = f\n"))
    text = at(page(tmp_path, host=host), "transfer { INPUT")
    assert (
        text
        == """\
```agentl
TOOL transfer(amount: Number, to: String)
```
- risk: HIGH
- changes: ledger
- host promise: none: an interrupted call ends in doubt and is never sent again
- run 6c463a: 1 denied, 1 in doubt
  - in doubt since tick 1: `6c463a7a4312:payments:t1:a1`"""
    )


def test_call_and_tool_are_told_while_a_mistake_stands_elsewhere_also_when_no_version_was_right(tmp_path):
    run(tmp_path)
    broken = PAYMENTS.replace("  POLICY {", "  PLAN other { x = = 1 }\n  GAOL g { }\n  POLICY {")
    shown = page(tmp_path, broken)
    assert len(shown.problems) == 2
    assert "→ {sent: true}" in at(shown, "notify(msg")
    assert at(shown, "transfer { INPUT").startswith("```agentl\nTOOL transfer(amount: Number, to: String)")
    assert "`1` (t1, t2)" in at(shown, "queue.pending >")


def test_call_in_a_plan_that_cannot_be_read_is_told_as_it_was(tmp_path):
    run(tmp_path)
    broken = PAYMENTS.replace("    STEP tell", "    STEP\n    STEP tell")
    assert "→ {sent: true}" in at(page(tmp_path, broken, before=PAYMENTS), "notify(msg")


def test_observed_path_tells_its_values_by_tick(tmp_path):
    run(tmp_path)
    assert at(page(tmp_path), "queue.pending >") == "`queue.pending` · observed\n\n- run 6c463a: `1` (t1, t2)"


def test_path_that_only_the_policy_read_tells_what_it_read(tmp_path):
    run(tmp_path)
    assert "`false` (t1), `true` (t2)" in at(page(tmp_path), "tools.transfer.in_doubt")


def test_rule_tells_how_often_it_decided(tmp_path):
    run(tmp_path)
    assert "decided 1 time DENIED (t2)" in at(page(tmp_path), "NEVER transfer", len("NEVER"))


ASKING = """AGENT a {
  PLAN p WHEN 1 == 1 { REASON "think" { TASK "think twice" PRODUCE { f: Int } } }
}"""


class Costly(MockLLM):
    """A model that tells what it took."""

    last_usage = Usage("claude", 1, 10, 5, 0.25)


def asked(folder: Path, model: MockLLM) -> Page:
    (folder / "payments.agent").write_text(ASKING)
    program = parse_file(folder / "payments.agent")
    DurableRun(program, None, model, store=FileStore(folder / "runs" / RUN), run_id=RUN).run(2)
    return page(folder, ASKING)


def test_reason_tells_each_answer_and_what_it_took(tmp_path):
    shown = asked(tmp_path, Costly({"think": {"f": 3}}))
    text = at(shown, "REASON")
    took = "claude: 10 tokens in, 5 out, $0.2500"
    assert text.startswith(
        f"**run 6c463a** (completed)\n\n- **tick 1** → `{{f: 3}}` · {took}\n- **tick 2** →"
    )
    assert text.endswith(word_text("REASON"))
    assert at(shown, "TASK") == word_text("TASK")


def test_reason_whose_model_failed_tells_why(tmp_path):
    class Failing(MockLLM):
        def reason(self, task, context, schema):
            raise OSError("no line")

    assert "- **tick 1** ✗ OSError: no line\n" in at(asked(tmp_path, Failing()), "REASON")


def test_every_reserved_word_is_explained_also_without_a_program():
    text = Source("STEP NEVER")
    assert "NEVER" in at(Page(text), "NEVER")
    assert all(word_text(word) for word in WORDS)


def test_word_inside_a_string_or_comment_is_not_explained():
    for text in ('AGENT a { DESCRIPTION "NEVER" }', "// NEVER", "AGENT a { } /* NEVER */"):
        assert at(Page(Source(text)), "NEVER") == ""


def test_nothing_is_said_about_nothing():
    assert hover(Page(Source("")), 0) is None


WORDY = """\
AGENT a {
  GOAL g { TARGET x.WEIGHT > len(y) AND NOT CONFIDENCE(z) < 1 WEIGHT 2 }
  MEMORY { WRITE { STORE z INTO LONG_TERM.z } }
  PLAN GOAL { OBSERVE SET len = 3 }
  SCENARIO s { EXPECT NEVER call t EXPECT NO ERROR }
}
"""


@pytest.mark.parametrize("needle", ["WEIGHT > len", "GOAL { OBSERVE", "len = 3", "call = 3"])
def test_word_that_is_a_name_where_it_stands_tells_nothing(tmp_path, needle):
    text = WORDY.replace("len = 3", needle) if needle == "call = 3" else WORDY
    (tmp_path / "payments.agent").write_text(text)
    assert at(page(tmp_path, text), needle) == ""


@pytest.mark.parametrize(
    ("needle", "begins"),
    [
        ("WEIGHT 2", "**WEIGHT**"),
        ("GOAL g", "**GOAL**"),
        ("AND NOT", "**AND**"),
        ("NOT CONF", "**NOT**"),
        ("OBSERVE SET", "**OBSERVE**"),
        ("LONG_TERM.z", "**LONG_TERM**"),
        ("len(y)", "```agentl\nlen(value)\n```"),
        ("CONFIDENCE(z)", "```agentl\nCONFIDENCE(path)\n```"),
        ("call t", "**CALL** · behind EXPECT"),
        ("NO ERROR", "**NO** · behind EXPECT"),
        ("ERROR }", "**ERROR** · behind EXPECT"),
    ],
)
def test_word_and_function_tell_what_they_mean(tmp_path, needle, begins):
    (tmp_path / "payments.agent").write_text(WORDY)
    assert at(page(tmp_path, WORDY), needle).startswith(begins)


# ------------------------------------------------------------------------------------------------ completion


def labels(text: str, shown: Page | None = None) -> list[str]:
    """Return what is offered at the bar in `text`."""
    offset = text.index("|")
    source = Source(text.replace("|", ""))
    full = Page(source, anatomy=shown.anatomy if shown else None)
    return [candidate.label for candidate in completion(full, offset)]


def test_keywords_are_those_of_the_place(tmp_path):
    assert labels("|") == ["AGENT"]
    assert {"TOOL", "PLAN", "POLICY"} <= set(labels("AGENT a { | }"))
    assert "STEP" not in labels("AGENT a { | }")
    assert {"NEVER", "ALLOW", "DEFAULT"} <= set(labels("AGENT a { POLICY { N| "))
    assert {"RISK", "INPUT"} <= set(labels("AGENT a { TOOL t { | "))


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("AGENT a { TOOL t { INPUT { a: Number |", ["BIND", "ATTESTS"]),
        ("AGENT a { TOOL t { INPUT { a: Number B|", ["BIND", "ATTESTS"]),
        ("AGENT a { TOOL t { INPUT { |", []),
        ("AGENT a { TOOL t { INPUT { a: |", []),
        ('AGENT a { PLAN p { JUDGE { f NOUL "a" |', ["ABSTAIN", "DEFAULT"]),
        ("AGENT a { PLAN p { REASON { PRODUCE { a: Number |", ["IN", "DEFAULT"]),
    ],
)
def test_options_are_offered_where_any_word_may_be_the_next_name(text: str, offered: list[str]):
    assert sorted(labels(text)) == sorted(offered)


def test_the_level_of_a_word_is_told_as_on_the_page_of_words():
    assert "(level 1.10)" in word_text("JUDGE")
    assert "(level" not in word_text("REASON")


def test_tools_and_plans_are_offered_as_statements_and_tools_as_targets_of_rules(tmp_path):
    (tmp_path / "payments.agent").write_text(PAYMENTS)
    shown = page(tmp_path)
    assert {"transfer", "notify", "pay"} <= set(labels(PAYMENTS.replace("notify(msg", "|notify(msg"), shown))
    assert {"transfer", "notify"} <= set(labels(PAYMENTS.replace("NEVER transfer", "NEVER |transfer"), shown))


def test_paths_are_offered_in_expressions_and_behind_a_dot(tmp_path):
    (tmp_path / "payments.agent").write_text(PAYMENTS)
    shown = page(tmp_path)
    assert "queue.pending" in labels(PAYMENTS.replace("WHEN queue", "WHEN |queue"), shown)
    assert labels("AGENT a { PLAN p WHEN tools.n|", shown) == ["tools.notify.in_doubt"]


def test_what_is_offered_behind_a_mistake_is_what_the_place_wants(tmp_path):
    (tmp_path / "payments.agent").write_text(PAYMENTS)
    broken = PAYMENTS.replace("RISK HIGH", "RISK").replace("queue.pending > 0", "queue.pending >")
    shown = page(tmp_path, broken, before=PAYMENTS)
    assert len(shown.problems) == 2
    offered = labels(broken.replace("notify(msg", "|notify(msg"), shown)
    assert {"IF", "SET", "VERIFY", "transfer", "notify", "pay"} <= set(offered)
    assert "NEVER" not in offered
    assert {"transfer", "notify"} <= set(labels(broken.replace("NEVER transfer", "NEVER |transfer"), shown))
    assert "tools.notify.in_doubt" in labels(broken.replace("WHEN tools", "WHEN |tools"), shown)


def test_nothing_is_offered_where_a_name_is_made_up_and_in_comments():
    assert labels("AGENT |") == []
    assert labels("AGENT a { // |") == []


# ------------------------------------------------------------------------------------------------ secrets

SECRET = PAYMENTS.replace("POLICY {", "POLICY {\n    NEVER SEND queue.pending").replace(
    "amount=100", "amount=queue.pending"
)


def test_what_never_send_protects_is_shown_nowhere(tmp_path):
    def host():
        made = dying("x")
        made.sensors["queue.pending"] = lambda: 424242
        return made

    run(tmp_path, SECRET, host)
    shown = page(tmp_path)
    texts = [
        drawn(shown),
        journal_document(shown.runs[0]),
        at(shown, "transfer(amount"),
        at(shown, "queue.pending >"),
    ]
    for text in texts:
        assert "424242" not in text
        assert "[redacted]" in text


QUOTED = PAYMENTS.replace("POLICY {", "POLICY {\n    NEVER SEND queue.secret").replace(
    "OBSERVE { ", "OBSERVE { queue.secret "
)


def test_a_protected_text_is_masked_inside_an_error(tmp_path):
    def host():
        made = dying("x")
        made.sensors["queue.secret"] = lambda: "HUSH-2931"

        def transfer(**_arguments):
            raise ValueError("bad pin HUSH-2931")

        made.tools["transfer"] = transfer
        return made

    run(tmp_path, QUOTED, host)
    shown = page(tmp_path)
    for text in (drawn(shown), journal_document(shown.runs[0]), at(shown, "transfer(amount")):
        assert "HUSH" not in text
        assert "bad pin [redacted]" in text


def test_a_protected_text_is_masked_inside_the_reason_of_a_doubt(tmp_path):
    def host():
        made = dying("x")
        made.sensors["queue.secret"] = lambda: "HUSH-2931"

        def transfer(**_arguments):
            raise InDoubt("about HUSH-2931")

        made.tools["transfer"] = transfer
        return made

    run(tmp_path, QUOTED, host)
    shown = page(tmp_path)
    told = (journal_document(shown.runs[0]), at(shown, "transfer(amount"))
    assert all("about [redacted]" in text for text in told)
    assert "HUSH" not in "".join((*told, drawn(shown)))


def test_behind_expect_every_kind_of_expectation_is_offered_with_what_it_means():
    assert {"CALL", "BLOCKED", "NO", "NEVER", "EVENT"} <= set(labels("AGENT a { SCENARIO s { EXPECT |"))
    found = completion(Page(Source("AGENT a { SCENARIO s { EXPECT ")), 30)
    assert all(candidate.documentation for candidate in found)


NAMED = """\
AGENT a {
  TOOL tt { INPUT { amount: Number  to: String } }
  TOOL uu { }
  EVENT door.opened { tt(amount = 1) }
  BELIEF { x = 1 }
  PLAN p { MESSAGE m { TO b } }
  SCENARIO s { EXPECT CALL tt EXPECT EVENT door.opened }
}
AGENT b { GOAL { y } }
"""


@pytest.mark.parametrize(
    ("was", "now", "offered"),
    [
        ("EXPECT CALL tt", "EXPECT CALL |", ["tt", "uu"]),
        ("EXPECT CALL tt", "EXPECT NEVER CALL t|", ["tt", "uu"]),
        ("EXPECT CALL tt", "EXPECT blocked |", ["tt", "uu"]),
        ("EXPECT EVENT door.opened", "EXPECT EVENT |", ["door.opened"]),
        ("TO b", "TO |", ["a", "b"]),
        ("TO b", "TO: |", ["a", "b"]),
    ],
)
def test_behind_a_word_that_wants_one_kind_of_name_these_are_offered(tmp_path, was, now, offered):
    (tmp_path / "payments.agent").write_text(NAMED)
    assert labels(NAMED.replace(was, now), page(tmp_path, NAMED)) == offered


@pytest.mark.parametrize(
    ("call", "offered"),
    [("tt(|)", ["amount", "to"]), ("tt(amount = 1, |)", ["to"]), ("tt(amount = |)", []), ("uu(|)", [])],
)
def test_arguments_that_a_call_does_not_give_yet_are_offered(tmp_path, call, offered):
    (tmp_path / "payments.agent").write_text(NAMED)
    shown = page(tmp_path, NAMED)
    found = labels(NAMED.replace("tt(amount = 1)", call), shown)
    assert [label for label in found if label in ("amount", "to")] == offered


def test_argument_is_offered_with_its_sign_and_type(tmp_path):
    (tmp_path / "payments.agent").write_text(NAMED)
    shown = page(tmp_path, NAMED)
    text = NAMED.replace("tt(amount = 1)", "tt()")
    full = Page(Source(text), anatomy=shown.anatomy)
    found = {candidate.label: candidate for candidate in completion(full, text.index("tt()") + 3)}
    assert (found["amount"].text, found["amount"].detail) == ("amount = ", "Number")


def test_no_tool_is_offered_behind_a_belief(tmp_path):
    (tmp_path / "payments.agent").write_text(NAMED)
    shown = page(tmp_path, NAMED)
    assert not {"tt", "uu"} & set(labels(NAMED.replace("x = 1 }", "x = 1 | }"), shown))
