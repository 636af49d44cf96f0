"""FOREACH and LOOP (language.md §5.10, §0 ⚠13)."""

from collections.abc import Callable

import pytest

from agentl import UNDEFINED, Host, MockLLM, Symbol, untrusted
from agentl.provenance import OBSERVED

SAY = "TOOL say { INPUT { word: Any } }"


def host_with(items: object) -> tuple[Host, list]:
    host, said = Host(), []
    host.sensors["shop.items"] = lambda: items
    host.tools["say"] = lambda word: said.append(word) or {}
    return host, said


def each(body: str, *, extra: str = "", maximum: str = "") -> str:
    loop = f"FOREACH x IN shop.items {maximum} {{ {body} }}"
    return f"OBSERVE {{ shop.items }} {SAY} {extra} PLAN p WHEN 1 == 1 {{ {loop} }}"


def test_the_fields_of_an_element_are_projected(run_agent):
    item = {
        "name": "tea",
        "price": 2.5,
        "new": True,
        "left": None,
        "tags": ["a", "b"],
        "from": {"city": "Ghent", "more": {}, "n": 1},
    }
    host, said = host_with([item])
    paths = (
        "x.index",
        "x.name",
        "x.price",
        "x.new",
        "x.left",
        "x.tags.count",
        "x.from.city",
        "x.from.n",
        "x.from.more",
    )
    run_agent(each(" ".join(f"say({path})" for path in paths)), host)
    assert said == [0, Symbol("tea"), 2.5, True, None, 2, Symbol("Ghent"), 1, UNDEFINED]


@pytest.mark.parametrize(
    ("items", "seen"),
    [(["a", "b"], [Symbol("a"), Symbol("b")]), ([1, 2.5, True], [1, 2.5, True]), ((3, 4), [3, 4])],
)
def test_an_element_that_is_no_dict_is_the_variable_itself(run_agent, items: object, seen: list):
    host, said = host_with(items)
    run_agent(each("say(x)"), host)
    assert said == seen


def test_a_dict_stands_for_its_values_and_index_counts_them(run_agent):
    host, said = host_with({"first": {"n": 1}, "second": {"n": 2}})
    run_agent(each("say(x.n) say(x.index)"), host)
    assert said == [1, 0, 2, 1]


@pytest.mark.parametrize(("maximum", "count"), [("", 200), ("MAX 3", 3), ("MAX 0", 200)])
def test_more_elements_than_max_are_left_out_and_told(run_agent, maximum: str, count: int):
    host, said = host_with(list(range(250)))
    machine = run_agent(each("say(x)", maximum=maximum), host)
    assert said == list(range(count))
    told = [event.arguments for event in machine.trace.events if event.code == "foreach.truncated"]
    assert told == [{"variable": "x", "maximum": count, "count": 250}]


@pytest.mark.parametrize("items", [5, "text", Symbol("word")])
def test_what_is_no_list_runs_nothing_and_names_the_collections_there_are(run_agent, items: object):
    host, said = host_with(items)
    machine = run_agent(
        each("say(x)", extra="BELIEF { basket = [1, 2] } MEMORY { log SHARED { board } }"), host
    )
    failed = next(event for event in machine.trace.events if event.code == "foreach.failed")
    assert (said, failed.kind) == ([], "ERROR")
    assert failed.arguments["source"] == "shop.items"
    assert failed.arguments["collections"] == ["SHARED.board", "basket", "log"]


def test_a_source_that_cannot_be_told_runs_nothing(run_agent, codes):
    host, said = host_with([1])
    machine = run_agent(f"{SAY} PLAN p WHEN 1 == 1 {{ FOREACH x IN word + 1 {{ say(x) }} }}", host)
    assert (said, "foreach.failed" in codes(machine)) == ([], True)


def test_the_source_is_evaluated_once(run_agent):
    host, said = host_with([1, 2])
    run_agent(each("say(x) SET shop.items = [7, 8, 9]"), host)
    assert said == [1, 2]


def test_the_bindings_of_an_element_end_with_it(run_agent):
    host, said = host_with([{"a": 1}, {"b": 2}])
    machine = run_agent(each("say(x.a) say(x.b)"), host)
    assert said == [1, UNDEFINED, UNDEFINED, 2]
    assert [name for name in machine.state.locals if name.startswith("x")] == []


