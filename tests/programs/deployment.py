"""The world of deployment.agent: a registry, a canary that is unwell, a clock that stands."""

from __future__ import annotations

import datetime as dt
import runpy
from pathlib import Path
from typing import Any

from agentl import Host, Symbol

Witness = runpy.run_path(str(Path(__file__).with_name("witness.py")))["Witness"]


def build() -> Host:
    witness = Witness(__file__)
    host = Host()
    host.sensors["release.wanted"] = lambda: "2.4"
    host.sensors["release.stage"] = lambda: Symbol("everyone" if witness.effects("publish") else "nowhere")
    host.sensors["freeze.until"] = lambda: dt.datetime(2026, 7, 1)  # noqa: DTZ001  # as the program writes it
    host.sensors["clock.now"] = lambda: dt.datetime(2026, 7, 26, 12)  # noqa: DTZ001
    host.sensors["canary.errors"] = lambda: 0.04 if witness.effects("shift") else 0.0
    host.approver = lambda request: True

    @witness.tool(host, "build")
    def image(entry: int, version: str) -> dict:
        return {"image": f"app:{version}"}

    @witness.tool(host, "shift")
    def shift(entry: int, image: str, share: float) -> dict:
        return {"share": share}

    @witness.tool(host, "publish")
    def publish(entry: int, image: str) -> None:
        return None

    @witness.tool(host, "tell")
    def tell(entry: int, text: str) -> None:
        return None

    @host.compensation("shift", idempotent=witness.promise == "idempotent")
    def unshift(arguments: dict[str, Any], result: dict[str, Any]) -> None:
        witness.record("unshift", {"image": arguments["image"]})

    return host
