"""Help for those who test a host script (language.md §8.2)."""

from __future__ import annotations

from typing import Any

from agentl.drivers.live import LiveDriver
from agentl.host.registry import Host
from agentl.kernel import Kernel
from agentl.oracles.mock import MockLLM


def dispatch(host: Host, name: str, args: dict[str, Any] | None = None, *, attempt: int = 1) -> Any:
    """Run the tool `name` of `host` under a real permit, and return its result.

    The tool can read `current_action()`. What it raises comes out unchanged; a KeyError says that there is
    no such tool. The action is `test:test:t1:a1`.
    """
    permit = Kernel("test", "test", "").mint("invoke", name, dict(args or {}), tick=1, sequence=1)
    with LiveDriver(host, MockLLM()) as driver, permit.active(attempt):
        return driver.call(host.invoke, name, dict(permit.action.arguments))
