"""Small programs of odd shapes in which an untrusted reading decides something, and what they pay.

Each is about a few topics: names that may be written, asked for, or left alone, and ways to do that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from agentl import Host, MockLLM, Symbol, parse_source, untrusted
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.interpreter.machine import Machine

YES = Symbol("yes")
READINGS: list[Any] = [
    YES,
    Symbol("no"),
    {"a": YES},
    {"a": Symbol("no")},
    {"a": {"a": 1}},
    {"a": {}},
    {"a": [1, 2]},
    {"a": 5},
    {},
    [],
    [1, 2],
    [{"a": 1}],
    "x",
    3,
    None,
]
DECIDED = ("scan == yes", "scan.a == yes", "scan.a != yes", "len(scan) == 0", "scan", "scan.a == 5")
CONSTANTS = ("yes", "no", "1", "2", "cash", "true", "false")
PHASES = ("OBSERVE", "UPDATE_BELIEFS", "EXECUTE", "EXECUTE", "UPDATE_MEMORY", "EVALUATE_GOALS", "RECEIVE")
LOOPS = (
    "",
    "LOOP { OBSERVE SELECT_PLAN EXECUTE }",
    "LOOP { OBSERVE UPDATE_BELIEFS SELECT_PLAN EXECUTE UPDATE_MEMORY }",
)
PLANS = ("p", "q", "z", "y")


@dataclass(frozen=True)
class Topic:
    """Names to read, names to SET, statements, and members of the agent that go with them."""

    read: tuple[str, ...]
    written: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    members: tuple[str, ...] = ("",)


TOPICS = (
    Topic(("way.x", "way"), ("way.x", "way"), (), ("", "BELIEF { way.x = wire }")),
    Topic(("k", "k.a", "len(k)"), ("k", "k.a")),
    Topic(
        ("temp", "sensors.temp.available"),
        ("temp",),
        ("OBSERVE", "UPDATE_BELIEFS", "VERIFY temp == 10"),
        tuple(
            f"OBSERVE {{ temp {when} {unknown} }}"
            for when in ("", "WHEN scan == yes", "WHEN scan.a != yes")
            for unknown in ("", "ON UNKNOWN DEGRADE 7", "ON UNKNOWN ESCALATE", "ON UNKNOWN DEGRADE k")
        ),
    ),
    Topic(
        ("look.r", "r", "result.look.r", "tools.look.failures", "e.dirty", "last_action.blocked"),
        ("r",),
        ("look()", "look(i = 1)", "look(i = k)", "needy()", "failing()", "broken()"),
        tuple(
            f"""TOOL look {{ OUTPUT {{ r: Any }} SIDE_EFFECT {{ e }} }} TOOL failing {{ OUTPUT {{ r: Any }} }}
            TOOL broken {{ OUTPUT {{ r: Number }} }}
            TOOL needy {{ REQUIRES {{ {guard} }} OUTPUT {{ r: Any }} }}"""
            for guard in ("scan == yes", "scan.a == yes", "last_action.blocked == false")
        ),
    ),
    Topic(
        ("lim.x", "lim.x.confidence", "CONFIDENCE(lim.x)"),
        ("lim.x",),
        ("reset()", "raised(v = 2)", "raised(v = scan)", "vague()"),
        tuple(
            f"""{belief} TOOL reset {{ EFFECT {{ lim.x = 1 }} }} TOOL raised {{ EFFECT {{ lim.x = v }} }}
            TOOL vague {{ EFFECT {{ lim.x = scan.a + 1 }} }}"""
            for belief in ("", "BELIEF { lim.x = 5 }")
        ),
    ),
    Topic(
        ("helper.m", "m", "tools.helper.in_doubt"),
        (),
        ("DELEGATE helper { EXPECT { m } }", "DELEGATE helper { EXPECT { m } INPUT { scan } }"),
    ),
    Topic(
        ("answer", "answer.bob"),
        ("answer",),
        ('ASK bob { QUESTION "q" }', "ESCALATE", 'ASK bob { QUESTION "q" DEFAULT scan }'),
    ),
    Topic(
        ("f", "reason.f", "reason.missing", "confidence"),
        ("f",),
        ('REASON "r" { PRODUCE { f: Symbol } }', 'REASON "r" { PRODUCE { confidence: Number } }'),
        ("", "DECIDE { IF scan.a == yes THEN { z } }", 'DECIDE { REASON "r" { PRODUCE { f: Symbol } } }'),
    ),
    Topic(
        ("len(seen)", "seen"),
        ("k",),
        ("UPDATE_MEMORY",),
        tuple(
            f"MEMORY {{ LONG_TERM {{ seen }} WRITE {{ {when} STORE {{ k }} INTO LONG_TERM.seen }} }}"
            for when in ("", "WHEN scan == yes", "WHEN k == 1")
        ),
    ),
    Topic(
        ("goal.score", "goal.satisfied"),
        ("way.x",),
        ("EVALUATE_GOALS",),
        ("GOAL { ACHIEVE scan == yes }", "GOAL { ACHIEVE way.x == 1 }"),
    ),
    Topic(
        ("still_failed",),
        ("k",),
        ("VERIFY scan == yes", "VERIFY k == 1"),
        ("", "ON VERIFY.FAIL { SET k = 1 }", "ON VERIFY.FAIL { RETRY 1 SET k = 2 }"),
    ),
    Topic(
        ("k",),
        ("k",),
        ("EXECUTE", "SELECT_PLAN"),
        ("EVENT ev { SET k = 1 }", "EVENT ev { WHEN scan == yes z }", "EVENT ev { WHEN scan.a EXECUTE }"),
    ),
)


class Writer:
    """Writes one program, with the choices of `random`."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._topics = random.sample(TOPICS, 2)
        self._read = [name for topic in self._topics for name in topic.read]
        self._written = [name for topic in self._topics for name in topic.written] or ["k"]
        self._done = [text for topic in self._topics for text in topic.done] or ["SET k = 1"]

    def program(self) -> str:
        """Return the text of the program."""
        members = [self._choice(topic.members) for topic in self._topics]
        plans = [self._plan(number, name) for number, name in enumerate(PLANS)]
        return f"""AGENT a {{ OBSERVE {{ scan }} TOOL pay {{ INPUT {{ n: Any }} RISK HIGH }}
        POLICY {{ NEVER pay WHEN UNTRUSTED(action) DEFAULT ALLOW }}
        {" ".join((*members, *plans))} {self._choice(LOOPS)} }}"""

    def _choice(self, texts: Any) -> Any:
        return self._random.choice(texts)

    def _plan(self, number: int, name: str) -> str:
        guards = ("WHEN 1 == 1",) if not number else ("", "WHEN 1 == 1", f"WHEN {self._condition()}")
        later = PLANS[number + 1 :]
        steps = [self._statement(2 if not number else 1, later) for _ in range(self._random.randint(1, 3))]
        return f"PLAN {name} {self._choice(guards)} {{ {' '.join(steps)} {self._probe()} }}"

    def _probe(self) -> str:
        read, is_or_not = self._choice(self._read), self._choice(("==", "!="))
        if self._random.random() < 0.5:
            return f"IF {read} {is_or_not} {self._choice(CONSTANTS)} THEN {{ pay(n = 1) }}"
        return f"pay(n = {read})"

    def _condition(self) -> str:
        if self._random.random() < 0.5:
            return self._choice(DECIDED)
        return f"{self._choice(self._read)} {self._choice(('==', '!='))} {self._choice(CONSTANTS)}"

    def _block(self, depth: int, later: tuple[str, ...]) -> str:
        count = self._random.randint(1, 2)
        return f"{{ {' '.join(self._statement(depth, later) for _ in range(count))} }}"

    def _statement(self, depth: int, later: tuple[str, ...]) -> str:
        if depth and self._random.random() < 0.5:
            return self._choice(self._nested)(depth - 1, later)
        return self._choice(self._flat)(later)

    @property
    def _nested(self) -> tuple[Callable[[int, tuple[str, ...]], str], ...]:
        return (self._if, self._if, self._if, self._if_else, self._foreach, self._loop, self._verify)

    def _if(self, depth: int, later: tuple[str, ...]) -> str:
        return f"IF {self._condition()} THEN {self._block(depth, later)}"

    def _if_else(self, depth: int, later: tuple[str, ...]) -> str:
        return f"{self._if(depth, later)} ELSE {self._block(depth, later)}"

    def _foreach(self, depth: int, later: tuple[str, ...]) -> str:
        return f"FOREACH i IN {self._choice(('scan', 'scan.a', '[1, 2]', 'k'))} {self._block(depth, later)}"

    def _loop(self, depth: int, later: tuple[str, ...]) -> str:
        return f"LOOP UNTIL {self._condition()} MAX 2 {self._block(depth, later)}"

    def _verify(self, depth: int, later: tuple[str, ...]) -> str:
        handler = f"{self._choice(('', 'RETRY 1'))} {self._statement(depth, later)}"
        return f'VERIFY "v" {{ CONDITION {self._condition()} ON FAIL {{ {handler} }} }}'

    @property
    def _flat(self) -> tuple[Callable[[tuple[str, ...]], str], ...]:
        return (self._set, self._set, self._do, self._do, self._do, self._queue, self._phase, self._rollback)

    def _set(self, _: tuple[str, ...]) -> str:
        value = self._choice((self._choice(CONSTANTS), self._choice(self._read), "scan", "scan.a", "[1, 2]"))
        return f"SET {self._choice(self._written)} = {value}"

    def _do(self, _: tuple[str, ...]) -> str:
        return self._choice(self._done)

    def _queue(self, later: tuple[str, ...]) -> str:
        return self._choice(later) if later else self._probe()

    def _phase(self, _: tuple[str, ...]) -> str:
        return self._choice(PHASES)

    def _rollback(self, _: tuple[str, ...]) -> str:
        return self._choice(("ROLLBACK", self._probe()))


