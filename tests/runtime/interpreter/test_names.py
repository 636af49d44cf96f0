"""Outside data takes no name that means something in the program (language.md §3.8, §5.11; I3, I4, I10)."""

import pytest

from agentl import UNDEFINED, Host, MockLLM, Symbol

PAY = "TOOL pay { INPUT { amount: Number } RISK HIGH }"
INVOICE = "EVENT invoice { pay(amount = payload.amount) }"


def paying(sensors: dict[str, object] | None = None, **payload: object) -> tuple[Host, list[object]]:
    host, paid = Host(), list[object]()
    for path, reading in (sensors or {}).items():
        host.sensors[path] = lambda reading=reading: reading
    host.tools["pay"] = lambda amount: paid.append(amount) or {}
    host.emit("invoice", **{"amount": 5, **payload})
    return host, paid


def taken(machine) -> list[object]:
    return [
        e.arguments.get("key", e.arguments.get("path")) for e in machine.trace.events if "taken" in e.code
    ]


@pytest.mark.parametrize(
    ("guard", "payload"),
    [
        ("NEVER pay WHEN account.state == frozen", {"frozen": "no"}),
        ("NEVER pay WHEN account.state != fine", {"fine": "frozen"}),
        ("NEVER pay WHEN account.state IN [frozen, shut]", {"frozen": "no"}),
        ("NEVER pay WHEN frozen == account.state", {"frozen": "no"}),
        ("NEVER pay WHEN account.level >= HIGH", {"HIGH": Symbol("CRITICAL")}),
        ("NEVER pay WHEN account.closed == yes", {"yes": "no"}),
    ],
)
def test_a_payload_changes_no_constant_of_a_guard(run_agent, guard: str, payload: dict[str, object]):
    sensors = {
        "account.state": Symbol("frozen"),
        "account.level": Symbol("HIGH"),
        "account.closed": Symbol("yes"),
    }
    host, paid = paying(sensors, **payload)
    machine = run_agent(
        f"OBSERVE {{ {' '.join(sensors)} }} {PAY} POLICY {{ {guard} ALLOW pay }} {INVOICE}", host
    )
    assert paid == []
    assert taken(machine) == list(payload)


@pytest.mark.parametrize("use", ["pay(amount = 1, way = fast)", "SET kept = fast", "tell(fast)"])
def test_a_payload_changes_no_constant_that_is_handed_over(run_agent, use: str):
    host, seen = Host(), list[object]()
    host.tools["pay"] = lambda amount, way: seen.append(way) or {}
    host.tools["tell"] = lambda word: seen.append(word) or {}
    host.emit("e", fast="forged")
    machine = run_agent(
        f"""TOOL pay {{ INPUT {{ amount: Number way: Symbol }} }} TOOL tell {{ INPUT {{ word: Symbol }} }}
        EVENT e {{ {use} }}""",
        host,
    )
    assert [*seen, machine.state.get("kept")][0] == Symbol("fast")
    assert taken(machine) == ["fast"]


@pytest.mark.parametrize(
    "guard", ["NEVER pay WHEN customer.blocked == true ALLOW pay", "ALLOW pay WHEN kyc.ok == yes"]
)
@pytest.mark.parametrize(
    "payload",
    [
        {"kyc": {"ok": "yes"}, "customer": {"blocked": False}},
        {"kyc.ok": "yes", "customer.blocked": False},
    ],
)
def test_a_payload_makes_no_dotted_path_known(run_agent, guard: str, payload: dict[str, object]):
    host, paid = paying(None, **payload)
    run_agent(f"TOOL kyc {{ OUTPUT {{ ok: Symbol }} }} {PAY} POLICY {{ {guard} }} {INVOICE}", host)
    assert paid == []


@pytest.mark.parametrize("word", ["cleared", "ok", "urgent"])
def test_a_payload_answers_for_no_word_of_a_guard(run_agent, word: str):
    host, paid = paying(None, **{word: "yes"})
    run_agent(
        f"""TOOL kyc {{ OUTPUT {{ ok: Symbol }} }} {PAY} POLICY {{ ALLOW pay WHEN {word} == yes }}
        {INVOICE} EVENT never {{ SET cleared = yes }}""",
        host,
    )
    assert paid == []


def test_a_key_that_means_nothing_in_the_program_is_read_under_its_name(run_agent):
    host, paid = paying()
    run_agent(
        f"{PAY} EVENT invoice {{ WHEN amount > 1 IF amount > 4 THEN {{ pay(amount = amount) }} }}", host
    )
    assert paid == [5]


@pytest.mark.parametrize("ask", ['DELEGATE helper { TASK "x" EXPECT { account } }', "helper()"])
def test_an_answer_switches_off_no_guard_on_a_path_below_its_key(run_agent, ask: str):
    host, paid = paying()
    host.subagents["helper"] = lambda _: {"account": {"blocked": False}}
    host.tools["helper"] = lambda: {"account": {"blocked": False}}
    machine = run_agent(
        f"""{PAY} TOOL helper {{ OUTPUT {{ account: Any }} }}
        POLICY {{ NEVER pay WHEN account.blocked == true ALLOW pay ALLOW helper }}
        EVENT invoice {{ {ask} pay(amount = payload.amount) }}""",
        host,
    )
    assert paid == []
    assert machine.state.get("helper.account.blocked") is False


