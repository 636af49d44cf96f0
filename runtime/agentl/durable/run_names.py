"""How runs are named (durability.md §12)."""

from __future__ import annotations

import re

from agentl.errors import UsageError
from agentl_grammar.problems import Message, message_id

_RUN_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


def refuse_run_id(run_id: str | None) -> None:
    """Raise UsageError U110 unless a run can have this name; None leaves the choice to us."""
    if run_id is None or _RUN_ID.fullmatch(run_id):
        return
    raise UsageError(
        "U110",
        Message(message_id("{run} cannot be the name of a run"), {"run": run_id}),
        action=Message(message_id("use up to 64 letters, digits, dots, dashes, underscores; no leading dot")),
    )
