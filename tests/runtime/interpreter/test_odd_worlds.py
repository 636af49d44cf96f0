"""Whatever a host or a model gives, a run goes on, and what it shows is one line an event."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentl import UNDEFINED, Host, InDoubt, MockLLM, Symbol, parse_source
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine
from agentl.run_state import RunState
from agentl.values import Datetime

TEXT = """
AGENT odd {
  GOAL g { MAINTAIN a.x > b.y  TARGET { a.x IN b.y } }
  BELIEF { mood = calm  c.z = 1 }
  OBSERVE { a.x ON UNKNOWN ESCALATE  b.y ON UNKNOWN DEGRADE a.x + 1  c.z WHEN a.x != b.y }
  TOOL act { INPUT { n: Number s: Symbol t: String l: Any } OUTPUT { o: Any i: Int b: Bool }
             SIDE_EFFECT { a.x } EFFECT { a.x = n, b.y = a.x * 2 } REQUIRES { len(a.x) != 77 } }
  TOOL { free }
  POLICY { DENY act WHEN action.args.n > a.x  NEVER free WHEN a.x == b.y AND NOT o == c.z  NEVER SEND a.x.k
           REQUIRE APPROVAL FOR free WHEN CONFIDENCE(a.x) < 0.9 OR UNCERTAINTY(free) > 0.1 }
  EVENT bell { WHEN payload.k != no SET got = k  THEN more }
  PLAN more WHEN a.x OR b.y {
    REASON "r" { PRODUCE { f: Number IN [0, 1] DEFAULT 0.5  w: Symbol IN [p, q]  v: Bool  any } }
    act(n = f, s = w, t = any, l = a.x)  act(1, word, "text", b.y)  free(a.x, x = o)
    IF -a.x < round(b.y) THEN SET c.z = a.x / b.y ELSE SET c.z = [a.x, b.y, o]
    LOOP UNTIL a.x.k == b.y.k MAX 2 { ASK person "q" DEFAULT a.x - 1 }
    VERIFY { a.x == min(b.y, f) ON FAIL { RETRY 1 SET c.z = abs(o) ESCALATE } }
  }
  LOOP UNTIL goal.satisfied MAX 2 { OBSERVE UPDATE_BELIEFS EVALUATE_GOALS SELECT_PLAN EXECUTE VERIFY }
}
"""
PROGRAM = parse_source(TEXT)
SCALARS = st.sampled_from(
    [None, True, False, 0, -1, 3, 2**70, 0.5, float("nan"), float("inf"), "", "text", "12", "\ud800\x1b[2J\n"]
    + [Symbol(word) for word in ("yes", "no", "unknown", "HIGH")]
    + [UNDEFINED, Datetime("2026-13-99"), Datetime("2026-07-26"), b"x", object(), 1j]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["k", "o", "i", "b", "$x"]), inner)
    ),
    max_leaves=6,
)
RAISED = st.sampled_from([ValueError("bad"), InDoubt("perhaps"), KeyError(3), RuntimeError("\n\x1b[31m")])


def host_of(answers: Iterator[object]) -> Host:
    def answer(*_: object, **__: object) -> object:
        value = next(answers)
        if isinstance(value, Exception):
            raise value
        return value

    host = Host()
    host.sensors = dict.fromkeys(("a.x", "b.y", "c.z"), answer)
    host.tools = dict.fromkeys(("act", "free"), answer)
    host.approver = host.asker = answer
    return host


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(VALUES | RAISED, min_size=1, max_size=25), VALUES)
def test_a_run_goes_on(answers: list[object], payload: object):
    def cycle() -> Iterator[object]:
        while True:
            yield from answers

    endless = cycle()
    host = host_of(endless)
    host.emit("bell", k=payload, o=1)

    class Model(MockLLM):
        def reason(self, task: str, context: dict, schema: dict) -> object:
            value = next(endless)
            return {"f": value, "w": value, "v": next(endless), "any": next(endless)}

    machine = Machine(PROGRAM, PROGRAM.agents[0])
    with LiveDriver(host, Model()) as live:
        drive(machine, live)
    assert RunState.decoded(machine.state.encoded()).digest() == machine.state.digest()
    lines = machine.trace.render().splitlines()
    assert len(lines) == len(machine.trace.events)
    assert all(line.isprintable() and line.encode("utf-8") for line in lines)


@pytest.mark.parametrize("value", ["a\nb", "\x1b[2J", "\u202eevil", "\ud800", "\x9b"])
def test_what_steers_a_terminal_is_shown_escaped(run_agent, value: str):
    host = Host()
    host.sensors["a.b"] = lambda: value
    host.emit(value, x=Symbol(value))
    text = run_agent("OBSERVE { a.b }", host).trace.render()
    assert value not in text
    assert ascii(value)[1:-1] in text
