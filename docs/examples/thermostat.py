"""A room that cools by itself and warms with the power of its heater. ROOM_WINDOW=open opens the window."""

from __future__ import annotations

import os

from agentl import Host, Symbol


def build() -> Host:
    """Return the host: two sensors and the heater."""
    host = Host()
    room = {"temperature": 14.0}
    host.sensors["room.temperature"] = lambda: round(room["temperature"], 1)
    host.sensors["window.open"] = lambda: Symbol("yes" if os.environ.get("ROOM_WINDOW") == "open" else "no")

    @host.tool("heat")
    def heat(power: float) -> dict[str, float]:
        room["temperature"] += power / 32 - 0.5
        return {"watts": power * 20}

    return host
