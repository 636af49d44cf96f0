"""D208: how what no journal knows gets into a test or an output, and what a process remembers."""

from __future__ import annotations

from textwrap import indent

import pytest
from review_samples import found

PROGRAM = """\
AGENT a {
  TOOL pay {
    INPUT { amount: Number } OUTPUT { at: Number, reference: String }
    SIDE_EFFECT { ledger }
  }
  POLICY { NEVER pay WHEN tools.pay.in_doubt == true }
  PLAN p WHEN pay.at > 3 { pay(amount=1) }
}
"""
HEAD = """\
import os, random, time
from dataclasses import asdict, dataclass
from datetime import date, datetime
from agentl import Host
host = Host()
"""


def tool(body: str, more: str = "") -> str:
    return f"{HEAD}{more}\n@host.tool('pay')\ndef pay(amount):\n{indent(body, '    ')}\n"


HELPERS = """\
DRY = os.environ.get("DRY_RUN", "no") == "yes"
ADDRESS = os.environ["BANK"]
bank = connect(os.environ["BANK"])
dice = random.Random()
@dataclass
class Receipt:
    reference: str
    at: float
class Clock:
    @property
    def late(self):
        return datetime.now().hour > 17
    @property
    def zone(self):
        return "UTC"
def stamp(out):
    out["at"] = time.time()
def sign(out):
    out["reference"] = time.time()
def now():
    return {"at": time.time(), "reference": "r"}
def in_hours(function):
    def inner(*args, **kwargs):
        if datetime.now().hour > 17:
            return {}
        return function(*args, **kwargs)
    return inner
def timed(function):
    def inner(*args, **kwargs):
        log.info("called at %s", datetime.now())
        return function(*args, **kwargs)
    return inner
"""
BUILT = {
    "by item": "out = {}\nout['at'] = time.time()\nreturn out",
    "by update": "out = {}\nout.update(at=time.time())\nreturn out",
    "by update with a dict": "out = {}\nout.update({'at': time.time()})\nreturn out",
    "by setdefault": "out = {}\nout.setdefault('at', time.time())\nreturn out",
    "by dict": "return dict(at=time.time())",
    "by **": "more = {'at': time.time()}\nreturn {'reference': 'r', **more}",
    "by |": "return {'reference': 'r'} | {'at': time.time()}",
    "by |=": "out = {'reference': 'r'}\nout |= {'at': time.time()}\nreturn out",
    "by way of names": "moment = time.time()\nrounded = int(moment)\nreturn {'at': rounded}",
    "in a text": "return {'at': f'{datetime.now():%H}'}",
    "in a list": "rows = []\nrows.append(time.time())\nreturn {'at': rows}",
    "in a tuple": "return {'at': (amount, time.time())}",
    "in a list that is summed": "return {'at': sum([amount, time.time()])}",
    "by a comprehension": "return {'at': [n + time.time() for n in range(3)]}",
    "by a helper that fills it": "out = {}\nstamp(out)\nreturn out",
    "by a helper that makes it": "return now()",
    "by a helper, and a part of it": "found = now()\nreturn {'at': found['at']}",
    "by a dataclass": "return asdict(Receipt(reference='r', at=time.time()))",
    "by an attribute": "receipt = Receipt('r', 0)\nreceipt.at = time.time()\nreturn asdict(receipt)",
    "by a lambda": "read = lambda: time.time()\nreturn {'at': read()}",
    "by a function inside": "moment = time.time()\ndef made():\n    return {'at': moment}\nreturn made()",
    "by chance": "return {'at': dice.randint(1, 6)}",
    "on one side": "return {'at': time.time() if amount else 0}",
    "by Python": "return {'at': datetime.fromtimestamp(time.time()).timestamp()}",
}
NOT_IN_IT = {
    "in another output, by item": "out = {}\nout['reference'] = time.time()\nreturn out",
    "in another output, by update": "out = {}\nout.update(reference=time.time())\nreturn out",
    "in another output, by dict": "return dict(reference=time.time())",
    "in another output, by **": "more = {'reference': time.time()}\nreturn {'at': 1, **more}",
    "in another output, by a helper": "out = {'at': 1}\nsign(out)\nreturn out",
    "in another part of what a helper makes": "found = now()\nreturn {'at': found['reference']}",
    "in another field of a dataclass": "return asdict(Receipt(reference=time.time(), at=1))",
    "in what another system is given": "return bank.pay(amount, at=datetime.now())",
    "in what another system is given first": "return bank.pay(datetime.now(), amount)",
    "in a list that stays here": "rows = []\nrows.append(time.time())\nlog.info(rows)\nreturn {'at': 1}",
    "in the address of a system": "return {'at': bank.pay(amount)}",
}


