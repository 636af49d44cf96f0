"""Permits and keys (language.md §6)."""

import ast
import copy
import dataclasses
import pickle
from pathlib import Path

import pytest

import agentl
from agentl import Host, PermitError, Symbol, current_action
from agentl.kernel import (
    Action,
    Kernel,
    Permit,
    action_digest,
    canonical_json,
    idempotency_key,
    present_permit,
)
from agentl.testing import dispatch


@pytest.fixture
def host() -> Host:
    host = Host()
    host.tools["pay"] = lambda amount: {"paid": amount}
    return host


def permit_for(amount: float = 5, *, sequence: int = 1) -> Permit:
    return Kernel("run", "a", "policy").mint("invoke", "pay", {"amount": amount}, tick=1, sequence=sequence)


def code_of(caught: pytest.ExceptionInfo[PermitError]) -> str:
    return caught.value.code


def test_a_permitted_action_is_performed(host: Host):
    permit = permit_for()
    with permit.active():
        assert host.invoke("pay", {"amount": 5}) == {"paid": 5}


def test_without_a_permit_nothing_is_called(host: Host):
    with pytest.raises(PermitError) as caught:
        host.invoke("pay", {"amount": 5})
    assert code_of(caught) == "P102"


def test_a_permit_cannot_be_forged():
    action = permit_for().action
    with pytest.raises(PermitError) as caught:
        Permit(action, mint=object())
    assert code_of(caught) == "P101"


def unlike_any_minted(target: str = "pay") -> Permit:
    """Build a permit around its constructor, as a host might try."""
    forged = object.__new__(Permit)
    forged.action = dataclasses.replace(permit_for().action, target=target)
    forged._void = False
    return forged


