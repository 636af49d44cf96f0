"""A closed door and a customer who may answer by message: PARCEL_ANSWER=doorstep, neighbour, shop."""

from __future__ import annotations

import os

from agentl import Host, Symbol


def build() -> Host:
    """Return the host: the door, the customer's consent, the customer, and the courier's hands."""
    host = Host()
    host.sensors["door.answered"] = lambda: Symbol("no")
    host.sensors["customer.consent"] = lambda: Symbol("no")

    @host.tool("leave")
    def leave(place: Symbol) -> dict[str, str]:
        return {"photo": f"parcel-at-{place}.jpg"}

    answer = os.environ.get("PARCEL_ANSWER")
    host.asker = lambda question, reason: Symbol(answer) if answer else None
    return host
