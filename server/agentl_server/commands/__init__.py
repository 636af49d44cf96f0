"""The commands that act on a run: one module a command, each with its argument object (docs/editor-protocol.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agentl_server import protocol
from agentl_server.commands import inspect, resume, run, stop


@dataclass(frozen=True, slots=True)
class Command:
    """How a command is carried out: `model` is its argument object, `perform(server, argument)` does it."""

    model: type[BaseModel]
    perform: Callable[[Any, Any], Awaitable[BaseModel]]


COMMANDS = {
    protocol.RUN: Command(protocol.RunArguments, run.perform),
    protocol.RESUME: Command(protocol.ResumeArguments, resume.perform),
    protocol.INSPECT: Command(protocol.InspectArguments, inspect.perform),
    protocol.STOP: Command(protocol.StopArguments, stop.perform),
}
