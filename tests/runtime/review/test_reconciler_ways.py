"""D206: what a reconciler may answer on each of the ways through it."""

from __future__ import annotations

from textwrap import indent

import pytest
from review_samples import PROGRAM, found, reconciler

FIND = "bank.find(action.idempotency_key)"
RETRYING = {
    "that all failed": (
        f"for i in range(3):\n    try:\n        return {{'at': {FIND}}}\n    except TimeoutError:\n"
        "        {}\nreturn NOT_EXECUTED"
    ),
    "with else": (
        f"for i in range(3):\n    try:\n        entry = {FIND}\n    except TimeoutError:\n        {{}}\n"
        "    else:\n        return {'at': entry}\nreturn NOT_EXECUTED"
    ),
    "in the else of a loop": (
        f"entry = None\nfor i in range(3):\n    try:\n        entry = {FIND}\n        break\n"
        "    except TimeoutError:\n        {}\nelse:\n    return NOT_EXECUTED\nreturn entry"
    ),
    "counted": (
        f"left = 3\nwhile left:\n    left -= 1\n    try:\n        return {FIND}\n"
        "    except TimeoutError:\n        {}\nreturn NOT_EXECUTED"
    ),
}
GOING_ON = ["pass", "continue", "time.sleep(1)", "log.warning('no answer')", "entry = None"]


@pytest.mark.parametrize("going_on", GOING_ON)
@pytest.mark.parametrize("case", RETRYING)
def test_attempts_that_all_fail_are_no_answer(case: str, going_on: str):
    body = RETRYING[case].replace("{{", "{").replace("}}", "}").replace("{}", going_on)
    (problem,) = found(PROGRAM, reconciler(body), "D206")
    assert "goes on after its question failed" in str(problem.message)


