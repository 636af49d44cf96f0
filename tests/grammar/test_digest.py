"""What counts in a digest, and for which declaration."""

from pathlib import Path

import pytest

from agentl_grammar.digest import agent_digest, declaration_digests, declarations, program_digest
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program
from agentl_grammar.tree import Program

TEXT = (Path(__file__).parent / "samples" / "payments.agent").read_text(encoding="utf-8")


def program(text: str) -> Program:
    result = parse(text)
    assert result.program is not None, result.problems
    return result.program


BEFORE = program(TEXT)

COSMETIC = {
    "a comment line before": ("AGENT payments", "// new\nAGENT payments"),
    "a comment inside": ("OBSERVE {", "OBSERVE { /* what it sees */"),
    "a comment removed": ("# Pays what is approved, once.\n", ""),
    "line ends": ("\n", "\r\n"),
    "indentation": ("\n  ", "\n\t\t"),
    "one line": ("\n  GOAL {", " GOAL {"),
    "a tab for blanks": ("  POLICY {", "\tPOLICY {"),
    "an empty line": ("  POLICY {", "\n\n  POLICY {"),
    "a comma added between entries": ("ALLOW check\n", "ALLOW check,\n"),
    "a comma dropped between entries": ("UNTRUSTED(to)),", "UNTRUSTED(to))"),
    "a comma dropped between paths": ("ESCALATE, queue.items", "ESCALATE queue.items"),
    "a separator added": ("COST 8", "COST: 8"),
    "a separator dropped": ("DEFAULT: DENY", "DEFAULT DENY"),
    "another separator": ("kind: CHOICE", "kind = CHOICE"),
    "a byte order mark": ("# Pays", "\ufeff# Pays"),
    "VERSION": ("VERSION 1.10", 'VERSION "2.0"'),
    "no VERSION": ("VERSION 1.10", ""),
    "DESCRIPTION of the agent": ("Pays invoices", "Pays the bills"),
    "no DESCRIPTION of the agent": ('DESCRIPTION "Pays invoices"', ""),
    "DESCRIPTION of a tool": ("Moves money", "Sends money"),
    "what a scenario expects": ("EXPECT BLOCKED transfer", "EXPECT CALL transfer"),
    "the name of a scenario": ("SCENARIO quiet", "SCENARIO calm"),
    "braces around one statement": ("THEN ASK clerk", "THEN { ASK clerk"),
    "braces around one path": ("SIDE_EFFECT bank.account", "SIDE_EFFECT { bank.account }"),
    "parentheses": ("queue.pending == 0 }\n  OBSERVE", "(queue.pending) == (0) }\n  OBSERVE"),
    "WHEN for IF behind a rule": ("FOR transfer IF", "FOR transfer WHEN"),
    "SET or not": ("SET last.id = item.id", "last.id = item.id"),
    "the order of the fields of a tool": ("COST 8 DURATION 1.5s", "DURATION 1.5s COST 8"),
    "BIND and ATTESTS in the other order": (
        "ATTESTS check BIND invoice.iban",
        "BIND invoice.iban ATTESTS check",
    ),
    "ASK in its long form": (
        'ASK clerk "Pay it?" TIMEOUT 10min DEFAULT no',
        'ASK clerk { DEFAULT no QUESTION "Pay it?" TIMEOUT 10min }',
    ),
}
CLOSED = {"braces around one statement": ("DEFAULT no\n      ELSE", "DEFAULT no }\n      ELSE")}

