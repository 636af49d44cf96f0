"""Declarations, references and scopes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentl_grammar.parser import Parser, parse
from agentl_grammar.source import Span
from agentl_grammar.symbols import Kind, Symbols, Use
from agentl_grammar.symbols.collecting import Reading
from agentl_grammar.symbols.paths import Within
from agentl_grammar.tree import Node, Plan, Program, Tool

TEXT = """AGENT shop {
  GOAL stock { shelf.count > 3 }
  BELIEF { trust = 0.5 }
  OBSERVE shelf.count
  MEMORY { LONG_TERM { orders } WRITE { STORE { trust } INTO LONG_TERM.orders } }
  TOOL order { INPUT { n: Number } }
  POLICY { ALLOW order IF trust > 0.4 }
  HYPOTHESIS thief { PRIOR FROM LONG_TERM.orders EVIDENCE { shelf.count < 1 } }
  PLAN refill WHEN thief.posterior < 0.5 {
    STEP ask: order(n = 3)
    STEP tell: MESSAGE done { TO boss } DELEGATE boss { TASK "x" }
  }
  EVENT door.opened { refill }
  ON MESSAGE done { SET seen = message.from }
  SCENARIO s { GIVEN EVENT door.opened { } EXPECT CALL order }
}
AGENT boss {
  PLAN refill { order() }
  LOOP { IF SHARED.price > seen THEN refill }
}
"""


@pytest.fixture
def symbols() -> Symbols:
    result = parse(TEXT)
    assert result.program is not None
    assert result.problems == ()
    return Symbols(result.program)


def use(symbols: Symbols, word: str, occurrence: int = 0) -> Use:
    offset = -1
    for _ in range(occurrence + 1):
        offset = TEXT.index(word, offset + 1)
    found = symbols.at(offset + 1)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("word", "kind", "lines", "declared"),
    [
        ("shop", Kind.AGENT, [1], [1]),
        ("stock", Kind.GOAL, [2], [2]),
        ("shelf.count", Kind.PATH, [2, 4, 8], [4]),
        ("trust", Kind.BELIEF, [3, 5, 7], [3]),
        ("orders }", Kind.BUCKET, [5, 5, 8], [5, 5]),
        ("order {", Kind.TOOL, [6, 7, 10, 15], [6]),
        ("thief", Kind.HYPOTHESIS, [8, 9], [8]),
        ("refill", Kind.PLAN, [9, 13], [9]),
        ("ask", Kind.STEP, [10], [10]),
        ("done", Kind.MESSAGE, [11, 14], [14]),
        ("boss { TASK", Kind.AGENT, [11, 11, 17], [17]),
        ("door.opened", Kind.EVENT, [13, 15], [13]),
        ("message.from", Kind.FACT, [14], []),
        ("s { GIVEN", Kind.SCENARIO, [15], [15]),
        ("price >", Kind.BUCKET, [19], []),
    ],
)
def test_every_kind_of_name(symbols: Symbols, word: str, kind: Kind, lines: list[int], declared: list[int]):
    offset = TEXT.index(word)
    found = next(u for u in symbols.uses if u.span.start == offset)
    assert found.kind is kind
    assert [TEXT.count("\n", 0, other.span.start) + 1 for other in symbols.same(found)] == lines
    assert [TEXT.count("\n", 0, other.span.start) + 1 for other in symbols.declarations(found)] == declared


EVERY = """AGENT bank {
  GOAL paid { ACHIEVE queue.pending == 0 }
  BELIEF { trust = 0.5 CONFIDENCE 0.9 }
  OBSERVE { queue.pending  order ON UNKNOWN DEGRADE trust }
  MEMORY {
    SHORT_TERM { recent } KNOWLEDGE { rules } SHARED { rates }
    WRITE { STORE { trust } INTO SHARED.rates }
  }
  TOOL transfer {
    INPUT { amount: Number  to: String BIND order.to }
    OUTPUT { receipt: String }
    SIDE_EFFECT { ledger }
    REQUIRES { trust > 0.1 }
    EFFECT { account.left = amount }
    OUTCOME sent WITH 0.9 { account.state = to }
  }
  TOOL { ping(host: String) }
  POLICY {
    NEVER transfer WHEN tools.transfer.in_doubt == true OR action.args.amount > 10 AND amount < 5
    DENY scout IF tools.scout.available == false
    ALLOW * IF action.tool IN [transfer, ping] AND ATTESTED(order.to, transfer)
    NEVER SEND order.secret
  }
  HYPOTHESIS leak {
    PRIOR FROM SHARED.rates WHERE kind == bad
    EVIDENCE { sensors.queue.pending.available == false  ledger.dirty == true }
    EXPLAINS cause
  }
  PLAN pay WHEN leak.posterior < 0.5 AND P(leak) < 0.5 AND hypothesis.leak.supported == false {
    STEP send {
      transfer(amount = order.total, to = "x")
      IF result.transfer.receipt == none OR transfer.receipt == no OR result.receipt == nil THEN ROLLBACK
      SET note = receipt
      VERIFY trust.confidence > 0.5
    }
    STEP ask {
      REASON "why" { USING { order } PRODUCE { risk: Symbol IN [low high] } }
      JUDGE { tone NOUL "Is it kind?" }
      IF reason.risk == low AND risk != high AND judge.tone.p > 0.5 AND reason.degraded == false THEN review
      ASK boss { QUESTION "Pay?" }
      IF answer.boss == yes THEN SET note = approved
      DELEGATE scout { TASK "look" INPUT { order } EXPECT { finding } }
      IF scout.finding == bad OR finding == worse THEN ESCALATE
      MESSAGE paid_out { TO clerk PAYLOAD { sum note } }
      FOREACH item IN order.items { SET note = item.price }
      FOREACH item IN order.others { ping(host = item) }
    }
  }
  PLAN review { SET note = SHARED.rates.count }
  EVENT door.opened { WHEN payload.who == thief THEN { review } SET note = who }
  ON VERIFY.FAIL { SET note = goals.paid.score }
  LOOP UNTIL shared.rates.version > 3 { DECIDE }
  SCENARIO works {
    GIVEN { scenario.outcome.transfer = sent  llm.plan = review  transfer.receipt = "r"  queue.pending = 1 }
    GIVEN EVENT door.opened { who = thief }
    EXPECT CALL transfer
    EXPECT BLOCKED ping
    EXPECT EVENT door.opened
    EXPECT { hypotheses.best == leak }
  }
}
AGENT clerk {
  ON MESSAGE paid_out { WHEN payload.sum > 0 AND sum < 9 AND message.from == bank THEN file }
  PLAN file { }
  SCENARIO told { GIVEN MESSAGE paid_out FROM bank { sum = 1 } EXPECT NO ERROR }
}
"""
USES = [
    ("GOAL [paid]", "goal paid bank", "declared"),
    ("goals.[paid].score", "goal paid bank", ""),
    ("[goals.paid.score]", "fact goals.paid.score bank", ""),
    ("{ [trust] = 0.5", "belief trust bank", "declared"),
    ("DEGRADE [trust]", "belief trust bank", ""),
    ("STORE { [trust] }", "belief trust bank", ""),
    ("VERIFY [trust].confidence", "belief trust bank", ""),
    ("OBSERVE { [queue.pending]", "path queue.pending bank", "declared"),
    ("ACHIEVE [queue.pending]", "path queue.pending bank", ""),
    ("sensors.[queue.pending].available", "path queue.pending bank", ""),
    ("  [queue.pending] = 1 }", "path queue.pending bank", ""),
    ("  [order] ON UNKNOWN", "path order bank", "declared"),
    ("BIND [order].to", "path order bank", ""),
    ("SEND [order].secret", "path order bank", ""),
    ("{ [ledger] }", "path ledger bank", "declared"),
    ("[ledger].dirty", "path ledger bank", ""),
    ("[ledger.dirty]", "fact ledger.dirty bank", ""),
    ("SHORT_TERM { [recent] }", "bucket recent bank/SHORT_TERM", "declared"),
    ("KNOWLEDGE { [rules] }", "bucket rules bank/KNOWLEDGE", "declared"),
    ("SHARED { [rates] }", "bucket rates SHARED", "declared"),
    ("INTO SHARED.[rates]", "bucket rates SHARED", "declared"),
    ("PRIOR FROM SHARED.[rates]", "bucket rates SHARED", ""),
    ("= SHARED.[rates].count", "bucket rates SHARED", ""),
    ("shared.[rates].version", "bucket rates SHARED", ""),
    ("TOOL [transfer]", "tool transfer bank", "declared"),
    ("TOOL { [ping](", "tool ping bank", "declared"),
    ("NEVER [transfer] WHEN", "tool transfer bank", ""),
    ("tools.[transfer].in_doubt", "tool transfer bank", ""),
    ("[tools.transfer.in_doubt]", "fact tools.transfer.in_doubt bank", ""),
    ("IN [[transfer], ping]", "tool transfer bank", ""),
    ("ATTESTED(order.to, [transfer])", "tool transfer bank", ""),
    ("      [transfer](amount", "tool transfer bank", ""),
    ("result.[transfer].receipt", "tool transfer bank", ""),
    ("OR [transfer].receipt ==", "tool transfer bank", ""),
    ("outcome.[transfer] =", "tool transfer bank", ""),
    ("  [transfer].receipt =", "tool transfer bank", ""),
    ("CALL [transfer]", "tool transfer bank", ""),
    ("BLOCKED [ping]", "tool ping bank", ""),
    ("INPUT { [amount]:", "parameter amount bank/transfer", "declared"),
    ("ping([host]: String", "parameter host bank/ping", "declared"),
    ("account.left = [amount]", "parameter amount bank/transfer", ""),
    ("account.state = [to]", "parameter to bank/transfer", ""),
    ("action.args.[amount]", "parameter amount bank/transfer", ""),
    ("AND [amount] < 5", "parameter amount bank/transfer", ""),
    ("transfer([amount] = order", "parameter amount bank/transfer", ""),
    ("ping([host] = item", "parameter host bank/ping", ""),
    ("OUTPUT { [receipt]:", "output receipt bank/transfer", "declared"),
    ("result.transfer.[receipt]", "output receipt bank/transfer", ""),
    ("OR transfer.[receipt] ==", "output receipt bank/transfer", ""),
    ("result.[receipt] == nil", "output receipt bank/transfer", ""),
    ("note = [receipt]", "output receipt bank/transfer", ""),
    ("OUTCOME [sent]", "outcome sent bank/transfer", "declared"),
    ("outcome.transfer = [sent]", "outcome sent bank/transfer", ""),
    ("PLAN [pay]", "plan pay bank", "declared"),
    ("THEN [review]", "plan review bank", ""),
    ("THEN { [review] }", "plan review bank", ""),
    ("llm.plan = [review]", "plan review bank", ""),
    ("STEP [send]", "step send bank/pay", "declared"),
    ("HYPOTHESIS [leak]", "hypothesis leak bank", "declared"),
    ("WHEN [leak].posterior", "hypothesis leak bank", ""),
    ("[leak.posterior]", "fact leak.posterior bank", ""),
    ("P([leak])", "hypothesis leak bank", ""),
    ("hypothesis.[leak].supported", "hypothesis leak bank", ""),
    ("best == [leak]", "hypothesis leak bank", ""),
    ("EXPLAINS [cause]", "path cause bank", "declared"),
    ("{ [risk]: Symbol", "field risk bank", "declared"),
    ("reason.[risk] ==", "field risk bank", ""),
    ("AND [risk] != high", "field risk bank", ""),
    ("{ [tone] NOUL", "field tone bank", "declared"),
    ("judge.[tone].p", "field tone bank", ""),
    ("[reason.degraded]", "fact reason.degraded bank", ""),
    ("ASK [boss]", "addressee boss bank", "declared"),
    ("answer.[boss]", "addressee boss bank", ""),
    ("DELEGATE [scout]", "sub-agent scout", ""),
    ("DENY [scout] IF", "sub-agent scout", ""),
    ("tools.[scout].available", "sub-agent scout", ""),
    ("IF [scout].finding", "sub-agent scout", ""),
    ("EXPECT { [finding] }", "output finding bank/scout", "declared"),
    ("scout.[finding]", "output finding bank/scout", ""),
    ("OR [finding] == worse", "output finding bank/scout", ""),
    ("MESSAGE [paid_out] { TO", "message paid_out", ""),
    ("ON MESSAGE [paid_out]", "message paid_out", "declared"),
    ("GIVEN MESSAGE [paid_out]", "message paid_out", ""),
    ("TO [clerk]", "agent clerk", ""),
    ("FROM [bank]", "agent bank", ""),
    ("message.from == [bank]", "agent bank", ""),
    ("PAYLOAD { [sum]", "payload sum message paid_out", "declared"),
    ("payload.[sum]", "payload sum message paid_out", ""),
    ("AND [sum] < 9", "payload sum message paid_out", ""),
    ("{ [sum] = 1 }", "payload sum message paid_out", "declared"),
    ("EVENT [door.opened] { WHEN", "event door.opened bank", "declared"),
    ("GIVEN EVENT [door.opened]", "event door.opened bank", ""),
    ("EXPECT EVENT [door.opened]", "event door.opened bank", ""),
    ("{ [who] = thief", "payload who bank/event door.opened", "declared"),
    ("payload.[who]", "payload who bank/event door.opened", ""),
    ("note = [who]", "payload who bank/event door.opened", ""),
    ("FOREACH [item] IN order.items", "variable item bank/plan:pay/loop 1", "declared"),
    ("[item].price", "variable item bank/plan:pay/loop 1", ""),
    ("FOREACH [item] IN order.others", "variable item bank/plan:pay/loop 2", "declared"),
    ("host = [item])", "variable item bank/plan:pay/loop 2", ""),
    ("SCENARIO [works]", "scenario works bank", "declared"),
    ("AGENT [clerk]", "agent clerk", "declared"),
]


def parsed(text: str) -> Program:
    result = parse(text)
    assert result.problems == ()
    assert result.program is not None
    return result.program


@pytest.mark.parametrize(("marked", "symbol", "declared"), USES)
def test_every_form_of_every_kind(marked: str, symbol: str, declared: str):
    found = re.fullmatch(r"(.*?)\[([A-Za-z].*?)\](.*)", marked)
    assert found
    before, name, after = found.groups()
    start = EVERY.index(before + name + after) + len(before)
    uses = [use for use in Symbols(parsed(EVERY)).uses if use.span == Span(start, start + len(name))]
    assert f"{symbol} {declared}".strip() in [
        f"{use.kind} {use.name} {use.scope} {'declared' if use.declares else ''}".replace("  ", " ").strip()
        for use in uses
    ]


def test_a_loop_variable_is_another_than_that_of_the_next_loop():
    symbols = Symbols(parsed(EVERY))
    use = symbols.at(EVERY.index("item.price") + 1)
    assert use is not None
    assert [EVERY[other.span.start :][:18] for other in symbols.same(use)] == [
        "item IN order.item",
        "item.price }\n     ",
    ]


def test_loops_of_two_plans_have_variables_of_their_own():
    loop = "FOREACH x IN y { SET z = x.a }"
    text = f"AGENT a {{ PLAN p {{ {loop} }} PLAN q {{ {loop} }} }}"
    symbols = Symbols(parsed(text))
    use = symbols.at(text.rindex("x.a"))
    assert use is not None
    assert [other.span.start for other in symbols.same(use)] == [text.rindex("x IN"), text.rindex("x.a")]
    declared = [use for use in Symbols(parsed(text)).uses if use.kind is Kind.VARIABLE and use.declares]
    assert {(use.name, use.scope) for use in declared} == {("x", "a/plan:p/loop 1"), ("x", "a/plan:q/loop 1")}


def test_paths_are_told_as_they_are_written():
    paths = Symbols(parsed(EVERY)).paths
    assert {"order.total", "order.to", "tools.transfer.in_doubt", "queue.pending", "trust"} <= paths
    assert paths.isdisjoint({"transfer", "review", "door.opened", "P"})


def test_what_a_path_means_is_told_once_at_most():
    spans = [(use.span, use.kind) for use in Symbols(parsed(EVERY)).uses]
    assert len(spans) == len(set(spans))


@settings(deadline=None, max_examples=10)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.sampled_from(
                ["", "x", " ", "{", "}", "\n", "trust", "pay ", "GOAL { x } ", "NEVER * WHEN amount "]
            ),
        ),
        min_size=2,
        max_size=4,
    )
)
def test_symbols_after_edits_are_those_of_the_text_read_anew(edits: list[tuple[float, str]]):
    text, parser = EVERY, Parser()
    symbols = Symbols(parsed(text))
    for where, new in edits:
        at = int(where * len(text))
        text = text[:at] + new + text[at + (1 if new else 7) :]
        program = parser.parse(text).program
        anew = parse(text).program
        assert (program is None) == (anew is None)
        if program is not None and anew is not None:
            symbols = Symbols(program, symbols)
            assert symbols.uses == Symbols(anew).uses


def test_after_an_edit_in_one_member_the_others_are_not_read_again(monkeypatch: pytest.MonkeyPatch):
    parser = Parser()
    edited = EVERY.replace("SET note = SHARED", "\nSET note = 1 + SHARED")
    first = parser.parse(EVERY).program
    assert first is not None
    before = Symbols(first)
    read: list[Node] = []
    original = Reading.below

    def below(self: Reading, node: Node, within: Within) -> None:
        read.append(node)
        original(self, node, within)

    monkeypatch.setattr(Reading, "below", below)
    second = parser.parse(edited).program
    assert second is not None
    after = Symbols(second, before)
    assert [node.name.text for node in read if isinstance(node, Plan)] == ["review"]
    assert not [node for node in read if isinstance(node, Tool)]
    assert after.uses == Symbols(parsed(edited)).uses


def test_the_same_name_in_another_agent_is_another_symbol(symbols: Symbols):
    inner = use(symbols, "refill", 2)
    assert inner.scope == "boss"
    assert [other.scope for other in symbols.same(inner)] == ["boss", "boss"]


def test_the_symbols_of_a_broken_program_are_those_of_what_stands():
    program = parse(TEXT.replace("trust > 0.4", "trust >> 0.4")).program
    assert program is not None
    assert any(found.kind is Kind.PLAN for found in Symbols(program).uses)


def test_a_memory_read_by_its_key_alone_is_a_reference_of_its_bucket():
    text = (
        "AGENT a {\n"
        "  MEMORY { LONG_TERM { visits } SHORT_TERM { hint } WRITE { STORE { x } INTO LONG_TERM.visits } }\n"
        "  GOAL { len(visits) > 0 }\n  OBSERVE x\n"
        "  PLAN p { FOREACH v IN visits { SET seen = v.x } SET last = hint.x }\n}\n"
        "AGENT b {\n  GOAL { visits > 0 }\n}\n"
    )
    program = parse(text).program
    assert program
    symbols = Symbols(program)
    used = symbols.at(text.index("visits)"))
    assert used
    assert (used.kind, used.name, used.scope) == (Kind.BUCKET, "visits", "a/LONG_TERM")
    lines = [text.count("\n", 0, each.span.start) + 1 for each in symbols.same(used)]
    assert lines == [2, 2, 3, 5]
    assert [each.span.start for each in symbols.declarations(used)] == [
        text.index("visits"),
        text.index("visits }", text.index("INTO")),
    ]
    part = symbols.at(text.index("hint.x"))
    assert part
    assert (part.scope, part.name, text[part.span.start : part.span.end]) == ("a/SHORT_TERM", "hint", "hint")
