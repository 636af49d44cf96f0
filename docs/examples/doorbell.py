"""A house with a bell: a friend rings, then a stranger. HOUSE_AWAKE=no makes it night."""

from __future__ import annotations

import os

from agentl import Host, Symbol


def build() -> Host:
    """Return the host; the two visits wait as events."""
    host = Host()
    host.sensors["house.awake"] = lambda: Symbol(os.environ.get("HOUSE_AWAKE", "yes"))
    host.tools["chime"] = lambda tune: {}
    host.tools["write_note"] = lambda text: {}
    host.tools["unlock"] = lambda door: {}
    host.emit("bell.rang", known=Symbol("yes"), name="Ada")
    host.emit("bell.rang", known=Symbol("no"), name="")
    return host
