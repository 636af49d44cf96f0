"""The world of greenhouse.agent: a hot day, two dry beds, a vent that moves, a note from the grower."""

from __future__ import annotations

import runpy
from pathlib import Path

from agentl import Host, MockLLM, Symbol

Witness = runpy.run_path(str(Path(__file__).with_name("witness.py")))["Witness"]
BEDS = ("mint", "basil")


def build() -> tuple[Host, MockLLM]:
    witness = Witness(__file__)
    host = Host()

    def is_open() -> bool:
        return bool(witness.effects("open_vent"))

    def dry() -> list[str]:
        watered = {effect["bed"] for effect in witness.effects("water")}
        return [bed for bed in BEDS if bed not in watered]

    host.sensors["air.temp"] = lambda: 27.5 if is_open() else 34
    host.sensors["wind.gale"] = lambda: Symbol("no")
    host.sensors["vent.state"] = lambda: Symbol("open" if is_open() else "shut")
    host.sensors["wanted.angle"] = lambda: 40
    host.sensors["beds.dry.count"] = lambda: len(dry())
    host.sensors["beds.dry"] = dry
    host.sensors["note.pending"] = lambda: Symbol("no" if witness.effects("beep") else "yes")
    host.sensors["grower.note"] = lambda: {"text": "the herbs by the door", "phone": "+31 6 000"}

    @witness.tool(host, "open_vent")
    def open_vent(entry: int, angle: float) -> dict:
        return {"moved": Symbol("yes")}

    @witness.tool(host, "water")
    def water(entry: int, bed: str) -> None:
        return None

    @witness.tool(host, "beep")
    def beep(entry: int) -> None:
        return None

    host.emit("door.opened", severity=Symbol("LOW"))
    return host, MockLLM({"kind of bed": {"bed_kind": "herbs"}})
