"""The decision of a POLICY on one action (language.md §5.7), and the digest that every permit carries."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from agentl.trivalent import GuardReader, Recorder, Truth, judge
from agentl.values import Value
from agentl_grammar.printer import print_node
from agentl_grammar.tree import Agent, PolicyDefault, Rule

Verdict = Literal["ALLOWED", "DENIED", "APPROVAL_REQUIRED"]
_POLICY_VERSION = "agentl.policy/1"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy says.

    `rule` is the canonical text of what decided; `reads` maps a path read to its value.
    """

    verdict: Verdict
    rule: str
    reads: dict[str, Value]


class PolicyEngine:
    """The POLICY blocks of one agent."""

    def __init__(self, agent: Agent) -> None:
        entries = agent.policy_rules
        defaults = [entry.verdict for entry in entries if isinstance(entry, PolicyDefault)]
        self._default = defaults[-1] if defaults else "ALLOW"
        self._rules = [(entry, print_node(entry)) for entry in entries if isinstance(entry, Rule)]
        self._found: dict[tuple[str, str], list[tuple[Rule, str]]] = {}  # a program names few targets
        text = "\n".join(
            (_POLICY_VERSION, f"DEFAULT {self._default}", *(print_node(entry) for entry in entries))
        )
        self.digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def decide(self, target: str, reader: GuardReader) -> Decision:
        """Decide on an action on `target`.

        NEVER, DENY, the set of ALLOW, the default, REQUIRE, in this order.
        """
        recorder = Recorder(reader)
        for kind in ("NEVER", "DENY"):
            if rule := self._first(kind, target, recorder):
                return Decision("DENIED", rule, recorder.reads)
        allowed, rule = self._allowed(target, recorder)
        if not allowed:
            return Decision("DENIED", rule, recorder.reads)
        if approval := self._first("REQUIRE", target, recorder):
            return Decision("APPROVAL_REQUIRED", approval, recorder.reads)
        return Decision("ALLOWED", rule, recorder.reads)

    def _matching(self, kind: str, target: str) -> list[tuple[Rule, str]]:
        found = self._found.get((kind, target))
        if found is None:
            found = self._found[kind, target] = [
                (rule, text)
                for rule, text in self._rules
                if rule.kind == kind and (rule.target is None or rule.target.text == target)
            ]
        return found

    def _first(self, kind: str, target: str, recorder: Recorder) -> str | None:
        """Return the first rule of `kind` whose guard is true or unknown."""
        for rule, text in self._matching(kind, target):
            if _applies(rule, recorder) is not Truth.FALSE:
                return text
        return None

    def _allowed(self, target: str, recorder: Recorder) -> tuple[bool, str]:
        """Tell whether the action is let through, and by what.

        A target with an ALLOW rule needs a true one.
        """
        rules = self._matching("ALLOW", target)
        for rule, text in rules:
            if _applies(rule, recorder) is Truth.TRUE:
                return True, text
        if rules:
            return False, ", ".join(text for _, text in rules)
        return self._default == "ALLOW", f"DEFAULT {self._default}"


def _applies(rule: Rule, recorder: Recorder) -> Truth:
    return Truth.TRUE if rule.guard is None else judge(rule.guard.condition, recorder)
