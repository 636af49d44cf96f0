"""D207 and D208: what the functions of a host script do, followed through the file."""

from __future__ import annotations

from textwrap import indent

import pytest
from review_samples import found, line_of

from agentl.host.source import read_host
from agentl_grammar.source import Source

PROGRAM = """\
AGENT a {
  TOOL pay { INPUT { amount: Number } OUTPUT { at: Number } SIDE_EFFECT { ledger } }
  POLICY { NEVER pay WHEN tools.pay.in_doubt == true }
  PLAN p WHEN pay.at > 3 { pay(amount=1) }
}
"""
HEAD = "from agentl import NOT_EXECUTED, Host, current_action\nimport agentl\nhost = Host()\n"


# ----------------------------------------------------------------------------------------------- D207


def tool(body: str, more: str = "", options: str = "idempotent=True") -> str:
    return f"{HEAD}{more}\n@host.tool('pay', {options})\ndef pay(amount):\n{indent(body, '    ')}\n"


BARE = "bank.pay(amount)\nreturn {'at': 1}"
WITH_KEY = {
    "in the making of a request": "http.send(Request(amount))",
    "in a field of a request": "http.send(Payment(amount))",
    "in a property": "keys = Bank().keys\nbank.pay(amount, keys)",
    "in a function that is handed on": "bank.retried(send, amount)",
    "in a lambda that is handed on": "bank.retried(lambda: bank.pay(current_action().idempotency_key))",
    "the key": "bank.pay(amount, current_action().idempotency_key)",
    "the action by name, in a lambda": "action = current_action()\nbank.retried(lambda: send_as(action))",
    "the action by name": "action = current_action()\nlog(action.attempt)\nbank.pay(amount, action)",
    "the key by name": "action = current_action()\nbank.pay(amount, action.idempotency_key)",
    "the whole action": "bank.pay(amount, agentl.current_action())",
    "in a helper": "send(amount)",
    "in a method": "Bank().send_it(amount)",
    "said to need none, inside": "# agentl: naturally idempotent\nbank.set(amount)",
}
HELPERS = (
    "def send(amount):\n    bank.pay(amount, current_action().idempotency_key)\n"
    "class Bank:\n    def send_it(self, amount):\n        send(amount)\n"
    "    @property\n    def keys(self):\n        return {'key': current_action().idempotency_key}\n"
    "class Request:\n    def __init__(self, amount):\n        self.key = current_action().idempotency_key\n"
    "class Payment:\n    key: str = field(default_factory=lambda: current_action().idempotency_key)\n"
    "class Other:\n    def __init__(self, amount):\n        self.amount = amount\n"
)


@pytest.mark.parametrize("case", WITH_KEY)
def test_function_that_reads_its_key(case: str):
    assert found(PROGRAM, tool(WITH_KEY[case], HELPERS), "D207") == []


@pytest.mark.parametrize(
    "body",
    [
        BARE,
        "http.send(Other(amount))",
        "log(current_action().target)\nbank.pay(amount)",
        "print(current_action().action_id)\nbank.pay(amount)",
        "action = current_action()\nlog(action.attempt)\nbank.pay(amount)",
    ],
)
def test_function_that_never_reads_its_key(body: str):
    host = tool(body, HELPERS)
    (problem,) = found(PROGRAM, host, "D207")
    assert line_of(problem, host) == "def pay(amount):"


KEYED = """\
def keyed(name):
    def decorate(function):
        def inner(**args):
            return function(headers={name: current_action().idempotency_key}, **args)
        return inner
    return decorate
def named(name):
    def decorate(function):
        def inner(**args):
            return function(name=name, **args)
        return inner
    return decorate
"""


def test_decorator_of_the_file_may_hand_the_key_on():
    host = (
        "{}@host.tool('pay', idempotent=True)\n@{}('key')\ndef pay(amount, headers):\n    bank.pay(headers)\n"
    )
    assert found(PROGRAM, host.format(HEAD + KEYED, "keyed"), "D207") == []
    assert len(found(PROGRAM, host.format(HEAD + KEYED, "named"), "D207")) == 1


