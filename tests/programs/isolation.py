"""The world of isolation.agent: one infected laptop, its switch, and a model that reads alerts."""

from __future__ import annotations

import runpy
from pathlib import Path

from agentl import Host, MockLLM, Symbol

Witness = runpy.run_path(str(Path(__file__).with_name("witness.py")))["Witness"]
OWNERS = {"pc-7": "Ann"}


def build() -> tuple[Host, MockLLM]:
    witness = Witness(__file__)
    host = Host()

    def isolated() -> bool:
        return bool(witness.effects("isolate"))

    host.sensors["infected.open"] = lambda: 0 if isolated() else 1
    host.sensors["suspect.host"] = lambda: "pc-7"
    host.sensors["suspect.role"] = lambda: Symbol("laptop")
    host.sensors["suspect.state"] = lambda: Symbol("isolated" if isolated() else "online")
    host.sensors["alert.text"] = lambda: "beacon to a known address"
    host.asker = lambda question, reason: Symbol("wait")

    @host.tool("look_up", idempotent=True)
    def look_up(host: str) -> dict:
        return {"owner": OWNERS[host]}

    @witness.tool(host, "isolate")
    def isolate(entry: int, host: str) -> dict:
        return {"port": Symbol("closed")}

    @witness.tool(host, "page")
    def page(entry: int, text: str) -> dict:
        return {}

    host.emit("alert.raised", text="beacon", host="pc-7")
    return host, MockLLM({"severe": {"severity": "HIGH", "confidence": 0.9}})