class Eager(Permit):
    """A permit of a host that claims to be any other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(())


def test_a_permit_that_was_built_by_hand_performs_nothing(host: Host):
    eager = object.__new__(Eager)
    eager.action = permit_for().action
    eager._void = False
    for forged in (unlike_any_minted(), eager, object.__new__(Permit)):
        with pytest.raises(PermitError) as caught, forged.active():
            host.invoke("pay", {"amount": 5})
        assert code_of(caught) == "P101"


@pytest.mark.parametrize(("target", "amount"), [("pay", 6), ("refund", 5)])
def test_a_permit_whose_action_was_exchanged_fits_nothing(host: Host, target: str, amount: int):
    permit = permit_for()
    other = Kernel("run", "a", "policy").mint("invoke", target, {"amount": amount}, tick=1, sequence=1)
    permit.action = other.action
    with permit.active(), pytest.raises(PermitError) as caught:
        host.invoke(target, {"amount": amount})
    assert code_of(caught) == "P106"


def test_a_permit_whose_action_became_one_of_another_kind_fits_nothing():
    permit = permit_for()
    permit.action = dataclasses.replace(permit.action, kind="delegate")
    with permit.active(), pytest.raises(PermitError) as caught:
        present_permit("delegate", "pay", dict(permit.action.arguments))
    assert code_of(caught) == "P106"


def test_a_permit_is_no_dataclass_to_replace_parts_of():
    with pytest.raises(TypeError):
        dataclasses.replace(permit_for(), action=permit_for(6).action)


def test_what_a_tool_does_to_its_action_changes_nothing(host: Host):
    host.tools["pay"] = lambda amount: current_action().arguments["amount"].append(9)
    permit = Kernel("run", "a", "policy").mint("invoke", "pay", {"amount": [5]}, tick=1, sequence=1)
    with permit.active():
        host.invoke("pay", {"amount": [5]})
    assert permit.action.arguments == {"amount": [5]}


def test_what_happens_to_the_arguments_after_minting_changes_nothing(host: Host):
    arguments = {"amount": [5]}
    permit = Kernel("run", "a", "policy").mint("invoke", "pay", arguments, tick=1, sequence=1)
    arguments["amount"].append(6)
    assert permit.action.arguments == {"amount": [5]}
    with permit.active(), pytest.raises(PermitError) as caught:
        host.invoke("pay", arguments)
    assert code_of(caught) == "P106"


def test_a_voided_permit_performs_nothing(host: Host):
    permit = permit_for()
    permit.void()
    with permit.active(), pytest.raises(PermitError) as caught:
        host.invoke("pay", {"amount": 5})
    assert code_of(caught) == "P103"


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, pickle.dumps, lambda permit: copy.deepcopy([permit])]
)
def test_a_permit_cannot_be_copied(duplicate):
    with pytest.raises(PermitError) as caught:
        duplicate(permit_for())
    assert code_of(caught) == "P101"


def test_a_permit_is_spent_by_one_call(host: Host):
    with permit_for().active():
        host.invoke("pay", {"amount": 5})
        with pytest.raises(PermitError) as caught:
            host.invoke("pay", {"amount": 5})
    assert code_of(caught) == "P104"


@pytest.mark.parametrize(
    ("kind", "target", "arguments", "code"),
    [
        ("invoke", "refund", {"amount": 5}, "P105"),
        ("delegate", "pay", {"amount": 5}, "P105"),
        ("invoke", "pay", {"amount": 6}, "P106"),
        ("invoke", "pay", {"amount": 5.0}, "P106"),
        ("invoke", "pay", {"amount": Symbol("5")}, "P106"),
        ("invoke", "pay", {}, "P106"),
    ],
)
def test_a_permit_fits_one_action_only(kind, target: str, arguments: dict, code: str):
    with permit_for().active(), pytest.raises(PermitError) as caught:
        present_permit(kind, target, arguments)
    assert code_of(caught) == code


@pytest.mark.parametrize(
    ("permitted", "given"),
    [
        ({"amount": 1}, {"amount": True}),
        ({"amount": 0.0}, {"amount": -0.0}),
        ({"amount": 5}, {"amount": 5, "again": 5}),
        ({"amount": 5, "again": 5}, {"amount": 5}),
        ({"amount": 5, "fee": 6}, {"amount": 6, "fee": 5}),
        ({"amount": 5, "fee": 6}, {"fee": 5, "amount": 6}),
        ({"amount": 5, "fee": 6}, {"amount": 5, "fees": 6}),
        ({"amount": [5]}, {"amount": [6]}),
        ({"amount": [5]}, {"amount": (5,)}),
    ],
    ids=str,
)
def test_a_permit_fits_no_arguments_but_its_own(permitted: dict, given: dict):
    permit = Kernel("run", "a", "policy").mint("invoke", "pay", permitted, tick=1, sequence=1)
    with permit.active():
        with pytest.raises(PermitError) as caught:
            present_permit("invoke", "pay", given)
        assert code_of(caught) == "P106"
        present_permit("invoke", "pay", dict(reversed(permitted.items())))


@pytest.mark.parametrize(
    ("amount", "change"),
    [
        (5, lambda arguments: arguments.update(amount=6)),
        ([5], lambda arguments: arguments.update(amount=[6])),
        ([5], lambda arguments: arguments["amount"].append(6)),
    ],
)
def test_what_is_done_to_the_arguments_of_its_action_changes_nothing(host: Host, amount: object, change):
    permit = Kernel("run", "a", "policy").mint("invoke", "pay", {"amount": amount}, tick=1, sequence=1)
    change(permit.action.arguments)
    with permit.active(), pytest.raises(PermitError) as caught:
        host.invoke("pay", permit.action.arguments)
    assert code_of(caught) == "P106"


class Claiming(str):
    """A target that claims to be the permitted one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash("pay")


def test_a_target_that_claims_to_be_another_is_seen_through():
    permit = permit_for()
    with permit.active(), pytest.raises(PermitError) as caught:
        present_permit("invoke", Claiming("refund"), dict(permit.action.arguments))
    assert code_of(caught) == "P106"


def test_minting_voids_the_permit_before(host: Host):
    kernel = Kernel("run", "a", "policy")
    first = kernel.mint("invoke", "pay", {"amount": 5}, tick=1, sequence=1)
    kernel.mint("invoke", "pay", {"amount": 5}, tick=1, sequence=2)
    with first.active(), pytest.raises(PermitError) as caught:
        host.invoke("pay", {"amount": 5})
    assert code_of(caught) == "P103"


def test_a_permit_is_active_inside_its_block_only(host: Host):
    permit = permit_for()
    with permit.active():
        pass
    with pytest.raises(PermitError):
        host.invoke("pay", {"amount": 5})
    with pytest.raises(PermitError):
        current_action()


def test_a_tool_reads_its_action(host: Host):
    seen: list[Action] = []
    host.tools["pay"] = lambda amount: seen.append(current_action())
    dispatch(host, "pay", {"amount": 5}, attempt=3)
    action = seen[0]
    assert (action.kind, action.target, action.arguments, action.attempt) == (
        "invoke",
        "pay",
        {"amount": 5},
        3,
    )
    assert action.action_id == "test:test:t1:a1"
    assert len(action.idempotency_key) == 32


