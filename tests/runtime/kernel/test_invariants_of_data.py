"""What no program, host, model or person can undo: I6, I7, I8 and I10 of language.md §6.5.

Each is a property over generated programs and worlds, and each has a mutant, as those of test_invariants.py.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invariants import Invariants, few, run, values, words

import agentl.durable
from agentl import Host, ReplayDivergence, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.replay import JournalEnded, ReplayDriver
from agentl.interpreter import authorising, reasoning
from agentl.interpreter.core import Core
from agentl.interpreter.machine import Machine
from agentl.interpreter.names import Names
from agentl.provenance import NOTHING, is_untrusted

INVARIANTS = Invariants()
kept, mutant = INVARIANTS.kept, INVARIANTS.mutant


# ------------------------------------------------------------------------------------------------ I6


def spoil(value: Any) -> None:
    """Change all that can be changed in a value."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["forged"] = 666
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append(666)


@kept
@few
@given(st.dictionaries(words, values, max_size=3), st.lists(values, max_size=3))
def i6_what_an_approver_does_to_a_request_changes_nothing(first: dict, second: list) -> None:
    host, calls = Host(), []
    host.sensors["a.first"] = lambda: first
    host.sensors["a.second"] = lambda: second
    host.tools["act"] = lambda p, q: calls.append((p, q))

    def approve(request: Any) -> bool:
        asked.append((repr(request.args["p"]), repr(request.args["q"])))
        spoil(request.args)
        for item in request.args.values():
            spoil(item)
        return True

    asked: list[tuple[str, str]] = []
    host.approver = approve
    run(
        """OBSERVE { a.first a.second } TOOL act { INPUT { p: Any q: Any } }
        POLICY { REQUIRE APPROVAL FOR act } LOOP { OBSERVE act(a.first, a.second) }""",
        host,
    )
    assert [(repr(p), repr(q)) for p, q in calls] == asked


@mutant
def i6_an_approver_is_given_the_action_itself(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(authorising, "round_trip", lambda value: value)
    patch.setattr("agentl.kernel.deepcopy", lambda value: value)


# ------------------------------------------------------------------------------------------------ I7


def paying(amounts: list[int]) -> str:
    calls = "  ".join(f"pay(amount = {amount})" for amount in amounts)
    return f"AGENT a {{ TOOL pay {{ INPUT {{ amount: Int }} }} PLAN p WHEN 1 == 1 {{ {calls} }} }}"


@kept
@few
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(0, 4), st.integers(1, 3))
def i7_a_journal_serves_no_call_that_it_does_not_hold(amounts: list[int], place: int, extra: int) -> None:
    host = Host()
    host.tools["pay"] = lambda amount: None
    recorded = agentl.durable.DurableRun(
        parse_source(paying(amounts)).agents, host, store=agentl.durable.MemoryStore()
    )
    recorded.run(max_ticks=1)
    changed = parse_source(paying([*amounts[:place], extra, *amounts[place:]]))
    machine = Machine(changed, changed.agents[0], run_id=recorded.run_id, length=1)
    with pytest.raises(ReplayDivergence):
        drive(machine, ReplayDriver(recorded.journal.records, "journal"))


@mutant
def i7_any_record_serves(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("agentl.drivers.recorded.matches", lambda *_: True)
    patch.setattr(ReplayDriver, "_compare", lambda *_: None)


# ------------------------------------------------------------------------------------------------ I8

COPIES = [
    "SET {to} = {of}",
    "SET {to} = [{of}, 1]",
    "SET {to} = {of} == 5",
    "SET {to} = 1 == 1 OR {of} == 5",
    "SET {to} = len({of})",
    "SET {to} = max(1, {of})",
    "IF {of} == 5 THEN SET {to} = 1 ELSE SET {to} = 2",
    "IF {of} != 5 THEN SET {to} = 1 ELSE SET {to} = 2",
    "SET {to} = 1 IF {of} == 7 THEN SET {to} = 2",
    "SET {to} = 1 FOREACH item IN [{of}] MAX 1 {{ IF item == 7 THEN SET {to} = 2 }}",
    "LOOP UNTIL {of} == 7 MAX 2 {{ SET {to} = 1 }}",
    "FOREACH item IN [{of}] {{ SET {to} = item }}",
    "FOREACH item IN [{of}, 2] {{ SET {to} = 3 }}",
]


@kept
@few
@given(st.lists(st.sampled_from(COPIES), min_size=1, max_size=5))
def i8_what_is_made_of_a_payload_stays_untrusted(copies: list[str]) -> None:
    host = Host()
    host.emit("e", amount=5)
    steps = "  ".join(
        copy.format(of=f"k.{number}" if number else "k.first", to=f"k.{number + 1}")
        for number, copy in enumerate(copies)
    )
    machine = run(
        f"EVENT e {{ SET taken.it = amount + 0 }} LOOP {{ SELECT_PLAN SET k.first = taken.it {steps} }}", host
    )
    state = machine.state
    for number in range(len(copies)):
        assert is_untrusted(state.label(f"k.{number + 1}")), copies


@mutant
def i8_decisions_leave_no_trace(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Core, "context", lambda _core: NOTHING)


# ------------------------------------------------------------------------------------------------ I10

FACTS = [
    "gate.open",
    "gate",
    "tools.act.in_doubt",
    "action.risk",
    "action.tool",
    "confidence",
    "advice",
    "note",
]


@kept
@few
@given(st.dictionaries(st.sampled_from(FACTS), values | st.just(Symbol("yes"))))
def i10_a_model_alone_allows_nothing(answer: dict[str, Any]) -> None:
    class Talker:
        last_reason_missing = None

        def reason(self, *_: Any) -> Any:
            return answer

    host, calls = Host(), []
    host.sensors["gate.open"] = lambda: Symbol("no")
    host.tools["act"] = lambda: calls.append(1)
    run(
        """OBSERVE { gate.open } TOOL act { RISK HIGH }
        POLICY { ALLOW act WHEN gate.open == yes AND action.risk == HIGH }
        LOOP { OBSERVE UPDATE_BELIEFS REASON "Well?" { PRODUCE { advice: Symbol note: Any } } act() }""",
        host,
        Talker(),
    )
    assert calls == []


@mutant
def i10_a_model_writes_what_it_likes(patch: pytest.MonkeyPatch) -> None:
    settle = reasoning.settle
    patch.setattr(Names, "holds", lambda *_: False)
    patch.setattr(reasoning, "present", lambda _wanted, outcome: dict(outcome.value["fields"]))
    labels = defaultdict(lambda: reasoning.MODEL)
    patch.setattr(
        reasoning,
        "settle",
        lambda core, fields, answers: ({**settle(core, fields, answers)[0], **answers}, labels),
    )


test_the_property_holds, test_the_property_fails_on_its_mutant = INVARIANTS.pair_of_tests(
    {"i7": JournalEnded}  # the call would go beyond the journal, to the host
)