MORE_GUESSES = {
    "a default of a helper": "return known(1)",
    "another answer of a helper": "return known(1, answer=NOT_EXECUTED)",
    "a function on the spot": "return (lambda: NOT_EXECUTED)()",
    "and": "return args['amount'] and NOT_EXECUTED",
    "every state by its number": ("state = bank.state(1)\nreturn {'at': 1} if state == 1 else NOT_EXECUTED"),
    "the code of a program": (
        "done = subprocess.run(1)\nif done.returncode != 0:\n    return NOT_EXECUTED\nreturn {'at': 1}"
    ),
    "an error in the answer": (
        f"answer = {FIND}\nif 'error' in answer:\n    return NOT_EXECUTED\nreturn answer"
    ),
    "an error of the answer": f"answer = {FIND}\nif answer.error:\n    return NOT_EXECUTED\nreturn answer",
    "an error beside the answer": (
        f"entry, error = {FIND}\nif error is not None:\n    return NOT_EXECUTED\nreturn entry"
    ),
    "an endless loop that is left": (
        f"while True:\n    try:\n        return {FIND}\n    except TimeoutError:\n        break\n"
        "return NOT_EXECUTED"
    ),
    "a failure held in a flag that nobody asks": (
        f"ok = True\ntry:\n    entry = {FIND}\nexcept OSError:\n    ok = False\n    entry = None\n"
        "return NOT_EXECUTED if entry is None else entry"
    ),
    "another table that has no answer either": (
        f"try:\n    entry = {FIND}\nexcept OSError:\n    entry = None\n"
        "if entry is None:\n    return old.find(1) or NOT_EXECUTED\nreturn entry"
    ),
    "a status of many meanings": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    if e.code == 503:\n"
        "        return NOT_EXECUTED\n    raise"
    ),
    "a range of codes": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    if e.code < 500:\n"
        "        return NOT_EXECUTED\n    raise"
    ),
    "a range of codes of an answer": (
        "r = http.get(1)\nif r.status_code >= 400:\n    return NOT_EXECUTED\nreturn r.json()"
    ),
    "an answer that is not good": "r = http.get(1)\nif not r.ok:\n    return NOT_EXECUTED\nreturn r.json()",
    "a field that an answer may not have": f"return {FIND}.get('reference', NOT_EXECUTED)",
    "an attribute that an answer may not have": f"return getattr({FIND}, 'answer', NOT_EXECUTED)",
    "a table of the file": "status = bank.status(1)\nreturn ANSWERS.get(status, NOT_EXECUTED)",
    "a table written out": "return {'booked': {'at': 1}}.get(bank.status(1), NOT_EXECUTED)",
    "not in a table of the file": (
        "status = bank.status(1)\nif status in ANSWERS:\n    return ANSWERS[status]\nreturn NOT_EXECUTED"
    ),
    "no item of a table of the file": (
        "try:\n    return ANSWERS[bank.status(1)]\nexcept KeyError:\n    return NOT_EXECUTED"
    ),
    "an answer of an unknown shape": (
        "try:\n    return {'at': http.get(1).json()['at']}\nexcept KeyError:\n    return NOT_EXECUTED"
    ),
    "a deadline that passes in silence": (
        f"import anyio\nwith anyio.move_on_after(5):\n    return await {FIND}\nreturn NOT_EXECUTED"
    ),
    "a log, and no question": "log.info('asked for %s', action)\nreturn NOT_EXECUTED",
    "a helper that is quiet": f"with quiet():\n    return {FIND}\nreturn NOT_EXECUTED",
    "an object that is quiet": f"with Quiet():\n    return {FIND}\nreturn NOT_EXECUTED",
    "two values of a helper": "ok, entry = look(1)\nreturn entry or NOT_EXECUTED",
    "a helper's yes or no": "if is_booked(1):\n    return {'at': 1}\nreturn NOT_EXECUTED",
    "a match on the failure": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    match e.code:\n        case 404 | 500:\n"
        "            return NOT_EXECUTED\n        case _:\n            raise"
    ),
}
MORE_KNOWLEDGE = {
    "a name in the test": (f"if (entry := {FIND}) is None:\n    return NOT_EXECUTED\nreturn entry"),
    "a match on the kind of a failure": (
        f"try:\n    return {FIND}\nexcept Exception as e:\n    match e:\n        case bank.NotFound():\n"
        "            return NOT_EXECUTED\n        case _:\n            raise"
    ),
    "a match on nothing": (
        f"match {FIND}:\n    case None:\n        return NOT_EXECUTED\n    case entry:\n        return entry"
    ),
    "a match on what failed": (
        f"try:\n    entry = {FIND}\nexcept OSError:\n    entry = False\nmatch entry:\n    case False:\n"
        "        raise LookupError\n    case None:\n        return NOT_EXECUTED\nreturn entry"
    ),
    "a helper that calls itself": "return deep(3) or NOT_EXECUTED",
    "no value otherwise": f"if not {FIND}:\n    return NOT_EXECUTED\nentry: dict\nreturn",
    "how many there are": (
        "n = bank.count(1)\nif n > 1:\n    raise LookupError\nreturn {'at': 1} if n == 1 else NOT_EXECUTED"
    ),
    "the process ends": (
        f"import sys\ntry:\n    entry = {FIND}\nexcept OSError:\n    sys.exit('no answer')\n"
        "return entry or NOT_EXECUTED"
    ),
    "a helper always raises": (
        f"try:\n    entry = {FIND}\nexcept OSError as e:\n    unknown(e)\nreturn entry or NOT_EXECUTED"
    ),
    "failures are collected and raised": (
        f"failures = []\nfor i in range(3):\n    try:\n        return {FIND} or NOT_EXECUTED\n"
        "    except OSError as e:\n        failures.append(e)\nif failures:\n    raise failures[0]\n"
        "return NOT_EXECUTED"
    ),
    "failures are counted": (
        f"failures = 0\ntry:\n    entry = {FIND}\nexcept OSError:\n    failures += 1\n    entry = None\n"
        "if failures > 0:\n    raise LookupError\nreturn entry or NOT_EXECUTED"
    ),
    "failures are measured": (
        f"failures = []\nfor bank in banks:\n    try:\n        return {FIND}\n"
        "    except OSError as e:\n        failures.append(e)\nif len(failures) > 0:\n    raise LookupError\n"
        "return NOT_EXECUTED"
    ),
    "failures are kept by name": (
        f"failures = {{}}\ntry:\n    entry = {FIND}\nexcept OSError as e:\n    failures['bank'] = e\n"
        "if failures:\n    raise LookupError(failures)\nreturn entry or NOT_EXECUTED"
    ),
    "an error is raised": (
        f"answer = {FIND}\nif answer.get('error'):\n    raise LookupError\n"
        "return answer.get('entry') or NOT_EXECUTED"
    ),
    "the code of a program that says so": (
        "done = subprocess.run(1)\nif done.returncode == 4:\n    return NOT_EXECUTED\n"
        "if done.returncode != 0:\n    raise LookupError\nreturn {'at': 1}"
    ),
    "an item that is not there": (
        "r = table.get_item(1)\nif 'Item' not in r:\n    return NOT_EXECUTED\nreturn r['Item']"
    ),
    "the last attempt raises": (
        f"for i in range(3):\n    try:\n        entry = {FIND}\n        break\n    except TimeoutError:\n"
        "        if i == 2:\n            raise\nreturn NOT_EXECUTED if entry is None else entry"
    ),
    "attempts are left, or it raises": (
        f"for i in range(3):\n    try:\n        entry = {FIND}\n    except TimeoutError:\n        if i < 2:\n"
        "            continue\n        raise\n    break\nreturn NOT_EXECUTED if entry is None else entry"
    ),
    "a later attempt was answered": (
        f"while True:\n    try:\n        entry = {FIND}\n    except TimeoutError:\n        time.sleep(1)\n"
        "    else:\n        break\nreturn entry or NOT_EXECUTED"
    ),
    "the loop that ran out raises": (
        f"for i in range(3):\n    try:\n        return {FIND} or NOT_EXECUTED\n    except TimeoutError:\n"
        "        continue\nraise LookupError"
    ),
    "the failure is held and raised": (
        f"failure = None\ntry:\n    entry = {FIND}\nexcept OSError as e:\n    failure = e\n"
        "if failure is not None:\n    raise failure\nreturn entry or NOT_EXECUTED"
    ),
    "a flag is looked at": (
        f"ok = False\ntry:\n    entry = {FIND}\n    ok = True\nexcept OSError:\n    pass\n"
        "if not ok:\n    raise LookupError\nreturn entry or NOT_EXECUTED"
    ),
    "the status of a failure says so": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    if e.code == 404:\n"
        "        return NOT_EXECUTED\n    raise"
    ),
    "every other status of a failure goes on": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    if e.response.status_code != 404:\n"
        "        raise\n    return NOT_EXECUTED"
    ),
    "one of two statuses": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    if e.code in (404, 410):\n"
        "        return NOT_EXECUTED\n    raise"
    ),
    "the code of a cloud": (
        f"try:\n    return {FIND}\nexcept ClientError as e:\n    code = e.response['Error']['Code']\n"
        "    if code == 'NoSuchKey':\n        return NOT_EXECUTED\n    raise"
    ),
    "the status of a call": (
        f"try:\n    return {FIND}\nexcept RpcError as e:\n    if e.code() is StatusCode.NOT_FOUND:\n"
        "        return NOT_EXECUTED\n    raise"
    ),
    "the kind of a failure": (
        f"try:\n    return {FIND}\nexcept Exception as e:\n    if isinstance(e, bank.NotFound):\n"
        "        return NOT_EXECUTED\n    raise"
    ),
    "a match on the status": (
        f"try:\n    return {FIND}\nexcept HTTPError as e:\n    match e.code:\n        case 404 | 410:\n"
        "            return NOT_EXECUTED\n        case _:\n            raise"
    ),
    "no such row": f"try:\n    return {FIND}\nexcept NoResultFound:\n    return NOT_EXECUTED",
    "no first row": "try:\n    return bank.rows(1)[0]\nexcept IndexError:\n    return NOT_EXECUTED",
    "no item of a ledger": (
        "try:\n    return ledger[action.idempotency_key]\nexcept KeyError:\n    return NOT_EXECUTED"
    ),
    "a look-up with a default": "return bank.entries.get(action.idempotency_key, NOT_EXECUTED)",
    "a search with a default": "return next((r for r in bank.rows() if r.key == 1), NOT_EXECUTED)",
    "a status that an answer has": (
        "r = http.get(1)\nif r.status_code == 404:\n    return NOT_EXECUTED\nr.raise_for_status()\n"
        "return r.json()"
    ),
    "a log that may fail": (
        f"entry = {FIND}\ntry:\n    log.info('found %s', entry)\nexcept OSError:\n    pass\n"
        "return entry or NOT_EXECUTED"
    ),
    "a helper that may fail, and that nobody asks": f"tell(1)\nreturn {FIND} or NOT_EXECUTED",
    "the answer of a helper that raises": "return fetch(1) or NOT_EXECUTED",
    "two values of a helper, and both are looked at": (
        "ok, entry = look(1)\nif not ok:\n    raise LookupError\nreturn entry or NOT_EXECUTED"
    ),
    "an answer that is not taken": "x = guess(1)\nif x is NOT_EXECUTED:\n    raise LookupError\nreturn x",
    "a deadline that raises": (
        f"async with asyncio.timeout(5):\n    return await {FIND} or NOT_EXECUTED\nraise LookupError"
    ),
    "an answer that must be there": (
        f"try:\n    entry = {FIND}\nexcept OSError:\n    entry = None\nassert entry is not None\n"
        "return entry['at'] or NOT_EXECUTED"
    ),
}
AROUND = """\
import contextlib
ANSWERS = {"booked": {"at": 1}}
def look(key):
    try:
        return True, bank.find(key)
    except OSError:
        return False, None
def guess(key):
    try:
        return bank.find(key)
    except OSError:
        return NOT_EXECUTED
def fetch(key):
    for _ in range(3):
        try:
            return bank.find(key)
        except OSError:
            continue
    raise LookupError
def unknown(why):
    log.error("nobody knows: %s", why)
    raise LookupError(why)
def known(key, answer=NOT_EXECUTED):
    try:
        return bank.find(key)
    except OSError:
        return answer
def deep(n):
    return deep(n - 1) if n else bank.find(n)
def is_booked(key):
    if bank.status(key) == "booked":
        return True
    return False
def tell(key):
    try:
        mail.send(key)
    except OSError:
        pass
@contextlib.contextmanager
def quiet():
    try:
        yield
    except OSError:
        log.warning("no answer")
class Quiet:
    def __enter__(self):
        return self
    def __exit__(self, *failure):
        return True
"""


