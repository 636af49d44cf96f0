"""The table of codes, and the trace of a small story as a person reads it (language.md §8.5)."""

import ast
import string
from pathlib import Path

from agentl import Host, InDoubt, Symbol
from agentl.run_state import RunState
from agentl.trace import Trace
from agentl.trace_codes import CODES

KINDS = frozenset(
    {
        "TICK",
        "OBSERVE",
        "BELIEF",
        "GOAL",
        "PLAN",
        "STEP",
        "TOOL",
        "BLOCKED",
        "APPROVAL",
        "VERIFY_OK",
        "VERIFY_FAIL",
        "LLM",
        "MEMORY",
        "EVENT",
        "ASK",
        "DELEGATE",
        "ERROR",
        "INFO",
        "RETRY",
        "BAYES",
        "PLANNER",
        "MESSAGE",
        "SHARED",
        "POLICY",
    }
)
INTERPRETER = Path(__file__).parents[3] / "runtime" / "agentl" / "interpreter"


def emitted() -> dict[str, set[str]]:
    """Return each code that the interpreter can emit, with the names of its arguments (** counts as all)."""
    found: dict[str, set[str]] = {}
    for file in INTERPRETER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            codes = [
                c.value
                for a in node.args
                for c in ast.walk(a)
                if isinstance(c, ast.Constant) and c.value in CODES
            ]
            names = {keyword.arg for keyword in node.keywords if keyword.arg}
            emits = isinstance(node.func, ast.Attribute) and node.func.attr == "emit"
            for code in codes if names or emits else ():  # a local may have the name of a code
                found.setdefault(code, names)
    return found


def test_every_code_is_emitted_and_carries_what_its_text_shows():
    found = emitted()
    assert set(found) == set(CODES)
    for code, (kind, template) in CODES.items():
        assert kind in KINDS
        shown = {name for _, name, _, _ in string.Formatter().parse(template) if name}
        assert shown <= found[code], code


def test_a_story_reads_as_it_happened(run_agent):
    host = Host()
    orders = [{"id": "o-1", "amount": 250.0}]
    host.sensors["queue.next"] = lambda: orders[0]

    @host.tool("pay")
    def pay(order: str, amount: float) -> dict:
        raise InDoubt("the line went dead")

    host.tools["tell"] = lambda text: {"sent": True}
    host.approver = lambda request: "yes"
    machine = run_agent(
        """
        GOAL settled { MAINTAIN paid == yes }
        OBSERVE { queue.next }
        TOOL pay { INPUT { order: String amount: Number } RISK HIGH SIDE_EFFECT { bank } }
        TOOL tell { INPUT { text: String } OUTPUT { sent: Bool } EFFECT { told.once = yes } }
        POLICY { NEVER pay WHEN tools.pay.in_doubt == true  REQUIRE APPROVAL FOR pay WHEN amount > 100 }
        PLAN pay_next WHEN told.once != yes {
          STEP send { pay(order = queue.next.id, amount = queue.next.amount) }
          STEP again { pay(order = queue.next.id, amount = queue.next.amount)
                       tell(text = "Look at the bank.") }
        }
        """,
        host,
    )
    assert machine.trace.render() == (
        "[t1] TICK        tick 1\n"
        '[t1] OBSERVE     queue.next = {id: "o-1", amount: 250.0}\n'
        '[t1] BELIEF      queue.next = {id: "o-1", amount: 250.0}\n'
        "[t1] GOAL        settled: 0.0\n"
        "[t1] PLAN        pay_next is queued\n"
        "[t1] PLAN        pay_next starts\n"
        "[t1] STEP        pay_next / send\n"
        '[t1] APPROVAL    pay(order="o-1", amount=250.0) needs approval: '
        "REQUIRE APPROVAL FOR pay WHEN amount > 100\n"
        "[t1] APPROVAL    pay is approved\n"
        '[t1] ERROR       pay(order="o-1", amount=250.0) may have happened: the line went dead\n'
        "[t1] STEP        pay_next / again\n"
        '[t1] BLOCKED     pay(order="o-1", amount=250.0) is denied: '
        "NEVER pay WHEN tools.pay.in_doubt == true\n"
        '[t1] TOOL        tell(text="Look at the bank.") → {sent: true}\n'
        "[t1] BELIEF      told.once = yes is expected after tell, confidence 0.8\n"
        "[t1] PLAN        pay_next is done\n"
        "[t1] GOAL        settled: 0.0\n"
    )
    assert machine.state.get("told.once") == Symbol("yes")


def test_a_protected_text_is_masked_under_another_name_and_inside_an_error(run_agent):
    host = Host()
    host.sensors["card.pin"] = lambda: "HUSH-2931"

    def pay(k: str) -> None:
        raise ValueError(f"bad pin {k}")

    host.tools["pay"] = pay
    machine = run_agent(
        "OBSERVE { card.pin } TOOL { pay(k) } POLICY { NEVER SEND card.pin }"
        " LOOP { OBSERVE SET my.copy = card.pin pay(k = card.pin) pay(k = my.copy) }",
        host,
    )
    assert "HUSH" not in machine.trace.render()
    assert machine.trace.render().count("[redacted]") >= 5


def test_a_trace_that_keeps_none_hands_every_event_on(run_agent):
    program = "BELIEF { n = 1 } MEMORY { log WRITE { STORE n INTO LONG_TERM.log } }"
    kept, heard = run_agent(program, ticks=2), []
    trace = Trace(RunState())
    trace.subscribe(heard.append)
    trace.keep_none()
    for event in kept.trace.events:
        trace.emit(event.code, **event.arguments)
    assert trace.events == []
    assert [event.code for event in heard] == [event.code for event in kept.trace.events]
