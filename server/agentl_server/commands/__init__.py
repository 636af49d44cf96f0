"""The commands that act on a run: one module a command (docs/editor-protocol.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as t
from pydantic import BaseModel, ValidationError
from pygls.exceptions import JsonRpcInvalidParams

from agentl_server import names, protocol
from agentl_server.commands import inspect, resume, run, stop


@dataclass(frozen=True, slots=True)
class Command:
    """How a command is carried out: `model` is its argument object, `perform(server, argument)` does it."""

    model: type[BaseModel]
    perform: Callable[[Any, Any], Awaitable[BaseModel]]


_COMMANDS = {
    names.RUN: Command(protocol.RunArguments, run.perform),
    names.RESUME: Command(protocol.ResumeArguments, resume.perform),
    names.INSPECT: Command(protocol.InspectArguments, inspect.perform),
    names.STOP: Command(protocol.StopArguments, stop.perform),
}


async def perform(server: object, params: t.ExecuteCommandParams) -> dict[str, Any]:
    """Carry out a command. Raises JsonRpcInvalidParams when it is unknown or its arguments do not fit."""
    command = _COMMANDS.get(params.command)
    if command is None:
        raise JsonRpcInvalidParams(f"there is no command {params.command!r}")
    if params.arguments is None or len(params.arguments) != 1:
        raise JsonRpcInvalidParams(f"{params.command} takes one argument object")
    try:
        argument = command.model.model_validate(params.arguments[0])
    except ValidationError as error:
        raise JsonRpcInvalidParams(f"{params.command}: {protocol.misfits(error)}") from error
    result = await command.perform(server, argument)
    return result.model_dump(mode="json", by_alias=True)
