"""The decision of a POLICY on one action (language.md §5.7), and the digest that every permit carries."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agentl.trivalent import Guard, GuardReader, Recorder, Truth, guard_of
from agentl.values import UNDEFINED, Value
from agentl_grammar.printer import print_node
from agentl_grammar.tree import Agent, PolicyDefault, Rule

Verdict = Literal["ALLOWED", "DENIED", "APPROVAL_REQUIRED"]
_POLICY_VERSION = "agentl.policy/1"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy says.

    `rule` is the canonical text of what decided; `reads` maps a path read to its value. `unknown` are the
    paths without a value for which the guard of `rule` is unknown, none when other values make it so; None
    when it is known.
    """

    verdict: Verdict
    rule: str
    reads: dict[str, Value]
    unknown: tuple[str, ...] | None = None


class _Judged(NamedTuple):
    """A rule as it is judged: without a guard it is true."""

    guard: Guard | None
    text: str

    def applies(self, recorder: Recorder) -> Truth:
        return Truth.TRUE if self.guard is None else self.guard(recorder)


class _Rules(NamedTuple):
    """The rules on one target, in the order in which they are asked."""

    forbidding: list[_Judged]
    allowing: list[_Judged]
    requiring: list[_Judged]


class PolicyEngine:
    """The POLICY blocks of one agent."""

    def __init__(self, agent: Agent) -> None:
        entries = agent.policy_rules
        defaults = [entry.verdict for entry in entries if isinstance(entry, PolicyDefault)]
        self._default = defaults[-1] if defaults else "ALLOW"
        self._rules = [entry for entry in entries if isinstance(entry, Rule)]
        self._on: dict[str, _Rules] = {}  # a program names few targets
        text = "\n".join(
            (_POLICY_VERSION, f"DEFAULT {self._default}", *(print_node(entry) for entry in entries))
        )
        self.digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def decide(self, target: str, reader: GuardReader) -> Decision:
        """Decide on an action on `target`.

        NEVER, DENY, the set of ALLOW, the default, REQUIRE, in this order.
        """
        recorder = Recorder(reader)
        rules = self._on.get(target)
        if rules is None:
            rules = self._on[target] = self._rules_on(target)
        if forbidden := _first(rules.forbidding, recorder):
            return Decision("DENIED", forbidden.text, recorder.reads, _unknown([forbidden], reader))
        allowed, rule = self._allowed(rules.allowing, recorder)
        if not allowed:
            return Decision("DENIED", rule, recorder.reads, _unknown(rules.allowing, reader))
        if approval := _first(rules.requiring, recorder):
            unknown = _unknown([approval], reader)
            return Decision("APPROVAL_REQUIRED", approval.text, recorder.reads, unknown)
        return Decision("ALLOWED", rule, recorder.reads)

    def _rules_on(self, target: str) -> _Rules:
        def of(kind: str) -> list[_Judged]:
            return [
                _Judged(None if rule.guard is None else guard_of(rule.guard.condition), print_node(rule))
                for rule in self._rules
                if rule.kind == kind and (rule.target is None or rule.target.text == target)
            ]

        return _Rules([*of("NEVER"), *of("DENY")], of("ALLOW"), of("REQUIRE"))

    def _allowed(self, rules: list[_Judged], recorder: Recorder) -> tuple[bool, str]:
        """Tell whether the action is let through, and by what.

        A target with an ALLOW rule needs a true one.
        """
        for rule in rules:
            if rule.applies(recorder) is Truth.TRUE:
                return True, rule.text
        if rules:
            return False, ", ".join(rule.text for rule in rules)
        return self._default == "ALLOW", f"DEFAULT {self._default}"


def _first(rules: list[_Judged], recorder: Recorder) -> _Judged | None:
    """Return the first rule whose guard is true or unknown."""
    for rule in rules:
        if rule.applies(recorder) is not Truth.FALSE:
            return rule
    return None


def _unknown(rules: list[_Judged], reader: GuardReader) -> tuple[str, ...] | None:
    """Return the paths without a value in the guards that are unknown; None when all are known."""
    found: dict[str, None] | None = None
    for rule in rules:
        recorder = Recorder(reader)
        if rule.applies(recorder) is Truth.UNKNOWN:
            lacking = [path for path, value in recorder.reads.items() if value is UNDEFINED]
            found = (found or {}) | dict.fromkeys(lacking)
    return None if found is None else tuple(found)
