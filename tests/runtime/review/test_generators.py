"""D211: host functions with a yield, and what looks like one."""

import pytest
from review_samples import found

PROGRAM = """AGENT a {
  OBSERVE { x.y }
  TOOL pay { INPUT { n: Number } SIDE_EFFECT { bank } }
  PLAN p WHEN x.y == 1 { pay(n = 1) DELEGATE helper { TASK "help" } }
}
"""
HOST = "from contextlib import contextmanager\nfrom agentl import Host\nhost = Host()\n"


@pytest.mark.parametrize(
    "script",
    [
        '@host.tool("pay")\ndef pay(n):\n    yield n\n',
        '@host.tool("pay", timeout=3)\nasync def pay(n):\n    yield n\n',
        '@host.reconciler("pay")\ndef find(args, action):\n    yield from args\n',
        '@host.compensation("pay")\ndef undo(args, result, action):\n    if args:\n        yield\n',
        '@host.subagent("helper")\ndef helper(payload):\n    x = yield\n',
        'def read():\n    yield 1\nhost.sensors["x.y"] = read\n',
        'host.tools["pay"] = lambda n: (yield n)\n',
    ],
)
def test_a_function_with_a_yield_is_told_where_it_stands(script: str):
    (problem,) = found(PROGRAM, HOST + script, "D211")
    assert problem.related[0].name is not None
    assert problem.hint is not None


@pytest.mark.parametrize(
    "script",
    [
        '@host.tool("pay")\ndef pay(n):\n    def inner():\n        yield n\n    return list(inner())\n',
        '@host.tool("pay")\ndef pay(n):\n    return sum(i for i in range(n))\n',
        '@host.tool("pay")\n@contextmanager\ndef pay(n):\n    yield n\n',
        '@host.tool("other")\ndef other(n):\n    yield n\n',
        "def unused():\n    yield 1\n",
    ],
)
def test_what_runs_when_it_is_called_is_not_told(script: str):
    assert found(PROGRAM, HOST + script, "D211") == []