@dataclass(frozen=True)
class World:
    """What answers beside the untrusted sensor: the same in both runs."""

    temperature: Any
    reply: Any
    said: Any
    model: dict[str, Any]


def world(random: Random) -> World:
    """Return a world, with the choices of `random`."""
    return World(
        random.choice([10, None, YES]),
        random.choice([{}, {"m": YES}]),
        random.choice([None, YES, "no"]),
        random.choice([{}, {"r": {"f": "yes", "confidence": 0.5}}]),
    )


def raising() -> dict[str, Any]:
    raise ValueError


def paid(text: str, reading: Any, around: World) -> list[str] | None:
    """Return what a program pays in three ticks; None when a tick of it was cut short, which nobody hides."""
    host, done = Host(), list[str]()
    host.sensors |= {"scan": lambda: untrusted(reading), "temp": lambda: around.temperature}
    host.tools |= {
        "pay": lambda n: done.append(str(n)) or {},
        "look": lambda i=0: {"r": i},
        "needy": lambda: {"r": 1},
        "broken": lambda: {"r": "x"},
        "failing": raising,
        "reset": dict,
        "raised": lambda v: {},
        "vague": dict,
    }
    host.subagents["helper"] = lambda _: around.reply
    host.asker = lambda *_: around.said
    host.emit("ev", u=1)
    program = parse_source(text)
    machine = Machine(program, program.agents[0], length=3)
    with LiveDriver(host, MockLLM(around.model)) as driver:
        drive(machine, driver)
    return None if any(event.code == "tick.cut" for event in machine.trace.events) else done