ALLOWED = "    ALLOW transfer WHEN invoice.approved == yes AND NOT (amount > 5000 OR UNTRUSTED(to)),\n"
SEMANTIC = {
    "a goal's condition": ("ACHIEVE queue.pending == 0", "ACHIEVE queue.pending == 1", "payments/goal:main"),
    "a goal's mode": ("ACHIEVE queue", "MAINTAIN queue", "payments/goal:main"),
    "an observed path": ("queue.items }\n  TOOL", "queue.lines }\n  TOOL", "payments/observe"),
    "what a mute sensor does": ("ON UNKNOWN ESCALATE", "ON UNKNOWN DEGRADE 0", "payments/observe"),
    "a tool's parameter": ("amount: Number", "sum: Number", "payments/tool:transfer"),
    "a parameter's type": ("amount: Number", "amount: Int", "payments/tool:transfer"),
    "a tool's risk": ("money: HIGH", "money: CRITICAL", "payments/tool:transfer"),
    "what a tool requires": ("halted != yes", "halted == yes", "payments/tool:transfer"),
    "how a number is written": ("amount > 5000 OR", "amount > 5000.0 OR", "payments/policy"),
    "zeros of a number": ("amount > 5000 OR", "amount > 05000 OR", "payments/policy"),
    "another unit of a duration": (
        "COST 8 DURATION 1.5s",
        "COST 8 DURATION 1500ms",
        "payments/tool:transfer",
    ),
    "another spelling of a percent": ("WITH 99.5%", "WITH 99.50%", "payments/tool:transfer"),
    "a number for a percent": ("WITH 99.5%", "WITH 0.995", "payments/tool:transfer"),
    "the place of DEFAULT among the rules": (
        f"    DEFAULT: DENY\n{ALLOWED}",
        f"{ALLOWED}    DEFAULT: DENY\n",
        "payments/policy",
    ),
    "a probability": ("WITH 99.5%", "WITH 99.4%", "payments/tool:transfer"),
    "a cost": ("COST 8", "COST 9", "payments/tool:transfer"),
    "an output": ("receipt: String", "receipts: String", "payments/tool:transfer"),
    "an attestation": ("ATTESTS check", "ATTESTS notify", "payments/tool:transfer"),
    "a short tool": ("check(iban) }", "check(iban: String) }", "payments/tool:check"),
    "the default of a policy": ("DEFAULT: DENY", "DEFAULT: ALLOW", "payments/policy"),
    "a rule's kind": ("ALLOW notify,", "DENY notify,", "payments/policy"),
    "a rule's guard": ("WHEN tools.transfer.in_doubt == true", "", "payments/policy"),
    "a redaction": ("invoice.iban, customer.phone", "invoice.iban", "payments/policy"),
    "the order of rules": ("ALLOW notify, ALLOW check", "ALLOW check, ALLOW notify", "payments/policy"),
    "a plan's guard": ("queue.pending > 0 {", "queue.pending >= 0 {", "payments/plan:pay"),
    "an argument": ("(1 + 19%)", "(1 + 20%)", "payments/plan:pay"),
    "an argument's name": ("to: invoice.iban)", "iban: invoice.iban)", "payments/plan:pay"),
    "an escape in a text": (r"back\"\n", r"back\"\t", "payments/plan:pay"),
    "a step's name": ("STEP send", "STEP wire", "payments/plan:pay"),
    "a question": ('"Is it a real invoice?"', '"Is it real?"', "payments/plan:pay"),
    "a threshold": ("ABSTAIN BELOW 0.9", "ABSTAIN BELOW 0.8", "payments/plan:pay"),
    "how often to retry": ("RETRY 2", "RETRY 3", "payments/plan:pay"),
    "an operator": ("yes AND NOT (", "yes OR NOT (", "payments/policy"),
    "the place of parentheses": ("invoice.sum * (1 + 19%)", "(invoice.sum * 1) + 19%", "payments/plan:pay"),
    "a sub-agent": ("DELEGATE auditor", "DELEGATE checker", "payments/plan:audit"),
    "a message's key": ("AND: 1", "OR: 1", "payments/plan:audit"),
    "an event's guard": ("severity >= HIGH", "severity > HIGH", "payments/event:bank.closed"),
    "a message handler": ("SET halted yes", "SET halted no", "payments/message:stop"),
    "the end of the loop": ("MAX 10 {", "MAX 11 {", "payments/loop"),
    "the order of phases": ("RECEIVE OBSERVE", "OBSERVE RECEIVE", "payments/loop"),
    "a weight": ("WEIGHT 2", "WEIGHT 3", "ledger/goal:books"),
    "a memory": ("SHORT_TERM entries", "KNOWLEDGE entries", "ledger/memory"),
    "a domain": ("[-1, 1]", "[-1, 2]", "ledger/plan:note"),
    "a field's name": ("DEFAULTED: Bool", "DECIDED: Bool", "ledger/plan:note"),
    "a likelihood": ("LIKELIHOOD 0.8", "LIKELIHOOD 0.7", "ledger/hypothesis:fraud"),
    "what is explained": ("EXPLAINS fraud.cause = theft", "EXPLAINS fraud.cause", "ledger/hypothesis:fraud"),
}


