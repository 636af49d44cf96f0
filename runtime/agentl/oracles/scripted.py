"""ScriptedLLM: a model whose answers are told in advance, one after the other (language.md §8.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self, cast

from agentl.oracles.model import Questions


class ScriptedLLM:
    """Gives its answers in sequence, whatever is asked: for tests and demonstrations.

    An answer to REASON is a dict of fields, one to JUDGE a dict of values or of {value, p, confidence}, one
    to a choice of plans a name or None. An Exception among them is raised. `calls` logs every call as
    (method, task or candidates). A process that resumes a durable run begins with the first answer again,
    although the journal has the earlier ones.

    Raises, when it is asked: LookupError, when all answers are spent.
    """

    def __init__(self, answers: Iterable[Any]) -> None:
        self._answers = list(answers)
        self.calls: list[tuple[str, Any]] = []

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read the answers from a JSON file that holds a list.

        Raises OSError, and ValueError when the file is something else.
        """
        answers: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(answers, list):
            raise ValueError(f"{path} holds no list of answers")  # noqa: TRY004  # it is the content that is wrong
        return cls(cast("list[Any]", answers))

    def reason(self, task: str, context: dict[str, Any], schema: dict[str, str]) -> Any:  # noqa: ARG002  # the protocol's signature
        """Return the next answer."""
        return self._next("reason", task)

    def judge(self, task: str, context: dict[str, Any], questions: Questions) -> Any:  # noqa: ARG002  # the protocol's signature
        """Return the next answer."""
        return self._next("judge", task)

    def select_plan(self, context: dict[str, Any], candidates: Sequence[str]) -> Any:  # noqa: ARG002  # the protocol's signature
        """Return the next answer."""
        return self._next("select_plan", list(candidates))

    def _next(self, method: str, asked: Any) -> Any:
        number = len(self.calls)
        self.calls.append((method, asked))
        if number >= len(self._answers):
            raise LookupError(
                f"the script has {len(self._answers)} answers, and this is question {number + 1}"
            )
        answer = self._answers[number]
        if isinstance(answer, Exception):
            raise answer
        return answer
