"""How long and how often a provider is asked (language.md §8.3)."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from agentl.errors import ModelError
from agentl_grammar.problems import Message, message_id


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one question.

    `retries` more requests after the first, whatever went wrong; none begins later than `budget` seconds
    after the first. `timeout` is that of one request in seconds, `output_tokens` the longest answer. Between
    requests the wait grows from `first_wait` to `longest_wait` seconds, unless the provider names one.
    """

    retries: int = 3
    budget: float = 90
    timeout: float = 60
    output_tokens: int = 4096
    first_wait: float = 1
    longest_wait: float = 30

    @classmethod
    def of_environment(cls) -> Limits:
        """Return the limits that the environment sets.

        AGENTL_LLM_RETRIES, AGENTL_LLM_RETRY_BUDGET, AGENTL_LLM_TIMEOUT, AGENTL_MAX_OUTPUT_TOKENS.

        Raises ModelError M103 for what is no number of that kind.
        """
        usual = cls()
        return cls(
            retries=int(_number("AGENTL_LLM_RETRIES", usual.retries, least=0)),
            budget=_number("AGENTL_LLM_RETRY_BUDGET", usual.budget, least=0),
            timeout=_number("AGENTL_LLM_TIMEOUT", usual.timeout, least=0.001),
            output_tokens=int(_number("AGENTL_MAX_OUTPUT_TOKENS", usual.output_tokens, least=1)),
        )


def _number(name: str, default: float, *, least: float) -> float:
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number) and number >= least:
        return number
    raise ModelError(
        "M103",
        Message(
            message_id("{name} is {text}, not a number from {least} on"),
            {"name": name, "text": text, "least": least},
        ),
        action=Message(message_id("set it to a number, or leave it out")),
    )
