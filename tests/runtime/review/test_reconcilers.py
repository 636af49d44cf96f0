"""D206: reconcilers that guess, and reconcilers that know, on every way through the file."""

from __future__ import annotations

import pytest
from review_samples import HEAD, PROGRAM, found, line_of, reconciler

ASK = "entry = bank.find(action.idempotency_key)\n"
GUESSES = {
    "in a bare except": "try:\n    return bank.find(1)\nexcept:\n    return NOT_EXECUTED",
    "in an except by name": (
        "try:\n    return bank.find(1)\nexcept (OSError, KeyError):\n    return NOT_EXECUTED"
    ),
    "in an except, below if": (
        "try:\n    return bank.find(1)\nexcept OSError as e:\n    if e.errno == 3:\n        raise\n"
        "    return agentl.NOT_EXECUTED"
    ),
    "behind a swallowed failure": (
        "entry = None\ntry:\n    entry = bank.find(1)\nexcept Exception:\n    log.warning('no answer')\n"
        "return NOT_EXECUTED if entry is None else entry"
    ),
    "behind suppress": (
        "import contextlib\nwith contextlib.suppress(OSError):\n    return bank.find(1)\nreturn NOT_EXECUTED"
    ),
    "in finally": "try:\n    return bank.find(1)\nfinally:\n    return NOT_EXECUTED",
    "held in a name": (
        "result = NOT_EXECUTED\ntry:\n    result = bank.find(1)\nexcept OSError:\n    pass\nreturn result"
    ),
    "without asking": "return NOT_EXECUTED",
    "without asking, on one way": "if args['amount'] < 3:\n    return NOT_EXECUTED\nreturn bank.find(1)",
    "for every other answer": (
        "status = bank.status(1)\nif status == 'booked':\n    return {'at': 1}\nreturn NOT_EXECUTED"
    ),
    "for every other code": (
        "answer = http.get(1)\nif answer.status_code != 200:\n    return NOT_EXECUTED\nreturn answer.json()"
    ),
    "for every other of two": (
        "status = bank.status(1)\nif status in ('booked', 'settled'):\n    return {'at': 1}\n"
        "else:\n    return NOT_EXECUTED"
    ),
    "as one side of a conditional": (
        "s = bank.status(1)\nreturn {'at': 1} if s == Status.BOOKED else NOT_EXECUTED"
    ),
    "for the rest of a match": (
        "match bank.status(1):\n    case 'booked':\n        return {'at': 1}\n"
        "    case _:\n        return NOT_EXECUTED"
    ),
    "behind and": (
        "a = http.get(1)\nif a.ok and a.json()['status'] == 'booked':\n    return {'at': 1}\n"
        "return NOT_EXECUTED"
    ),
}
KNOWLEDGE = {
    "nothing was found": f"{ASK}return NOT_EXECUTED if entry is None else entry",
    "nothing was found, by truth": f"{ASK}if not entry:\n    return NOT_EXECUTED\nreturn entry",
    "an empty answer": f"{ASK}if entry:\n    return entry\nreturn NOT_EXECUTED",
    "not in the ledger": "if action.idempotency_key in ledger:\n    return ledger[1]\nreturn NOT_EXECUTED",
    "a search that ended": (
        "for row in bank.rows():\n    if row.key == action.idempotency_key and row.state == 'booked':\n"
        "        return row\nreturn NOT_EXECUTED"
    ),
    "no rows": "rows = bank.count(1)\nif rows == 0:\n    return NOT_EXECUTED\nreturn {}",
    "the answer that says so": (
        "status = bank.status(1)\nif status == 'unknown':\n    return NOT_EXECUTED\n"
        "if status == 'booked':\n    return {}\nraise LookupError(status)"
    ),
    "there is no such thing": (
        "try:\n    return bank.find(1)\nexcept bank.NotFound:\n    return NOT_EXECUTED"
    ),
    "there is no such thing, and other failures go on": (
        "try:\n    return bank.find(1)\nexcept DoesNotExist:\n    return NOT_EXECUTED\n"
        "except OSError:\n    raise"
    ),
    "the failure is told": (
        "try:\n    entry = bank.find(1)\nexcept OSError as e:\n    raise LookupError from e\n"
        "return entry or NOT_EXECUTED"
    ),
    "no answer but raising": "raise LookupError",
    "another value in except": "try:\n    return bank.find(1)\nexcept OSError:\n    return {'at': 0}",
}


