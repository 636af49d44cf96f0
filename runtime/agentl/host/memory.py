"""The records of a host with which a run begins: only of declared memories (language.md §5.1)."""

from __future__ import annotations

from agentl.errors import HostError
from agentl.host.registry import Host
from agentl.interpreter.memory import may_seed
from agentl_grammar.problems import Message, message_id
from agentl_grammar.tree import Agent


def refuse_undeclared_memory(host: Host, agent: Agent) -> None:
    """Raise HostError H106 when `host.memory` names what MEMORY of `agent` does not declare, or SHARED."""
    for path in host.memory:
        if not may_seed(agent, path):
            message = message_id("host.memory has records for {path}, which the program does not declare")
            action = message_id("declare it in MEMORY of {agent}, or leave it out of host.memory")
            raise HostError(
                "H106",
                Message(message, {"path": repr(path)}),
                action=Message(action, {"agent": agent.name.text}),
            )
