"""What an attack is: a POLICY, a program, and a world that tries to get a payment all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from agentl import Host, MockLLM
from agentl.interpreter import written

Change = Callable[[pytest.MonkeyPatch], None]
NO_MODEL = "NEVER pay WHEN LLM_DERIVED(action)"
OPEN = "ALLOW pay WHEN"


@dataclass(frozen=True)
class Attack:
    """A rule about `pay`, the body of a plan, and what the world answers; the rest of the agent first."""

    rule: str
    body: str
    rest: str = ""
    says: dict[str, Any] = field(default_factory=dict)
    sensors: dict[str, Any] = field(default_factory=dict)
    tools: dict[str, Callable[..., Any]] = field(default_factory=dict)
    made: dict[str, Callable[[], Callable[..., Any]]] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    events: tuple[tuple[str, dict[str, Any]], ...] = ()
    ticks: int = 1


Groups = list[tuple[dict[str, Attack], Change]]
"""Attacks, each with the mutant that lets those of its group through."""


def asking(fields: str) -> str:
    return f'REASON "r" {{ PRODUCE {{ {fields} }} }}'


def raising(error: Exception) -> Callable[..., Any]:
    def fail(**_: Any) -> Any:
        raise error

    return fail


def once(then: Callable[..., Any]) -> Callable[..., Any]:
    """Return what makes a tool that answers `ok: yes` once, and then as `then` does."""

    def make() -> Callable[..., Any]:
        left = [{"ok": "yes"}]
        return lambda **given: left.pop() if left else then(**given)

    return make


def paid(run_agent, attack: Attack) -> list[object]:
    host, done = Host(), list[object]()
    for path, reading in attack.sensors.items():
        host.sensors[path] = lambda reading=reading: reading
    made = {name: make() for name, make in attack.made.items()}
    host.tools |= attack.tools | made
    host.subagents["helper"] = lambda _: made["helper"]()
    host.tools["pay"] = lambda n: done.append(n) or {}
    host.tools.setdefault("ask", lambda v: {})
    host.asker = lambda question, _: attack.asked.get(question)
    for source, payload in attack.events:
        host.emit(source, **payload)
    policy = attack.rule if OPEN in attack.rule else f"{attack.rule} ALLOW pay"
    run_agent(
        f"""{attack.rest} TOOL pay {{ INPUT {{ n: Any }} RISK HIGH }} POLICY {{ {policy} }}
        PLAN first WHEN 1 == 1 {{ {attack.body} }}""",
        host,
        MockLLM({"r": attack.says}),
        ticks=attack.ticks,
    )
    return done


def join_nothing(patch: pytest.MonkeyPatch) -> None:
    """Forget what a body may do: what it left alone keeps its sources."""
    nothing = written.May((), (), (), (), executes=False, passes_on=False, retries=False)
    patch.setattr(written, "_may", lambda *_: nothing)


def pair_of_tests(groups: Groups) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return two tests of each attack: it gets no payment, and without the rule that stops it, it does."""
    cases = [
        pytest.param(attack, change, id=name)
        for attacks, change in groups
        for name, attack in attacks.items()
    ]
    each = pytest.mark.parametrize(("attack", "change"), cases)

    @each
    def is_stopped(run_agent: Any, attack: Attack, change: Change) -> None:
        assert paid(run_agent, attack) == []

    @each
    def is_paid(run_agent: Any, attack: Attack, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
        change(monkeypatch)
        assert paid(run_agent, attack) != []

    return is_stopped, is_paid