@pytest.mark.parametrize(
    ("observed", "question", "other"),
    [
        ("risk", 'REASON "q" { PRODUCE { risk: Symbol } }', "reason.risk"),
        ("risk", 'JUDGE "q" { risk NOUL "r" }', "judge.risk"),
        ("risk.level", 'REASON "q" { PRODUCE { risk: Any } }', "reason.risk"),
        ("answer.late", 'ASK boss { QUESTION "q" }', "answer.boss"),
        ("answer.late", "ESCALATE", None),
    ],
)
def test_no_answer_takes_the_name_of_a_sensor_or_stands_above_it(
    run_agent, observed: str, question: str, other: str | None
):
    host = Host()
    host.sensors[observed] = lambda: Symbol("high")
    host.asker = lambda question, reason: {"late": "low"}
    model = MockLLM({"q": {"risk": {"level": "low"} if "Any" in question else True}})
    machine = run_agent(f"OBSERVE {{ {observed} }} PLAN p WHEN 1 == 1 {{ {question} }}", host, model)
    assert machine.state.get(observed) == Symbol("high")
    assert taken(machine) == [observed.split(".", maxsplit=1)[0]]
    assert other is None or machine.state.get(other) is not UNDEFINED


@pytest.mark.parametrize("mute", [False, True])
def test_an_answer_called_as_a_mute_sensor_allows_nothing(run_agent, mute: bool):
    host, paid = paying({"risk": None if mute else Symbol("high")})
    host.sensors["s"] = lambda: 1
    run_agent(
        f"""OBSERVE {{ risk s }} {PAY} POLICY {{ ALLOW pay WHEN risk == low }}
        PLAN p WHEN s == 1 {{ REASON "r" {{ PRODUCE {{ risk: Symbol }} }} pay(amount = 1) }}""",
        host,
        MockLLM({"r": {"risk": "low"}}),
    )
    assert paid == []


def test_a_model_sets_no_fact_of_the_runtime(run_agent):
    model = MockLLM({"q": {"missing": 7, "still_failed": True, "other": 1}})
    machine = run_agent(
        'LOOP { REASON "q" { PRODUCE { missing: Number still_failed: Bool other: Number } } }', Host(), model
    )
    assert machine.state.get("reason.missing") == 0
    assert taken(machine) == ["reason.missing", "still_failed"]


def test_the_payload_as_a_whole_does_not_hide_a_sensor(run_agent):
    host, paid = paying({"payload.blocked": True}, blocked=False)
    program = (
        f"OBSERVE {{ payload.blocked }} {PAY} POLICY {{ NEVER pay WHEN payload.blocked == true ALLOW pay }}"
    )
    machine = run_agent(f"{program} {INVOICE}", host)
    assert paid == []
    assert "payload" in taken(machine)


@pytest.mark.parametrize("field", ["account.blocked", "check.blocked"])
def test_an_element_hides_neither_a_sensor_nor_the_answer_of_a_tool(run_agent, field: str):
    name = field.partition(".")[0]
    host, paid = paying({"account.blocked": True}, all=[{"blocked": False, "amount": 3}])
    machine = run_agent(
        f"""OBSERVE {{ account.blocked }} TOOL check {{ OUTPUT {{ blocked: Bool }} }} {PAY}
        POLICY {{ NEVER pay WHEN {field} == true ALLOW pay }}
        EVENT invoice {{ FOREACH {name} IN payload.all {{ pay(amount = {name}.amount) }} }}""",
        host,
    )
    assert paid == []
    assert field in taken(machine)


def test_memory_answers_for_no_observed_path(run_agent):
    host, paid = paying({"account.blocked": None})
    host.memory = {"LONG_TERM.account.blocked": []}
    program = f"""OBSERVE {{ account.blocked }} MEMORY {{ LONG_TERM {{ account.blocked }} }} {PAY}
        POLICY {{ NEVER pay WHEN account.blocked == true ALLOW pay }} {INVOICE}"""
    machine = run_agent(program, host)
    assert paid == []
    assert machine.state.get("account.blocked") is UNDEFINED


def test_an_effect_reads_a_sensor_not_a_part_of_an_argument(run_agent):
    host = Host()
    host.sensors["account.blocked"] = lambda: True
    host.tools["note"] = lambda account: {}
    host.emit("e", account={"blocked": False, "kind": "known"})
    machine = run_agent(
        """OBSERVE { account.blocked } TOOL note { INPUT { account: Any }
          EFFECT { seen.blocked = account.blocked  seen.kind = account.kind } }
        EVENT e { note(account = payload.account) } LOOP { OBSERVE UPDATE_BELIEFS SELECT_PLAN }""",
        host,
    )
    assert (machine.state.get("seen.blocked"), machine.state.get("seen.kind")) == (True, "known")


def test_a_plain_output_that_is_called_like_a_tool_is_read_as_ever(run_agent):
    host = Host()
    host.tools["look"] = lambda: {"check": "fine", "more": 1}
    tools = "TOOL check { OUTPUT { ok: Symbol } } TOOL look { OUTPUT { check: Symbol more: Int } }"
    machine = run_agent(f"{tools} LOOP {{ look() SET a.x = result.check SET a.y = result.more }}", host)
    assert (machine.state.get("a.x"), machine.state.get("a.y")) == (Symbol("fine"), 1)


def test_an_answer_that_is_another_persons_leaves_no_earlier_answer_behind(run_agent):
    host = Host()
    host.asker = lambda question, _: {"1": "yes", "2": {"ann": "yes"}}[question]
    machine = run_agent(
        'LOOP { ASK bob { QUESTION "1" } ASK bob { QUESTION "2" } } PLAN p { ASK ann { QUESTION "3" } }', host
    )
    assert machine.state.get("answer") is UNDEFINED
    assert machine.state.get("answer.bob") == {"ann": "yes"}