@pytest.mark.parametrize("case", MORE_GUESSES)
def test_reconciler_that_guesses_on_one_of_its_ways(case: str):
    assert len(found(PROGRAM, reconciler(MORE_GUESSES[case], AROUND), "D206")) == 1


@pytest.mark.parametrize("case", MORE_KNOWLEDGE)
def test_reconciler_that_knows_on_each_of_its_ways(case: str):
    assert found(PROGRAM, reconciler(MORE_KNOWLEDGE[case], AROUND), "D206") == []


def test_reconciler_of_very_many_ways_is_gone_through_in_steps_that_end():
    body = "".join(f"x{n} = {n} if bank.find({n}) else None\n" for n in range(40))
    assert found(PROGRAM, reconciler(f"{body}return NOT_EXECUTED if x0 is None else x1"), "D206") == []
    nested = "".join(f"{' ' * n}if bank.a{n}:\n" for n in range(60)) + " " * 60 + "return NOT_EXECUTED\n"
    assert (
        len(
            found(
                PROGRAM,
                reconciler(f"try:\n    bank.find(1)\nexcept OSError:\n{indent(nested, '  ')}"),
                "D206",
            )
        )
        == 1
    )


def test_reconciler_of_more_steps_than_anybody_takes_is_left_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("agentl.review.evaluating._MOST_STEPS", 3)
    body = "try:\n    return bank.find(1)\nexcept OSError:\n    return NOT_EXECUTED  # too far away"
    assert found(PROGRAM, reconciler(body), "D206") == []