@pytest.mark.parametrize("case", GUESSES)
def test_reconciler_that_guesses(case: str):
    host = reconciler(GUESSES[case])
    (problem,) = found(PROGRAM, host, "D206")
    assert PROGRAM[problem.span.start : problem.span.end] == "pay"
    assert "NOT_EXECUTED" in line_of(problem, host) or line_of(problem, host) == "return result"


@pytest.mark.parametrize("case", KNOWLEDGE)
def test_reconciler_that_knows(case: str):
    assert found(PROGRAM, reconciler(KNOWLEDGE[case]), "D206") == []


HELPER = "def look(key):\n    try:\n        return bank.find(key)\n    except OSError:\n        return {}\n"
BEHIND_HELPERS = {
    "whose answer is returned": ("return look(1)", HELPER.format("NOT_EXECUTED")),
    "whose answer is returned by name": ("x = look(1)\nreturn x", HELPER.format("NOT_EXECUTED")),
    "that hides a failure": ("return NOT_EXECUTED if look(1) is None else {}", HELPER.format("None")),
}


@pytest.mark.parametrize("case", BEHIND_HELPERS)
def test_reconciler_that_guesses_by_a_helper(case: str):
    body, helper = BEHIND_HELPERS[case]
    assert len(found(PROGRAM, reconciler(body, helper), "D206")) == 1


def test_helper_that_raises_is_fine():
    helper = HELPER.format("NOT_EXECUTED").replace("return NOT_EXECUTED", "raise")
    assert found(PROGRAM, reconciler("return NOT_EXECUTED if look(1) is None else {}", helper), "D206") == []


REGISTERED = {
    "by table": "host.reconcilers['pay'] = find",
    "by call": "host.reconciler('pay')(find)",
    "by update": "host.reconcilers.update({'pay': find})",
    "by alias": "other = find\nhost.reconcilers['pay'] = other",
    "as lambda": "host.reconcilers['pay'] = lambda args, action: NOT_EXECUTED",
    "as a method": "host.reconcilers['pay'] = bank.find_payment",
    "in build": "def build():\n    h = Host()\n    h.reconcilers['pay'] = find\n    return h",
    "in a helper": "def add(h):\n    h.reconcilers['pay'] = find\nadd(host)",
    "partly applied": "import functools\nhost.reconcilers['pay'] = functools.partial(find, x=1)",
    "async": "@host.reconciler('pay')\nasync def look(args, action):\n    return NOT_EXECUTED",
}


@pytest.mark.parametrize("case", REGISTERED)
def test_reconciler_is_found_however_it_is_registered(case: str):
    functions = (
        "def find(args, action):\n    return NOT_EXECUTED\n"
        "class Bank:\n    def find_payment(self, args, action):\n        return NOT_EXECUTED\n"
    )
    assert len(found(PROGRAM, f"{HEAD}{functions}{REGISTERED[case]}\n", "D206")) == 1


def test_reconciler_that_stands_elsewhere_or_is_for_no_tool_of_the_program_is_not_told():
    assert found(PROGRAM, f"{HEAD}from bank import find\nhost.reconcilers['pay'] = find\n", "D206") == []
    other = reconciler(GUESSES["without asking"]).replace("'pay')", "'sell')")
    assert found(PROGRAM, other, "D206") == []


def test_two_agents_with_the_same_host_have_one_finding():
    both = PROGRAM + PROGRAM.replace("AGENT a", "AGENT b")
    assert len(found(both, reconciler(GUESSES["without asking"]), "D206")) == 1


# ------------------------------------------------------------------------------------ other shapes