@pytest.mark.parametrize(
    "registered",
    ["host.tools['pay'] = Pay()", "host.tools['pay'] = make(3)", "pay = Pay()\nhost.tools['pay'] = pay"],
)
def test_object_or_factory_without_key(registered: str):
    functions = (
        "class Pay:\n    def __call__(self, amount):\n        bank.pay(amount{0})\n"
        "def make(x):\n    def inner(amount):\n        bank.pay(amount{0})\n    return inner\n"
    )
    promise = "host.idempotent_tools.add('pay')\n"
    bare, keyed = (functions.format(key) for key in ("", ", current_action().idempotency_key"))
    assert len(found(PROGRAM, f"{HEAD}{bare}{registered}\n{promise}", "D207")) == 1
    assert found(PROGRAM, f"{HEAD}{keyed}{registered}\n{promise}", "D207") == []


def test_comment_above_the_registration_silences_it_and_one_elsewhere_does_not():
    comment = "# agentl: naturally idempotent"
    assert found(PROGRAM, tool(BARE, comment), "D207") == []
    assert (
        found(PROGRAM, f"{HEAD}host.tool('pay', idempotent=True)(lambda amount: {{}})  {comment}\n", "D207")
        == []
    )
    assert len(found(PROGRAM, tool(BARE, f"{comment}\nx = 1"), "D207")) == 1


@pytest.mark.parametrize("options", ["idempotent=False", "idempotent=switch"])
def test_tool_that_does_not_surely_promise_claims_nothing(options: str):
    assert found(PROGRAM, tool(BARE, options=options), "D207") == []


def test_tool_that_only_reads_needs_no_key():
    assert found(PROGRAM.replace(" SIDE_EFFECT { ledger }", ""), tool(BARE), "D207") == []


# ----------------------------------------------------------------------------------------------- D208

READS = {
    "the clock in a test": "import time\nif time.time() > 5:\n    bank.pay(amount)\nreturn {}",
    "the clock under another name": "from time import time as now\nif now() > 5:\n    pass\nreturn {}",
    "a date by way of a name": (
        "import datetime as dt\nhour = dt.datetime.now().hour\nlate = hour > 17\nif late:\n    return {}"
    ),
    "an output that a plan reads": "import time\nreturn {'at': time.time()}",
    "an output by way of a name": "import time\nanswer = {'at': time.time()}\nreturn answer",
    "chance in a test": "import random\nwhile random.random() < 0.5:\n    bank.pay(amount)",
    "chance by name": "from random import choice\nx = choice([1, 2])\nassert x == 1",
    "an id that is chance": "import uuid\nreturn {'at': uuid.uuid4().int}",
    "the environment": "import os\nif os.environ.get('DRY_RUN'):\n    return {}\nbank.pay(amount)",
    "the environment, as an item": "import os\nreturn {} if os.environ['DRY'] == 'yes' else bank.pay(amount)",
    "getenv": "from os import getenv\nmatch getenv('MODE'):\n    case 'dry':\n        return {}",
    "a global that another function sets": "if LIMIT < amount:\n    return {}",
    "a global that is changed in place": "if amount in SEEN:\n    return {}\nSEEN.add(amount)",
    "a helper's answer": "if is_late():\n    return {}",
    "a helper that decides": "return guarded(amount)",
    "a helper that is given it": "import time\nreturn judged(time.time())",
    "an alias": "clock = __import__\nif wall() > 5:\n    return {}",
}
GLOBALS = """\
import time
LIMIT = 5
SEEN = set()
NAMES = ["a"]
wall = time.time
def raise_limit():
    global LIMIT
    LIMIT = 7
def is_late():
    return time.localtime().tm_hour > 17
def guarded(amount):
    if time.time() > 5:
        return {}
    return {}
def judged(moment):
    return {} if moment > 5 else {}
"""
HARMLESS = {
    "the clock as an argument": "bank.pay(amount, at=time.time())\nreturn {}",
    "an output that nothing reads": "return {'seen': time.time()}",
    "how long it takes": "start = time.monotonic()\nwhile time.monotonic() - start < 5:\n    pass",
    "the environment as an address": "import os\nbank.connect(os.environ['BANK'])\nreturn {}",
    "a constant": "if amount in NAMES:\n    return {}",
    "a name of its own": "LIMIT = 3\nif amount < LIMIT:\n    return {}",
    "a global that is only written": "SEEN.add(amount)\nreturn {}",
    "an event": "host.emit('paid', at=time.time())\nreturn {}",
    "a key of the action": "if current_action().attempt > 1:\n    return {}",
}