GATHERED = "results = await asyncio.gather(bank.find(key), {other}return_exceptions=True)\n"
UNSEEN = {
    "the first that fits": (
        "for r in results:\n    if r == 'done':\n        return {'at': r}\nreturn NOT_EXECUTED"
    ),
    "all of a kind": (
        "done = [r for r in results if isinstance(r, dict)]\n"
        "if done:\n    return done[0]\nreturn NOT_EXECUTED"
    ),
    "all that did not fail": (
        "done = [r for r in results if not isinstance(r, Exception)]\n"
        "if done:\n    return done[0]\nreturn NOT_EXECUTED"
    ),
}
SEEN = {
    "raised in a loop": (
        "for r in results:\n    if isinstance(r, BaseException):\n        raise r\n"
        "done = [r for r in results if r]\nreturn done[0] if done else NOT_EXECUTED"
    ),
    "raised when any failed": (
        "if any(isinstance(r, (OSError, Exception)) for r in results):\n    raise RuntimeError('?')\n"
        "done = [r for r in results if r]\nreturn done[0] if done else NOT_EXECUTED"
    ),
}


def gathering(body: str, gathered: str = GATHERED) -> str:
    lines = f"key = action.idempotency_key\n{gathered.replace('{other}', 'ledger.find(key), ')}{body}"
    return reconciler(lines, "import asyncio\n").replace("def find(", "async def find(")


@pytest.mark.parametrize("body", UNSEEN.values(), ids=UNSEEN)
def test_failures_that_gather_hands_over_are_no_answer(body: str):
    (problem,) = found(PROGRAM, gathering(body), "D206")
    assert "goes on after its question failed" in str(problem.message)


@pytest.mark.parametrize("body", SEEN.values(), ids=SEEN)
def test_failures_that_gather_hands_over_and_that_are_raised_are_fine(body: str):
    assert found(PROGRAM, gathering(body), "D206") == []


def test_gather_that_raises_a_failure_itself_is_fine():
    gathered = GATHERED.replace("return_exceptions=True", "")
    body = "done = [r for r in results if r]\nreturn done[0] if done else NOT_EXECUTED"
    assert found(PROGRAM, gathering(body, gathered), "D206") == []