@pytest.mark.parametrize("case", BUILT)
def test_output_that_is_built_of_the_clock(case: str):
    (problem,) = found(PROGRAM, tool(BUILT[case], HELPERS), "D208")
    assert "pay.at comes from" in str(problem.message)


@pytest.mark.parametrize("case", NOT_IN_IT)
def test_output_that_a_condition_reads_is_not_built_of_the_clock(case: str):
    assert found(PROGRAM, tool(NOT_IN_IT[case], HELPERS), "D208") == []


DECIDED = {
    "by a property": "if Clock().late:\n    return {}",
    "by a choice of two": "return [bank.soon, bank.later][datetime.now().hour > 17](amount)",
    "by and": "date.today().day > 3 and bank.pay(amount)",
    "by the guard of a case": "match amount:\n    case 3 if time.time() > 5:\n        bank.pay(amount)",
    "by how often": "for _ in range(random.randint(0, 2)):\n    bank.pay(amount)",
    "by a constant that is the environment": "if DRY:\n    return {}",
    "by a constant as an argument of a test": "if ADDRESS.startswith('test'):\n    return {}",
    "by a generator of the file": "if dice.random() > 0.5:\n    bank.pay(amount)",
    "by what another module makes of it": "if is_holiday(date.today()):\n    return {}",
    "by the yes or no of another object": "if calendar.is_open(date.today()):\n    return {}",
    "by what another module made of it before": (
        "late = is_late(datetime.now())\nif not late:\n    bank.pay(amount)"
    ),
    "by what a helper fills in": "out = {}\nstamp(out)\nif out['at'] > 5:\n    return {}",
    "by a function inside": (
        "hour = datetime.now().hour\ndef late():\n    return hour > 17\nif late():\n    return {}"
    ),
}
UNDECIDED = {
    "the answer of a system whose address it is": (
        "r = httpx.post(os.environ['BANK'])\nif r.status_code != 200:\n    raise LookupError"
    ),
    "the answer of a system that was told the time": (
        "r = bank.pay(amount, at=datetime.now().isoformat())\nif r.rejected:\n    raise ValueError(r.reason)"
    ),
    "whether a system that was told the time is done": (
        "done = bank.pay(amount, datetime.now())\nwhile not done:\n    done = bank.ask(amount)"
    ),
    "the answer to a question with a name made up": (
        "name = random.random()\nr = pay(amount, name)\nwhile not r.done:\n    r = poll(name)"
    ),
    "a property without the clock": "if Clock().zone == 'UTC':\n    return {}",
    "an item, and no choice": "return {'reference': bank.days[date.today().day]}",
    "or, for a default": "bank.pay(amount, os.environ.get('BANK') or 'test')",
    "a system that is made with the environment": "if bank.find(amount):\n    return {}",
    "a constant that is an address": "bank.pay(amount, ADDRESS)",
    "another part of what was filled in": "out = {'at': 1}\nsign(out)\nif out['at'] > 5:\n    return {}",
}


@pytest.mark.parametrize("case", DECIDED)
def test_function_that_decides(case: str):
    (problem,) = found(PROGRAM, tool(DECIDED[case], HELPERS), "D208")
    assert "the function of pay decides by" in str(problem.message)


@pytest.mark.parametrize("case", UNDECIDED)
def test_function_that_decides_by_nothing_of_that(case: str):
    assert found(PROGRAM, tool(UNDECIDED[case], HELPERS), "D208") == []


def test_decorator_of_the_file_decides_for_the_function_and_one_that_only_writes_it_down_does_not():
    host = "{}@host.tool('pay')\n@{}\ndef pay(amount):\n    return bank.pay(amount)\n"
    assert len(found(PROGRAM, host.format(HEAD + HELPERS, "in_hours"), "D208")) == 1
    assert found(PROGRAM, host.format(HEAD + HELPERS, "timed"), "D208") == []


# ----------------------------------------------------------------------------------------------- memory