QUIETLY = """\
import functools
def careful(default):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args):
            try:
                return function(*args)
            except OSError:
                return default
        return inner
    return decorate
def tried(function):
    def inner(*args):
        try:
            return function(*args)
        except OSError:
            return NOT_EXECUTED
    return inner
def safely(function, *args):
    try:
        return function(*args)
    except OSError:
        return NOT_EXECUTED
def told(function):
    def inner(*args):
        try:
            return function(*args)
        except OSError:
            log.warning("no answer")
            raise
    return inner
class Ledger:
    def __init__(self, bank):
        self.bank = bank
    def __call__(self, args, action):
        return self.look(action)
    def look(self, action):
        try:
            return self.bank.find(action.idempotency_key)
        except OSError:
            return NOT_EXECUTED
class Later(Ledger):
    pass
class Kinder(Ledger):
    def look(self, action):
        return bank.find(action.idempotency_key) or NOT_EXECUTED
class Honest:
    def __call__(self, args, action):
        return bank.find(action.idempotency_key) or NOT_EXECUTED
def make(answer):
    def find_by(args, action):
        try:
            return bank.find(action.idempotency_key)
        except OSError:
            return answer
    return find_by
def find(args, action):
    return bank.find(action.idempotency_key)
"""
QUIET = {
    "an object of a class made from it": "host.reconcilers['pay'] = Later(bank)",
    "a table": "RECONCILERS = {'pay': Ledger(bank)}\nhost.reconcilers.update(RECONCILERS)",
    "an object": "host.reconcilers['pay'] = Ledger(bank)",
    "an object with a name": "ledger = Ledger(bank)\nhost.reconcilers['pay'] = ledger",
    "a method of an object": "ledger = Ledger(bank)\nhost.reconcilers['pay'] = ledger.look",
    "a decorator": "@host.reconciler('pay')\n@tried\ndef f(args, action):\n    return bank.find(1)",
    "a decorator that is given it": (
        "@host.reconciler('pay')\n@careful(NOT_EXECUTED)\ndef f(args, action):\n    return bank.find(1)"
    ),
    "a decorator of a function in a table": (
        "@tried\ndef f(args, action):\n    return bank.find(1)\nhost.reconcilers['pay'] = f"
    ),
    "a decorator by hand": "host.reconcilers['pay'] = tried(find)",
    "a lambda with a helper": "host.reconcilers['pay'] = lambda args, action: safely(bank.find, 1)",
    "a factory": "host.reconcilers['pay'] = make(NOT_EXECUTED)",
    "a method partly applied": "host.reconcilers['pay'] = functools.partial(Ledger.look, ledger)",
}
HONEST = {
    "an object": "host.reconcilers['pay'] = Honest()",
    "a decorator": (
        "@host.reconciler('pay')\n@told\ndef f(args, action):\n    return bank.find(1) or NOT_EXECUTED"
    ),
    "a decorator that is given something else": (
        "@host.reconciler('pay')\n@careful({'at': 0})\ndef f(args, action):\n    return bank.find(1)"
    ),
    "a decorator around the registered function": (
        "@tried\n@host.reconciler('pay')\ndef f(args, action):\n    return bank.find(1)"
    ),
    "a decorator of another module": (
        "from tenacity import retry\n@host.reconciler('pay')\n@retry\ndef f(args, action):\n"
        "    return bank.find(1) or NOT_EXECUTED"
    ),
    "a factory": "host.reconcilers['pay'] = make({'at': 0})",
    "a lambda": "host.reconcilers['pay'] = lambda args, action: bank.find(1) or NOT_EXECUTED",
}


@pytest.mark.parametrize("case", QUIET)
def test_reconciler_is_followed_through_what_is_around_it(case: str):
    host = f"{HEAD}{QUIETLY}host.tools['pay'] = f\n{QUIET[case]}\n"
    (problem,) = found(PROGRAM, host, "D206")
    assert "when its question fails" in str(problem.message)


@pytest.mark.parametrize("case", HONEST)
def test_reconciler_whose_surroundings_hide_nothing(case: str):
    assert found(PROGRAM, f"{HEAD}{QUIETLY}host.tools['pay'] = f\n{HONEST[case]}\n", "D206") == []
