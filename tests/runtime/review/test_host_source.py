"""The host script read as a syntax tree: what it promises, and what only running it would tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentl.host.source import HostSource, Promise, read_host
from agentl_grammar.source import Source

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def read(text: str) -> HostSource:
    return read_host(Source(text, "host.py"))


def in_build(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return f"from agentl import Host\n\ndef build():\n    h = Host()\n{lines}\n    return h\n"


DECORATED = "@h.tool('pay'{more})\ndef pay(amount):\n    return {{}}\n"
PROMISE = "    h.idempotent_tools.add('pay')"
RECONCILED = "@h.reconciler('pay')\ndef find(args, action):\n    ...\n"

PROMISES = {
    "no promise": (DECORATED.format(more=""), Promise.NONE),
    "idempotent": (DECORATED.format(more=", idempotent=True"), Promise.IDEMPOTENT),
    "idempotent, positional": (DECORATED.format(more=", True"), Promise.IDEMPOTENT),
    "said to be not idempotent": (DECORATED.format(more=", idempotent=False"), Promise.NONE),
    "a switch": (DECORATED.format(more=", idempotent=switch == 'on'"), Promise.SOMETIMES),
    "options from elsewhere": (DECORATED.format(more=", **options"), Promise.SOMETIMES),
    "a reconciler": (DECORATED.format(more="") + RECONCILED, Promise.RECONCILABLE),
    "a reconciler by table": ("h.tools['pay'] = pay\nh.reconcilers['pay'] = find", Promise.RECONCILABLE),
    "idempotent first": (DECORATED.format(more=", idempotent=True") + RECONCILED, Promise.IDEMPOTENT),
    "by table": ("h.tools['pay'] = pay", Promise.NONE),
    "by table and set": ("h.tools['pay'] = pay\nh.idempotent_tools.add('pay')", Promise.IDEMPOTENT),
    "by update": (
        "h.tools.update({'pay': pay})\nh.idempotent_tools.update({'pay', 'x'})",
        Promise.IDEMPOTENT,
    ),
    "by |=": ("h.tools['pay'] = pay\nh.idempotent_tools |= {'pay'}", Promise.IDEMPOTENT),
    "by a loop over a table": (
        "for name, run in {'pay': pay, 'ask': ask}.items():\n    h.tools[name] = run",
        Promise.NONE,
    ),
    "by a loop over a table, all idempotent": (
        "for name, run in {'pay': pay}.items():\n    h.tool(name, idempotent=True)(run)",
        Promise.IDEMPOTENT,
    ),
    "by a loop over a table, with reconcilers": (
        "h.tools['pay'] = pay\nfor name, find in {'pay': look}.items():\n    h.reconcilers[name] = find",
        Promise.RECONCILABLE,
    ),
    "registrar called": ("h.tool('pay', idempotent=True)(pay)", Promise.IDEMPOTENT),
    "below if": ("h.tools['pay'] = pay\nif x:\n    h.idempotent_tools.add('pay')", Promise.SOMETIMES),
    "on every branch": (
        f"h.tools['pay'] = pay\nif x:\n{PROMISE}\nelse:\n{PROMISE}",
        Promise.IDEMPOTENT,
    ),
    "on every branch that does not raise": (
        "h.tools['pay'] = pay\nif x:\n    h.idempotent_tools.add('pay')\nelse:\n    raise ValueError(x)",
        Promise.IDEMPOTENT,
    ),
    "one branch each": (
        "if x:\n    h.tool('pay', idempotent=True)(pay)\nelse:\n    h.tool('pay')(pay)",
        Promise.SOMETIMES,
    ),
    "behind an early return": (
        "h.tools['pay'] = pay\nif x:\n    return h\nh.idempotent_tools.add('pay')",
        Promise.SOMETIMES,
    ),
    "in a loop over names": (
        "for name in ('pay', 'tell'):\n    h.tool(name, idempotent=True)(f)",
        Promise.IDEMPOTENT,
    ),
    "a name from a constant": ("NAME = 'pay'\nh.tool(NAME, idempotent=True)(pay)", Promise.IDEMPOTENT),
    "below match": (
        "h.tools['pay'] = pay\nmatch x:\n    case 1:\n        h.idempotent_tools.add('pay')",
        Promise.SOMETIMES,
    ),
    "below try": (
        "h.tools['pay'] = pay\ntry:\n    h.idempotent_tools.add('pay')\nexcept E:\n    pass",
        Promise.SOMETIMES,
    ),
    "below with": ("h.tools['pay'] = pay\nwith x:\n    h.idempotent_tools.add('pay')", Promise.IDEMPOTENT),
    "in a loop of unknown length": (
        "h.tools['pay'] = pay\nwhile x:\n    h.idempotent_tools.add('pay')",
        Promise.SOMETIMES,
    ),
    "behind and": ("h.tools['pay'] = pay\nx and h.reconciler('pay')(f)", Promise.SOMETIMES),
    "before and": ("h.tools['pay'] = pay\nh.reconciler('pay')(f) and x", Promise.RECONCILABLE),
    "in one arm of a conditional": (
        "h.tools['pay'] = pay\nh.reconciler('pay')(f) if x else None",
        Promise.SOMETIMES,
    ),
    "in a comprehension": ("h.tools['pay'] = pay\n[h.reconciler('pay')(f) for _ in x]", Promise.SOMETIMES),
    "behind a return": ("h.tools['pay'] = pay\nreturn h\nh.reconciler('pay')(f)", Promise.NONE),
    "behind a return in a with": (
        "h.tools['pay'] = pay\nwith x:\n    if y:\n        return h\nh.reconciler('pay')(f)",
        Promise.SOMETIMES,
    ),
    "behind a continue": (
        "for n in ('tell', 'pay'):\n    if n == x:\n        continue\n    h.tool(n, idempotent=True)(f)",
        Promise.SOMETIMES,
    ),
    "behind a loop with a break of its own": (
        "for y in z:\n    if y:\n        break\nh.tool('pay', idempotent=True)(f)",
        Promise.IDEMPOTENT,
    ),
    "taken back": (
        "h.tool('pay', idempotent=True)(f)\ndel h.tools['pay']\nh.tools.update(pay=g)",
        Promise.NONE,
    ),
    "taken back from the set": (
        "h.tools['pay'] = f\nh.idempotent_tools.add('pay')\nh.idempotent_tools.discard('pay')",
        Promise.NONE,
    ),
    "reconciler taken back on one branch": (
        "h.tools['pay'] = f\nh.reconcilers['pay'] = g\nif x:\n    h.reconcilers.pop('pay')",
        Promise.SOMETIMES,
    ),
    "set first": ("h.idempotent_tools = {'pay'}\nh.tools['pay'] = pay", Promise.IDEMPOTENT),
    "weak, then strong": ("h.tool('pay')(f)\nh.tool('pay', idempotent=True)(g)", Promise.IDEMPOTENT),
    "weak, then strong at another host": (
        "g = Host()\nh.tool('pay')(f)\ng.tool('pay', idempotent=True)(f)",
        Promise.SOMETIMES,
    ),
    "strong, then weak": ("h.tool('pay', idempotent=True)(f)\nh.tool('pay')(g)", Promise.NONE),
    "a constant": ("SAFE = True\nh.tool('pay', idempotent=SAFE)(f)", Promise.IDEMPOTENT),
    "a constant that is false": ("SAFE = False\nh.tool('pay', idempotent=SAFE)(f)", Promise.NONE),
    "a constant that changes on a branch": (
        "SAFE = True\nif x:\n    SAFE = False\nh.tool('pay', idempotent=SAFE)(f)",
        Promise.SOMETIMES,
    ),
    "a name that grows": ("N = 'x'\nN += 'pay'\nh.tool('pay')(f)\nh.tool(N)(f)", Promise.SOMETIMES),
    "a sub-agent": ("h.subagent('pay', idempotent=True)(f)", Promise.IDEMPOTENT),
    "a sub-agent by table": ("h.subagents['pay'] = f", Promise.NONE),
    "a sub-agent by set": ("h.subagents['pay'] = f\nh.idempotent_subagents.add('pay')", Promise.IDEMPOTENT),
    "a reconciled sub-agent": ("h.subagents['pay'] = f\nh.reconcilers['pay'] = g", Promise.RECONCILABLE),
    "a sub-agent beside a tool": ("h.tools['pay'] = f\nh.subagent('pay', idempotent=True)(f)", Promise.NONE),
    "the set of the other kind": ("h.tools['pay'] = f\nh.idempotent_subagents.add('pay')", Promise.NONE),
    "an idempotent compensation": (
        "h.tools['pay'] = f\nh.compensation('pay', idempotent=True)(g)",
        Promise.NONE,
    ),
    "another object's tool": (
        DECORATED.format(more="") + "@other.tool('pay', idempotent=True)\ndef q(): ...",
        Promise.NONE,
    ),
}


@pytest.mark.parametrize("case", PROMISES)
def test_promise_of_a_tool(case):
    body, promise = PROMISES[case]
    host = read(in_build(body))
    assert host.error is None
    assert host.promise("pay") is promise


def test_host_at_module_level_under_any_name():
    host = read(
        "import agentl\nworld = agentl.Host()\n@world.tool('pay', idempotent=True)\ndef pay(a, *, b): ...\n"
    )
    assert host.promise("pay") is Promise.IDEMPOTENT
    assert host.tools["pay"].parameters == ("a", "b")
    assert host.source.slice(host.tools["pay"].span) == "pay"


def test_compensations_are_seen_by_decorator_and_by_table():
    host = read(
        in_build("@h.compensation('pay')\ndef undo(arguments, result): ...\nh.compensations['tell'] = f")
    )
    assert list(host.compensations) == ["pay", "tell"]
    assert host.compensations["pay"].parameters == ("arguments", "result")


def test_helper_functions_of_the_file_are_followed_with_their_arguments():
    host = read(
        "def add(target, name):\n    target.tools[name] = f\n    target.idempotent_tools.add(name)\n"
        "def build():\n    h = Host()\n    add(h, 'pay')\n    add(h, name='tell')\n    return h\n"
    )
    assert (host.promise("pay"), host.promise("tell")) == (Promise.IDEMPOTENT, Promise.IDEMPOTENT)


def test_helper_called_below_a_condition_promises_sometimes():
    helper = "def more(h):\n    h.reconcilers['pay'] = f\n"
    host = read(helper + in_build("h.tools['pay'] = f\nif x:\n    more(h)"))
    assert host.promise("pay") is Promise.SOMETIMES


def test_helper_that_calls_itself_ends():
    helper = "def more(h):\n    h.tools['pay'] = f\n    more(h)\n"
    host = read(helper + in_build("more(h)"))
    assert not host.complete


@pytest.mark.parametrize(
    "text",
    [
        "from bank import host\n",
        in_build("h.tools[name] = f"),
        in_build("register_everything(h)"),
        in_build("bank.register(host=h)"),
        in_build("h.tools.update(make_tools())"),
    ],
)
def test_what_only_running_would_tell_makes_any_promise_possible(text):
    host = read(text)
    assert not host.complete
    assert host.promise("pay") is Promise.SOMETIMES


def test_tool_that_the_host_does_not_have_has_no_promise():
    assert read(in_build("h.tools['tell'] = f")).promise("pay") is None


def test_script_that_is_not_python_is_told_as_such_and_never_raises():
    for text in ("def build(:\n", "\0", "(" * 500):
        host = read(text)
        assert host.error
        assert not host.complete


def test_line_that_cannot_be_read_is_told():
    host = read("from agentl import Host\n\ndef build(:\n    pass\n")
    assert (host.error, host.error_line) == ("invalid syntax", 3)


def test_constant_of_the_module_counts_in_build():
    host = read("SAFE: bool = True\n" + in_build("h.tool('pay', idempotent=SAFE)(f)"))
    assert host.promise("pay") is Promise.IDEMPOTENT


def test_byte_order_mark_is_no_error_and_shifts_nothing():
    host = read("\ufeff" + "import agentl; h = agentl.Host(); h.tool('pay', idempotent=True)(f)\n")
    assert (host.error, host.promise("pay")) == (None, Promise.IDEMPOTENT)
    assert host.source.slice(host.tools["pay"].span) == "f"


def test_nothing_in_the_script_is_executed(tmp_path):
    mark = tmp_path / "mark"
    read(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n" + in_build("h.tools['pay'] = f"))
    assert not mark.exists()


def test_example_leaves_its_promise_to_a_switch():
    host = read_host(Source((EXAMPLES / "payments.py").read_text(), "payments.py"))
    assert host.complete
    assert host.promises == {"transfer": Promise.SOMETIMES, "notify": Promise.SOMETIMES}
    assert set(host.sensors) == {"queue.pending", "queue.next"}


def test_name_behind_characters_of_several_bytes_is_found():
    text = in_build("x = 'é😀'; y = h.tool('pay')(f)")
    host = read(text)
    assert host.source.slice(host.tools["pay"].span).startswith("f")


SUBCLASS = """\
from agentl import Host as Base
class Payments(Base):
    def __init__(self, bank):
        super().__init__()
        self.tools["pay"] = self.pay
        self._promise()
    def _promise(self):
        self.idempotent_tools.add("pay")
    def pay(self, amount):
        return {}
