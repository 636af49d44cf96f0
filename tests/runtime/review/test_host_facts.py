"""What the checks are told of a host script."""

import pytest

from agentl.checks import checked, host_facts
from agentl.host.source import read_host
from agentl_grammar.checks import HostFacts
from agentl_grammar.parser import parse
from agentl_grammar.source import Source


def facts(*lines: str) -> HostFacts | None:
    text = "\n".join(("from agentl import Host", "host = Host()", *lines))
    return host_facts(read_host(Source(text, "host.py")))


def test_a_tool_without_a_promise_is_told():
    assert facts("@host.tool('t')", "def t(): ...") == HostFacts(frozenset({"t"}))


@pytest.mark.parametrize(
    "lines",
    [
        ("@host.tool('t', idempotent=True)", "def t(): ..."),
        ("@host.tool('t')", "def t(): ...", "@host.reconciler('t')", "def r(args, context): ..."),
        ("@host.tool('t', idempotent=flag)", "def t(): ..."),
    ],
)
def test_a_tool_with_a_promise_or_perhaps_one_is_not(lines):
    assert facts(*lines) == HostFacts()


def test_compensations_are_told():
    found = facts(
        "@host.tool('t', idempotent=True)", "def t(): ...", "@host.compensation('t')", "def back(): ..."
    )
    assert found == HostFacts(compensated=frozenset({"t"}))


def test_of_a_host_that_registers_at_run_time_not_all_is_known():
    found = facts("for name in names:", "    host.tools[name] = print")
    assert found is not None
    assert not found.complete


def test_of_no_host_and_of_no_python_nothing_is_known():
    assert host_facts(None) is None
    assert host_facts(read_host(Source("def :", "host.py"))) is None


def test_facts_of_the_runtime_that_are_set_are_told_in_their_place():
    result = parse("AGENT a { BELIEF { tools.t.in_doubt = no } GOAL { foo(1) == 2 } }")
    assert [problem.code for problem in checked(result)] == ["E019", "E015"]
