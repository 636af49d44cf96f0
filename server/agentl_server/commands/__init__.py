"""The commands that act on a run: one module a command (docs/editor-protocol.md)."""

from __future__ import annotations

from agentl_server import protocol
from agentl_server.commands import inspect, resume, run, stop
from agentl_server.wire import Command

COMMANDS = {
    protocol.RUN: Command(protocol.RunArguments, run.perform),
    protocol.RESUME: Command(protocol.ResumeArguments, resume.perform),
    protocol.INSPECT: Command(protocol.InspectArguments, inspect.perform),
    protocol.STOP: Command(protocol.StopArguments, stop.perform),
}