def test_shadowed_names_come_back_with_their_labels(run_agent):
    host, said = host_with([{"a": 1}])
    program = each("say(x.a)").replace("{ FOREACH", "{ SET x = outer SET x.a = shop.items FOREACH")
    machine = run_agent(program, host)
    assert said == [1]
    assert machine.state.locals["x.a"] == [{"a": 1}]
    assert OBSERVED in machine.state.label("x.a")


def test_they_come_back_when_the_body_fails_too(run_agent, codes):
    host, _ = host_with([{"a": 1}, {"a": 2}])
    program = each("VERIFY 1 == 2").replace("{ FOREACH", "{ SET x.a = 9 FOREACH")
    machine = run_agent(program, host)
    assert codes(machine).count("verify.failed") == 1
    assert machine.state.get("x.a") == 9
    assert "x.index" not in machine.state.locals


def test_a_name_set_before_the_loop_adds_up_and_one_set_in_it_is_gone_in_the_next_and_after_it(run_agent):
    host, said = host_with([1, 2, 3])
    program = each("say(seen.last) SET sum.all = sum.all + x SET seen.last = x").replace(
        "{ FOREACH", "{ SET sum.all = 0 FOREACH"
    )
    machine = run_agent(program, host)
    assert machine.state.get("sum.all") == 6
    assert said == [UNDEFINED, UNDEFINED, UNDEFINED]
    assert machine.state.get("seen.last") is UNDEFINED


def test_outputs_of_the_element_before_are_not_read_when_this_ones_call_is_refused(run_agent):
    host, said = host_with([1, 2])
    host.tools["pay"] = lambda amount: {"reference": f"r-{amount}"}
    pay = """TOOL pay { INPUT { amount: Number } OUTPUT { reference: String } }
        POLICY { DEFAULT ALLOW NEVER pay WHEN amount == 2 }"""
    machine = run_agent(each("pay(amount = x) say(pay.reference) say(result.pay.reference)", extra=pay), host)
    assert said == ["r-1", "r-1", UNDEFINED, UNDEFINED]
    assert machine.state.get("pay.reference") is UNDEFINED


def test_answers_of_a_model_do_not_stay_for_the_next_element(run_agent):
    host, said = host_with([1, 2])
    model = MockLLM({"judge 1": {"mood": "good"}})
    ask = 'REASON "judge 1" { USING { x } PRODUCE { mood: Symbol } }'
    body = f"IF x == 1 THEN {{ {ask} }} say(mood) say(reason.mood)"
    run_agent(each(body), host, model)
    assert said == [Symbol("good"), Symbol("good"), Symbol("mood"), UNDEFINED]


def test_the_label_of_the_source_reaches_the_element_and_what_the_body_decides(run_agent):
    host, _ = host_with([])
    host.sensors["mail.items"] = lambda: untrusted([{"a": 1}])
    pay = "TOOL pay { INPUT { n: Number } } POLICY { DEFAULT ALLOW NEVER pay WHEN UNTRUSTED(action) }"
    paid = []
    host.tools["pay"] = lambda n: paid.append(n) or {}
    loop = "SET got.a = 0 FOREACH x IN mail.items { SET got.a = x.a pay(n = 5) }"
    machine = run_agent(f"OBSERVE {{ mail.items }} {pay} PLAN p WHEN 1 == 1 {{ {loop} }}", host)
    assert paid == []
    assert "EXTERNAL" in machine.state.label("got.a")


def test_a_body_that_gives_the_source_another_value_does_not_launder_the_elements(run_agent):
    host, paid = Host(), []
    host.sensors["mail.items"] = lambda: untrusted([{"a": 1}, {"a": 2}])
    host.tools["pay"] = lambda n: paid.append(n) or {}
    pay = "TOOL pay { INPUT { n: Number } } POLICY { DEFAULT ALLOW NEVER pay WHEN UNTRUSTED(action) }"
    loop = "SET all.items = mail.items FOREACH x IN all.items { SET all.items = [] pay(n = x.a) pay(n = 5) }"
    run_agent(f"OBSERVE {{ mail.items }} {pay} PLAN p WHEN 1 == 1 {{ {loop} }}", host)
    assert paid == []


def test_the_source_may_have_the_name_of_the_variable(run_agent):
    host, said = host_with([1])
    run_agent(f"{SAY} PLAN p WHEN 1 == 1 {{ SET x = [7, 8] FOREACH x IN x {{ say(x) }} say(x) }}", host)
    assert said == [7, 8, [7, 8]]