OBJECT = """\
class Till:
    def __init__(self, bank):
        self.bank = bank
        self.count = 0
        self.seen = set()
        self.client = None
    def pay(self, amount):
{}
    def close(self):
        self.bank.remove(3)
host.tools['pay'] = Till(bank).pay
"""
REMEMBERED = {
    "the last answer": (
        "last = None\n@host.tool('pay')\ndef pay(amount):\n    global last\n"
        "    if last is not None and last.amount == amount:\n        return None\n    last = send(amount)\n"
    ),
    "a counter of an object": OBJECT.format(
        "        self.count += 1\n        if self.count > 3:\n            return None"
    ),
    "a set of an object": OBJECT.format(
        "        if amount in self.seen:\n            return None\n        self.seen.add(amount)"
    ),
    "a counter around it": (
        "def build():\n    host = Host()\n    count = 0\n    @host.tool('pay')\n    def pay(amount):\n"
        "        nonlocal count\n        count += 1\n        if count > 3:\n            return None\n"
        "    return host\n"
    ),
    "a list around it": (
        "def build():\n    host = Host()\n    seen = []\n    @host.tool('pay')\n    def pay(amount):\n"
        "        if amount in seen:\n            return None\n        seen.append(amount)\n    return host\n"
    ),
    "an object of the script": (
        "state = State()\n@host.tool('pay')\ndef pay(amount):\n    state.count += 1\n"
        "    if state.count > 3:\n        return None\n"
    ),
    "an annotated global": (
        "SEEN: set[int] = set()\n@host.tool('pay')\ndef pay(amount):\n    if amount in SEEN:\n"
        "        return None\n    SEEN.add(amount)\n"
    ),
    "a limit that is put in": (
        "LIMIT = 5\ndef raised():\n    global LIMIT\n    LIMIT = 7\n@host.tool('pay')\ndef pay(amount):\n"
        "    if amount > LIMIT:\n        amount = 5\n    bank.pay(amount)\n"
    ),
    "a global that another tool sets": (
        "CLOSED = False\n@host.tool('close')\ndef close():\n    global CLOSED\n    CLOSED = True\n"
        "@host.tool('pay')\ndef pay(amount):\n    if CLOSED:\n        return None\n"
    ),
    "an iterator": (
        "numbers = itertools.count()\n@host.tool('pay')\ndef pay(amount):\n"
        "    if next(numbers) > 3:\n        return None\n"
    ),
}
NOT_REMEMBERED = {
    "a connection that is made behind a lock": (
        "client = None\ndef connection():\n    global client\n    if client is None:\n        with lock:\n"
        "            if client is None:\n                client = connect()\n    return client\n"
        "@host.tool('pay')\ndef pay(amount):\n    return connection().pay(amount)\n"
    ),
    "what a bank in a demonstration holds": OBJECT.format(
        "        if amount not in self.held:\n            self.held[amount] = {'at': 1}\n"
        "        return self.held[amount]"
    ),
    "a token that is fetched anew": OBJECT.format(
        "        if self.token is None or time.time() > self.until:\n"
        "            self.token, self.until = fetch()\n        return self.bank.pay(self.token)"
    ),
    "what an object is made with": OBJECT.format(
        "        if self.bank.find(amount):\n            return None"
    ),
    "a connection of an object, made at its first use": OBJECT.format(
        "        if self.client is None:\n            self.client = connect()\n        self.client.pay(1)"
    ),
    "a counter of an object that nobody looks at": OBJECT.format("        self.count += 1"),
    "a connection, made at its first use": (
        "client = None\n@host.tool('pay')\ndef pay(amount):\n    global client\n    if client is None:\n"
        "        client = connect()\n    client.pay(amount)\n"
    ),
    "a connection in a helper": (
        "client = None\ndef connection():\n    global client\n    if client is not None:\n"
        "        return client\n    client = connect()\n    return client\n"
        "@host.tool('pay')\ndef pay(amount):\n    connection().pay(amount)\n"
    ),
    "a cache that is filled": (
        "RATES = {}\n@host.tool('pay')\ndef pay(amount):\n    if amount not in RATES:\n"
        "        RATES[amount] = bank.rate(amount)\n    bank.pay(RATES[amount])\n"
    ),
    "a system with methods of such names": (
        "bank = Bank()\n@host.tool('pay')\ndef pay(amount):\n    if bank.has(amount):\n"
        "        return None\n    bank.add(amount)\n"
    ),
    "a global that only the set-up sets": (
        "bank = None\ndef build():\n    global bank\n    bank = connect()\n    host = Host()\n"
        "    host.tools['pay'] = pay\n    return host\ndef pay(amount):\n    if bank.has(amount):\n"
        "        return None\n"
    ),
    "a variable of its own": (
        "@host.tool('pay')\ndef pay(amount):\n    count = 0\n    for row in bank.all():\n        count += 1\n"
        "    if count > 3:\n        return None\n"
    ),
    "a name around it that nothing changes": (
        "def build():\n    host = Host()\n    limit = 3\n    @host.tool('pay')\n    def pay(amount):\n"
        "        if amount > limit:\n            return None\n    return host\n"
    ),
}


@pytest.mark.parametrize("case", REMEMBERED)
def test_decision_on_what_a_process_remembers(case: str):
    (problem,) = found(PROGRAM, f"import itertools\n{HEAD}{REMEMBERED[case]}", "D208")
    assert "decides by the " in str(problem.message)


@pytest.mark.parametrize("case", NOT_REMEMBERED)
def test_no_decision_on_what_a_process_remembers(case: str):
    assert found(PROGRAM, f"{HEAD}{NOT_REMEMBERED[case]}", "D208") == []
