"""What a program does, and the public Python API (durability.md §12).

Names are loaded when they are first used: importing `agentl` costs nothing that a host script does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentl.on_first_use import on_first_use

if TYPE_CHECKING:
    from agentl.errors import (
        Abort,
        AgentlError,
        DurableError,
        HostError,
        InDoubt,
        ModelError,
        PermitError,
        ProgramError,
        ReplayDivergence,
        StoreFailure,
        UsageError,
    )
    from agentl.host.registry import NOT_EXECUTED, Host
    from agentl.kernel import Action, current_action
    from agentl.oracles.choosing import model_named
    from agentl.oracles.mock import MockLLM
    from agentl.oracles.scripted import ScriptedLLM
    from agentl.programs import parse_file, parse_source
    from agentl.provenance import untrusted
    from agentl.values import UNDEFINED, Symbol

__all__ = [
    "NOT_EXECUTED",
    "UNDEFINED",
    "Abort",
    "Action",
    "AgentlError",
    "DurableError",
    "Host",
    "HostError",
    "InDoubt",
    "MockLLM",
    "ModelError",
    "PermitError",
    "ProgramError",
    "ReplayDivergence",
    "ScriptedLLM",
    "StoreFailure",
    "Symbol",
    "UsageError",
    "current_action",
    "model_named",
    "parse_file",
    "parse_source",
    "untrusted",
]

_HOMES = {
    "agentl.errors": (
        "Abort",
        "AgentlError",
        "DurableError",
        "HostError",
        "InDoubt",
        "ModelError",
        "PermitError",
        "ProgramError",
        "ReplayDivergence",
        "StoreFailure",
        "UsageError",
    ),
    "agentl.host.registry": ("NOT_EXECUTED", "Host"),
    "agentl.kernel": ("Action", "current_action"),
    "agentl.oracles.choosing": ("model_named",),
    "agentl.oracles.mock": ("MockLLM",),
    "agentl.oracles.scripted": ("ScriptedLLM",),
    "agentl.programs": ("parse_file", "parse_source"),
    "agentl.provenance": ("untrusted",),
    "agentl.values": ("UNDEFINED", "Symbol"),
}
__getattr__, __dir__ = on_first_use(globals(), _HOMES)