def edited(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new)


def test_there_are_thirty_edits_of_either_kind():
    assert len(COSMETIC) >= 30
    assert len(SEMANTIC) >= 30


@pytest.mark.parametrize("name", COSMETIC)
def test_a_cosmetic_edit_keeps_every_digest(name: str):
    text = edited(*COSMETIC[name])
    for old, new in [CLOSED[name]] if name in CLOSED else []:
        text = text.replace(old, new)
    after = program(text)
    assert text != TEXT
    assert program_digest(after) == program_digest(BEFORE)
    assert declaration_digests(after) == declaration_digests(BEFORE)


@pytest.mark.parametrize("name", SEMANTIC)
def test_a_semantic_edit_changes_the_program_and_exactly_its_declaration(name: str):
    old, new, key = SEMANTIC[name]
    after = program(edited(old, new))
    assert program_digest(after) != program_digest(BEFORE)
    before, now = declaration_digests(BEFORE), declaration_digests(after)
    assert list(now) == list(before)
    assert [k for k in before if before[k] != now[k]] == [key]
    changed = [
        a != b for a, b in zip(map(agent_digest, BEFORE.agents), map(agent_digest, after.agents), strict=True)
    ]
    assert changed == [key.startswith("payments"), key.startswith("ledger")]


def test_a_digest_is_the_same_in_every_process_and_version():
    tree = program("AGENT a { GOAL { b == 1 } }")
    assert program_digest(tree) == "89fee0fb7418e10ba9157d63df45d4fd198e768cfc9e9bc8dc01eb6b7d9859ff"


def test_the_printed_program_has_the_digest_of_the_program():
    assert program_digest(program(print_program(BEFORE))) == program_digest(BEFORE)


def test_the_order_of_members_counts_for_the_program_and_not_for_a_declaration():
    one = program("AGENT a { PLAN p { b } PLAN q { c } }")
    two = program("AGENT a { PLAN q { c } PLAN p { b } }")
    assert program_digest(one) != program_digest(two)
    assert declaration_digests(one) == declaration_digests(two)


def test_declarations_have_keys_in_the_order_of_the_text():
    assert list(declaration_digests(BEFORE)) == [
        "payments/goal:main",
        "payments/observe",
        "payments/tool:transfer",
        "payments/tool:notify",
        "payments/tool:check",
        "payments/policy",
        "payments/plan:pay",
        "payments/plan:audit",
        "payments/event:bank.closed",
        "payments/message:stop",
        "payments/loop",
        "ledger/goal:books",
        "ledger/memory",
        "ledger/message:audited",
        "ledger/plan:entries",
        "ledger/plan:note",
        "ledger/planner",
        "ledger/hypothesis:fraud",
    ]


def test_members_that_accumulate_are_one_declaration():
    (agent,) = program("AGENT a { POLICY { ALLOW b } GOAL { c } POLICY { DENY d } }").agents
    found = declarations(agent)
    assert list(found) == ["a/policy", "a/goal:main"]
    assert found["a/policy"].nodes == (agent.members[0], agent.members[2])
    assert found["a/policy"].span == agent.members[0].span


def test_a_repeated_key_is_numbered():
    tree = program("AGENT a { PLAN p { } PLAN p { b } LOOP { } } AGENT a { LOOP { } }")
    assert list(declaration_digests(tree)) == ["a/plan:p", "a/plan:p#2", "a/loop", "a#2/loop"]


def test_a_scenario_is_a_declaration_that_no_run_depends_on():
    (agent,) = program("AGENT a { SCENARIO s { EXPECT { b } } }").agents
    assert list(declarations(agent)) == ["a/scenario:s"]
    assert declaration_digests(program("AGENT a { SCENARIO s { EXPECT { b } } }")) == {}


def test_signs_that_have_a_meaning_in_a_key_are_escaped():
    tree = program('AGENT "a/b" { TOOL "c#2" { } TOOL "50%" { } }')
    assert list(declaration_digests(tree)) == ["a%2Fb/tool:c%232", "a%2Fb/tool:50%25"]
