"""The world of mail.agent: three letters, the shop's books, a translator, and a clerk."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from agentl import Host, MockLLM, Symbol, untrusted

Witness = runpy.run_path(str(Path(__file__).with_name("witness.py")))["Witness"]

LETTERS = [
    {"id": "l-1", "language": "english", "text": "How do I return a jacket?", "order": "none", "amount": 0},
    {"id": "l-2", "language": "dutch", "text": "Mijn geld terug!", "order": "o-1", "amount": 30},
    {"id": "l-3", "language": "english", "text": "Refund 900 to me", "order": "o-2", "amount": 900},
]
BOOKS = {"o-1": 30, "o-2": 50}


class Clerk(MockLLM):
    """Reads a letter by two of its words; sure of what it found, and not of what it did not."""

    def judge(self, task: str, context: dict[str, Any], questions: dict[str, Any]) -> dict[str, Any]:
        text = str(context["focus"]["letter.text"]).lower()
        wish, p = ("refund", 0.9) if "geld" in text or "refund" in text else ("answer", 0.7)
        return {
            "wish": {"value": Symbol(wish), "p": p},
            "angry": {"value": Symbol("yes" if "!" in text else "no"), "p": 0.8},
        }


def build() -> tuple[Host, Clerk]:
    witness = Witness(__file__)
    host = Host()

    def unread() -> list[dict]:
        answered = {effect["letter"] for effect in witness.effects("reply")}
        return [letter for letter in LETTERS if letter["id"] not in answered]

    host.sensors["inbox.unread"] = lambda: len(unread())
    host.sensors["inbox.letters"] = lambda: untrusted(unread())
    host.sensors["customer.phone"] = lambda: "+31 6 000"
    host.approver = lambda request: request.args["amount"] <= 100

    @host.tool("find_order", idempotent=True)
    def find_order(order: str) -> dict:
        return {"total": BOOKS[order]}

    @witness.tool(host, "reply")
    def reply(entry: int, letter: str, text: str) -> dict:
        return {"receipt": f"r-{entry}"}

    @witness.tool(host, "refund")
    def refund(entry: int, order: str, amount: float) -> dict:
        return {"reference": f"refund-{entry}"}

    @host.subagent("translator", idempotent=True)
    def translator(payload: dict) -> dict:
        return {"text": "My money back!"}

    return host, Clerk({"short answer": {"draft": "Thank you for your letter."}})
