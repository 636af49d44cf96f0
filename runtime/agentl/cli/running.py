"""`agentl run`: read, refuse what cannot run, load the host, run or resume, print (durability.md §1)."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from agentl.cli import Terminated
from agentl.cli.files import read_text
from agentl.cli.output import TraceOutput, print_metrics, print_settled
from agentl.cli.reporting import notice
from agentl.errors import ProgramError, UsageError
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Severity, message_id
from agentl_grammar.tree import Program

GOALS_UNMET = 3


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `agentl run`, as they were given."""

    file: Path
    durable: Path | None
    run_id: str | None
    ticks: int | None
    quiet: bool
    fail_on_goal: bool
    events: Path | None