"""


@pytest.mark.parametrize(
    "made",
    [
        "host = Payments(bank)",
        "def build():\n    return Payments(bank)",
        "def make():\n    return Payments(bank)\nhost = make()",
        "class More(Payments):\n    pass\nhost = Payments(bank)",
    ],
)
def test_class_made_from_host_registers_where_an_object_of_it_is_made(made: str):
    source = read(f"{SUBCLASS}{made}\n")
    assert source.complete
    assert source.promise("pay") is Promise.IDEMPOTENT


def test_class_made_from_host_of_which_there_is_no_object_registers_nothing():
    assert read(f"{SUBCLASS}from agentl import Host\nhost = Host()\n").promises == {}


@pytest.mark.parametrize(
    "head",
    [
        "from agentl import Host as H\nhost = H()",
        "import agentl as al\nhost = al.Host()",
        "from agentl import Host\nhost: Host = Host()",
        "from agentl import Host\ndef make():\n    return Host()\nhost = make()",
    ],
)
def test_host_is_known_under_any_name(head: str):
    source = read(f"{head}\nhost.tools['pay'] = pay\n")
    assert source.complete
    assert source.promise("pay") is Promise.NONE


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_place_of_a_function_without_name_is_all_of_it_whatever_is_written_there(line_end: str):
    written = line_end.join(["lambda amount: (", "    'payé', amount", ")"])
    text = line_end.join(
        ["from agentl import Host", "host = Host()", f"é = 1; host.tools['pay'] = {written}", ""]
    )
    source = read(text)
    assert source.source.slice(source.tools["pay"].span) == written


def test_table_that_is_written_out_under_a_name_is_read_and_one_that_may_have_changed_is_not():
    table = "from agentl import Host\nTOOLS = {'pay': pay}\n{}host = Host()\nhost.tools.update(TOOLS)\n"
    assert read(table.replace("{}", "")).promise("pay") is Promise.NONE
    changed = read(table.replace("{}", "TOOLS.pop('pay')\n"))
    assert not changed.complete
    assert "pay" not in changed.promises
