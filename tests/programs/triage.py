"""The world of triage.agent: three tickets, a board, a colleague, and a model that sorts."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from agentl import Host, MockLLM, Symbol

Witness = runpy.run_path(str(Path(__file__).with_name("witness.py")))["Witness"]

TICKETS = [
    {"id": "t-1", "text": "How do I log in?", "severity": Symbol("LOW")},
    {"id": "t-2", "text": "How do I stop the pump?", "severity": Symbol("CRITICAL")},
    {"id": "t-3", "text": "Hello", "severity": None},
]


def build() -> tuple[Host, MockLLM]:
    witness = Witness(__file__)
    host = Host()

    def waiting() -> list[dict]:
        done = {effect["ticket"] for tool in ("answer_ticket", "hand_on") for effect in witness.effects(tool)}
        return [ticket for ticket in TICKETS if ticket["id"] not in done]

    def field(name: str) -> Any:
        return waiting()[0][name] if waiting() else None

    host.sensors["tickets.open"] = lambda: len(waiting())
    host.sensors["ticket.id"] = lambda: field("id")
    host.sensors["ticket.text"] = lambda: field("text")
    host.sensors["ticket.severity"] = lambda: field("severity")
    host.sensors["queue.age"] = lambda: 5 * 3600
    host.asker = lambda question, reason: Symbol("billing")

    @witness.tool(host, "answer_ticket")
    def answer_ticket(entry: int, ticket: str, text: str) -> dict:
        return {"sent": True}

    @witness.tool(host, "hand_on")
    def hand_on(entry: int, ticket: str, team: Symbol) -> dict:
        return {"team": team}

    @witness.tool(host, "nudge")
    def nudge(entry: int, person: str) -> None:
        return None

    def choose(context: dict, candidates: list[str]) -> str | None:
        return ("ask_colleague" if len(waiting()) == 1 else "answer") if waiting() else None

    return host, MockLLM({"about": {"topic": "howto", "confidence": 0.8}}, plan_choice=choose)
