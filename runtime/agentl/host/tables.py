"""What a host holds: its names are texts, its tables dicts, its promises sets (language.md §8.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from agentl.errors import HostError
from agentl.host.registry import Host
from agentl_grammar.problems import Message, message_id

_TABLES = ("sensors", "tools", "reconcilers", "compensations", "subagents", "memory")
_SETS = ("idempotent_tools", "idempotent_subagents", "idempotent_compensations")


def refuse_odd_tables(host: Host) -> None:
    """Raise HostError H104 for a table of `host` that is no dict, a name in it that is no text, or no set."""
    for name in _TABLES:
        table: Any = getattr(host, name)
        if not isinstance(table, Mapping):
            raise _odd(name, table, message_id("a dict"))
        for key in cast("Mapping[object, object]", table):
            if not isinstance(key, str):
                message = message_id("host.{name} has the name {found}, which is no text")
                raise _refusal(message, {"name": name, "found": repr(key)})
    for name in _SETS:
        names: Any = getattr(host, name)
        if not isinstance(names, Collection) or isinstance(names, str):
            raise _odd(name, names, message_id("a set of names"))


def _odd(name: str, found: object, due: str) -> HostError:
    message = message_id("host.{name} is {found}, not {due}")
    return _refusal(message, {"name": name, "found": repr(found), "due": Message(due)})


def _refusal(message: str, values: dict[str, Any]) -> HostError:
    action = message_id("write names in quotation marks, and leave the tables of the host what they are")
    return HostError("H104", Message(message, values), action=Message(action))