@pytest.mark.parametrize("case", READS)
def test_decision_on_what_no_journal_knows(case: str):
    problems = found(PROGRAM, tool(READS[case], GLOBALS), "D208")
    assert len(problems) == 1
    assert problems[0].related[0].name == "a.py"


@pytest.mark.parametrize("case", HARMLESS)
def test_read_that_decides_nothing(case: str):
    assert found(PROGRAM, tool(HARMLESS[case], GLOBALS), "D208") == []


@pytest.mark.parametrize(
    "statement",
    [
        "host.sensors['x'] = lambda: time.time() > 5",
        "host.approver = lambda request: time.time() > 5",
        "host.asker = lambda question, reason: 'yes' if os.environ['X'] else 'no'",
        "if os.environ.get('PROMISE'):\n    host.idempotent_tools.add('pay')",
    ],
)
def test_sensors_people_and_what_sets_the_host_up_are_left_alone(statement: str):
    assert found(PROGRAM, f"import os\nimport time\n{HEAD}host.tools['pay'] = f\n{statement}\n", "D208") == []


def test_reconciler_that_decides_by_the_clock():
    body = "    if time.time() > 5:\n        raise LookupError\n    return bank.find(1)"
    host = f"import time\n{HEAD}host.tools['pay'] = f\n@host.reconciler('pay')\ndef find(a, b):\n{body}\n"
    (problem,) = found(PROGRAM, host, "D208")
    assert "the reconciler of pay decides by the wall clock" in str(problem.message)


FLOWS = {
    "by way of SET": "PLAN q WHEN old == yes { SET old = pay.at }",
    "as an argument that a guard sees": (
        "TOOL log { INPUT { when: Number } } POLICY { NEVER log WHEN when > 3 } PLAN q { log(when=pay.at) }"
    ),
    "in a bare name": "PLAN q { IF at > 3 THEN ESCALATE }",
    "in a VERIFY": "PLAN q { VERIFY result.at > 3 }",
}
OUTPUT = "AGENT a {{ TOOL pay {{ INPUT {{ amount: Number }} OUTPUT {{ at: Number }} }} {} }}"


@pytest.mark.parametrize("case", FLOWS)
def test_output_that_decides_in_the_program(case: str):
    program = OUTPUT.format(FLOWS[case])
    (problem,) = found(program, tool("return {'at': time.time()}", "import time"), "D208")
    assert [related.name for related in problem.related] == ["a.py", None]


def test_output_that_only_is_shown_decides_nothing():
    program = OUTPUT.format("TOOL tell { INPUT { text: Number } } PLAN q { tell(text=pay.at) }")
    assert found(program, tool("return {'at': time.time()}", "import time"), "D208") == []


# ----------------------------------------------------------------------------------------------- any script


def test_helpers_that_call_helpers_end_and_leave_the_picture_incomplete():
    levels = [f"def f{n}(h):\n    f{n + 1}(h)\n    f{n + 1}(h)\n" for n in range(18)]
    script = f"{HEAD}{''.join(levels)}def f18(h):\n    h.tools['pay'] = f\nf0(host)\n"
    assert not read_host(Source(script)).complete


def test_functions_that_call_each_other_without_end_and_nested_calls_are_followed_once():
    nested = "g(" * 40 + "time.time()" + ")" * 40
    more = "import time\ndef g(x):\n    return h(x)\ndef h(x):\n    return g(x) if x else x\n"
    (problem,) = found(PROGRAM, tool(f"if {nested}:\n    return {{}}", more), "D208")
    assert "the wall clock" in str(problem.message)


def test_of_a_method_that_many_classes_have_nobody_can_tell_which_is_meant():
    classes = "".join(f"class C{n}:\n    def ask(self):\n        return time.time()\n" for n in range(4))
    assert found(PROGRAM, tool("if it.ask():\n    return {}", f"import time\n{classes}"), "D208") == []