def test_nested_loops_over_the_same_variable(run_agent):
    host, said = host_with([{"n": 1}, {"n": 2}])
    run_agent(each("say(x.n) FOREACH x IN [8, 9] { say(x) } say(x.n)"), host)
    assert said == [1, 8, 9, 1, 2, 8, 9, 2]


@pytest.mark.parametrize(
    ("loop", "rounds"),
    [("LOOP", 100), ("LOOP MAX 3", 3), ("LOOP MAX 0", 100), ("LOOP UNTIL n.all >= 4 MAX 9", 4)],
)
def test_loop_runs_its_body_then_asks_until(run_agent, loop: str, rounds: int):
    machine = run_agent(f"PLAN p WHEN 1 == 1 {{ SET n.all = 0 {loop} {{ SET n.all = n.all + 1 }} }}")
    assert machine.state.get("n.all") == rounds


def test_answers_of_people_sub_agents_and_judgements_do_not_stay_either(run_agent):
    host, said = host_with([1, 2])
    host.asker = lambda question, reason: "left"
    host.subagents["courier"] = lambda payload: {"place": "door"}
    asks = """ASK guard "Which way?" DELEGATE courier { EXPECT { place } }
        JUDGE "mood" { USING { x } good NOUL "Is it good?" }"""
    read = "say(answer) say(answer.guard) say(courier.place) say(place) say(judge.good) say(reason.good)"
    run_agent(each(f"IF x == 1 THEN {{ {asks} }} {read}"), host, MockLLM({"mood": {"good": True}}))
    assert said[:4] == ["left", "left", "door", "door"]
    assert said[4] is not UNDEFINED
    assert said[6:] == [Symbol("answer"), UNDEFINED, UNDEFINED, Symbol("place"), UNDEFINED, UNDEFINED]


def test_fields_with_odd_names_are_projected_by_their_text(run_agent):
    host, said = host_with([{1: "one", "a.b": 2}])
    machine = run_agent(each("say(x.a.b)"), host)
    assert said == [2]
    assert [key for key in machine.state.locals if key.startswith("x")] == []


ORDERS = """OBSERVE { shop.orders } TOOL pay { INPUT { order: Any } }
    TOOL check { INPUT { order: Any } OUTPUT { ok: Symbol } }"""


def paying(orders: list[list[object]], check: Callable[[object], object] | None = None):
    host, paid, left = Host(), list[object](), iter(orders)
    host.sensors["shop.orders"] = lambda: next(left)
    host.tools["pay"] = lambda order: paid.append(order) or {}
    host.tools["check"] = check or (lambda order: {})
    host.asker = lambda question, reason: "yes"
    return host, paid


def test_what_the_operator_answered_for_one_element_opens_nothing_for_another_or_after_the_loop(run_agent):
    host, paid = paying([[{"id": "a"}, {"id": "b"}]])
    run_agent(
        f"""{ORDERS} POLICY {{ ALLOW pay WHEN answer == yes }}
        PLAN p WHEN 1 == 1 {{
          FOREACH o IN shop.orders {{ IF o.id == b THEN {{ ESCALATE }} pay(order = o.id) }} pay(order = later)
        }}""",
        host,
    )
    assert paid == [Symbol("b")]


def test_what_one_tick_set_in_the_loop_is_not_known_in_the_loop_of_the_next(run_agent):
    host, paid = paying([["a", {"id": "b", "approved": "yes"}], [{"id": "c"}]])
    run_agent(
        f"""{ORDERS} PLAN p WHEN 1 == 1 {{ FOREACH o IN shop.orders {{
          IF o.approved == yes THEN {{ SET cleared = yes }}
          IF cleared == yes THEN {{ pay(order = o.id) }} }} }}""",
        host,
        ticks=2,
    )
    assert paid == [Symbol("b")]


@pytest.mark.parametrize("before", ["", "check(order = 0)"])
def test_an_answer_from_before_the_loop_is_not_read_when_the_call_for_the_element_fails(
    run_agent, before: str
):
    def check(order: object) -> dict[str, str]:
        if str(order) == "c":
            raise ValueError("down")
        return {"ok": "yes"}

    host, paid = paying([[{"id": "b"}], [{"id": "c"}]], check)
    run_agent(
        f"""{ORDERS} PLAN p WHEN 1 == 1 {{ {before} FOREACH o IN shop.orders {{
          check(order = o.id) IF check.ok == yes THEN {{ pay(order = o.id) }} }} }}""",
        host,
        ticks=2,
    )
    assert paid == [Symbol("b")]