def test_dispatch_awaits_async_tools_and_lets_errors_out(host: Host):
    @host.tool("slow")
    async def slow(word: str) -> dict:
        return {"word": word, "id": current_action().action_id}

    assert dispatch(host, "slow", {"word": "x"}) == {"word": "x", "id": "test:test:t1:a1"}
    with pytest.raises(KeyError):
        dispatch(host, "nothing")


def test_ids_and_keys_say_what_they_are_made_of():
    permit = permit_for(sequence=7)
    digest = action_digest("invoke", "pay", {"amount": 5})
    assert permit.action.action_id == "run:a:t1:a7"
    assert permit.action.digest == digest
    assert permit.action.idempotency_key == idempotency_key("run", "a", 7, digest)
    keys = {
        idempotency_key(*parts)
        for parts in [
            ("run", "a", 7, digest),
            ("run2", "a", 7, digest),
            ("run", "b", 7, digest),
            ("run", "a", 8, digest),
        ]
    }
    assert len(keys) == 4


def test_the_tick_is_not_part_of_the_key():
    kernel = Kernel("run", "a", "policy")
    keys = {kernel.mint("invoke", "pay", {}, tick=tick, sequence=1).action.idempotency_key for tick in (1, 2)}
    assert len(keys) == 1


def test_the_canonical_text_of_a_value_is_written_as_digests_before_it_were():
    value = {"b": [1, 2.5, True, None], Symbol("a"): (-0.0,), "a": {"é"}, 2: b"\x00", "n": float("inf")}
    assert canonical_json(value) == (
        '["dict",[["a",["set",["\\u00e9"]]],["b",["list",[1,2.5,true,null]]],["n",["float","inf"]],'
        '[2,["bytes","00"]],[["symbol","a"],["tuple",[-0.0]]]]]'
    )
    assert canonical_json(2**70) == '["int","0x400000000000000000"]'


def test_canonical_values_tell_kinds_apart_and_forget_the_order_of_keys():
    assert canonical_json({"a": 1, "b": 2}) == canonical_json({"b": 2, "a": 1})
    values = [
        1,
        1.5,
        True,
        "1",
        Symbol("1"),
        None,
        [1],
        (1,),
        {"1": 1},
        float("nan"),
        float("inf"),
        b"1",
        {1: 1},
    ]
    assert len({canonical_json(value) for value in values}) == len(values)


# ------------------------------------------------------------------------------------------------ in a run


def test_a_tool_that_calls_another_without_a_permit_aborts_the_run(run_agent):
    host, calls = Host(), []
    host.tools["act"] = lambda: host.invoke("pay", {"amount": 5})
    host.tools["pay"] = calls.append
    with pytest.raises(PermitError) as caught:
        run_agent("TOOL { act pay(amount: Number) } LOOP { act() }", host)
    assert code_of(caught) == "P105"
    assert calls == []


def test_a_tool_that_calls_itself_again_aborts_the_run(run_agent):
    host, calls = Host(), []

    def act() -> dict:
        calls.append(1)
        try:
            return host.invoke("act", {})
        except Exception:  # noqa: BLE001  # what a careless host would write
            return {}

    host.tools["act"] = act
    with pytest.raises(PermitError):
        run_agent("TOOL { act } LOOP { act() }", host)
    assert calls == [1]


def test_a_sensor_that_calls_a_tool_aborts_the_run(run_agent):
    host = Host()
    host.sensors["a.b"] = lambda: host.invoke("act", {})
    host.tools["act"] = dict
    with pytest.raises(PermitError):
        run_agent("OBSERVE { a.b } TOOL { act }", host)


def test_permits_are_counted_over_the_whole_run(run_agent):
    host, ids = Host(), []
    host.tools["act"] = lambda: ids.append(current_action().action_id) or {}
    run_agent("TOOL { act } LOOP { act() act() }", host, ticks=2)
    assert ids == ["run:a:t1:a1", "run:a:t1:a2", "run:a:t2:a3", "run:a:t2:a4"]


def test_one_module_alone_asks_a_host_to_act():
    """I1 of language.md §6.5: whatever else reached a host's dispatch would have no permit; nothing tries."""
    package = Path(agentl.__file__).parent
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in {"invoke", "delegate", "compensate"}
        and isinstance(node.value, ast.Attribute | ast.Name)
        and "host" in ast.unparse(node.value)
    }
    assert found == {"drivers/live.py", "testing.py"}
