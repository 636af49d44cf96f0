"""MockLLM: a deterministic model for tests and first runs (language.md §8.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentl.oracles.model import Questions


class MockLLM:
    """Answers from a script: the first key found in the task, in any case, gives the fields.

    A value for JUDGE is bare, or {value, p, confidence}. `plan_choice(context, candidates)` chooses a plan;
    without it the first one is chosen. `calls` logs every call as (method, task or candidates).
    """

    def __init__(
        self,
        scripted: Mapping[str, Mapping[str, Any]] | None = None,
        plan_choice: Callable[[dict[str, Any], Sequence[str]], str | None] | None = None,
    ) -> None:
        self._scripted = dict(scripted or {})
        self._plan_choice = plan_choice
        self.calls: list[tuple[str, Any]] = []
        self.last_reason_missing: list[str] | None = None

    def reason(self, task: str, context: dict[str, Any], schema: dict[str, str]) -> Any:  # noqa: ARG002  # the protocol's signature
        """Return the scripted fields of `schema`; those that the script leaves out are missing."""
        self.calls.append(("reason", task))
        script = self._script(task)
        self.last_reason_missing = [name for name in schema if name not in script]
        return {name: script[name] for name in schema if name in script}

    def judge(self, task: str, context: dict[str, Any], questions: Questions) -> Any:  # noqa: ARG002  # the protocol's signature
        """Return the scripted judgements; those that the script leaves out are missing."""
        self.calls.append(("judge", task))
        script = self._script(task)
        return {name: script[name] for name in questions if name in script}

    def select_plan(self, context: dict[str, Any], candidates: Sequence[str]) -> Any:
        """Return the plan that `plan_choice` names, else the first candidate."""
        self.calls.append(("select_plan", list(candidates)))
        if self._plan_choice is not None:
            return self._plan_choice(context, candidates)
        return candidates[0] if candidates else None

    def _script(self, task: str) -> Mapping[str, Any]:
        nothing: Mapping[str, Any] = {}
        return next(
            (fields for key, fields in self._scripted.items() if key.lower() in task.lower()), nothing
        )
