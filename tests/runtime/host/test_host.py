"""The Host and its events (language.md §8.2, durability.md §10)."""

import pytest

from agentl import NOT_EXECUTED, Host, HostError, Symbol, current_action
from agentl.host.registry import CallOptions
from agentl.testing import dispatch


def test_what_is_registered_is_found_under_its_name():
    host = Host()

    @host.sensor("air.temp")
    def temperature() -> int:
        return 21

    @host.tool("heat", idempotent=True, retries=3, timeout=30)
    def heat() -> dict:
        return {}

    @host.reconciler("heat")
    def find(args: dict, action: object) -> object:
        return (args, action)

    @host.subagent("helper")
    def helper(inputs: dict) -> dict:
        return inputs

    assert (host.sensors["air.temp"], host.tools["heat"]) == (temperature, heat)
    assert (host.reconcilers["heat"], host.subagents["helper"]) == (find, helper)
    assert host.idempotent_tools == {"heat"}
    assert host.options("heat") == CallOptions(retries=3, timeout=30)
    assert host.options("other") == CallOptions(retries=0, timeout=None)
    assert host.read("air.temp") == 21
    assert host.read("nothing") is None
    assert host.reconcile("heat", {"p": 1}, "action") == ({"p": 1}, "action")


def test_idempotence_is_the_first_promise():
    host = Host()
    host.reconcilers["a"] = host.reconcilers["b"] = lambda args, action: NOT_EXECUTED
    host.idempotent_tools.add("a")
    assert [host.promise(name) for name in ("a", "b", "c")] == ["idempotent", "reconcilable", "none"]


def test_without_people_nobody_approves_and_nobody_answers():
    host = Host()
    assert host.approve(None) is None
    assert host.ask("Who?", None) == Symbol("no_answer")


def test_events_before_the_run_are_kept_in_order_with_ids_of_their_own():
    host = Host()
    host.emit("a.b", x=1)
    host.emit("c.d", source="a payload may have this key", self=2)
    assert host.drain() == [
        {"id": "build:0", "source": "a.b", "payload": {"x": 1}},
        {"id": "build:1", "source": "c.d", "payload": {"source": "a payload may have this key", "self": 2}},
    ]
    assert host.drain() == []


def test_a_sink_receives_what_waits_first_and_then_each_event():
    host, inbox = Host(), []
    host.emit("a.b")
    host.deliver_to(inbox.append)
    host.emit("c.d")
    assert [event["source"] for event in inbox] == ["a.b", "c.d"]
    assert inbox[0]["id"] == "build:0"
    assert ":" not in inbox[1]["id"]
    assert host.drain() == []
    host.deliver_to(None)
    host.emit("e.f")
    assert [event["source"] for event in host.drain()] == ["e.f"]


def test_events_inside_a_tool_are_named_by_their_action_and_again_so_when_it_is_sent_again():
    host, inbox = Host(), []
    host.deliver_to(inbox.append)

    @host.tool("act")
    def act() -> dict:
        host.emit("first")
        host.emit("second")
        return {"key": current_action().idempotency_key}

    dispatch(host, "act")
    dispatch(host, "act", attempt=2)
    assert [event["id"] for event in inbox] == ["test:test:t1:a1:0", "test:test:t1:a1:1"] * 2


def test_other_events_have_random_ids():
    host, inbox = Host(), []
    host.deliver_to(inbox.append)
    host.emit("a")
    host.emit("a")
    assert inbox[0]["id"] != inbox[1]["id"]


def test_an_unknown_tool_or_reconciler_is_a_key_error():
    with pytest.raises(KeyError):
        dispatch(Host(), "act")
    with pytest.raises(KeyError):
        Host().reconcile("act", {}, None)


@pytest.mark.parametrize(
    ("option", "value", "due"),
    [
        *(("timeout", value, "seconds above 0") for value in ("30", 0, -1, float("nan"), float("inf"), True)),
        *(("retries", value, "a whole number from 0") for value in (-1, 1.5, "2", True, None)),
        *(("idempotent", value, "True or False") for value in ("no", 1, None)),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_where_it_stands(option: str, value: object, due: str):
    host = Host()
    with pytest.raises(HostError) as refused:
        host.tool("pay", **{option: value})
    assert refused.value.code == "H104"
    assert str(refused.value.message).startswith(f"the tool pay: {option} is {value!r}, not ")
    assert due in str(refused.value.message)
    assert (host.tools, host.idempotent_tools, host.options("pay")) == ({}, set(), CallOptions())


@pytest.mark.parametrize("kind", ["sensor", "tool", "reconciler", "subagent"])
@pytest.mark.parametrize("name", [lambda: 1, "", None])
def test_a_decorator_without_a_name_is_refused(kind: str, name: object):
    with pytest.raises(HostError, match=f"H104: @host.{kind} needs a name") as refused:
        getattr(Host(), kind)(name)
    assert str(refused.value.action) == f'write @host.{kind}("name")'


def test_options_in_their_bounds_are_taken():
    host = Host()
    host.tool("a", timeout=0.001, retries=0)
    host.tool("b", timeout=None, retries=100)
    assert (host.options("a").timeout, host.options("b").retries) == (0.001, 100)
