"""Two tickets, and a scripted model in place of a real one: it knows billing and outages, nothing else."""

from __future__ import annotations

from agentl import Host, MockLLM, Symbol

TICKETS = ["I was charged twice in May.", "Nothing works since this morning!"]


class Triage(MockLLM):
    """Answers by the ticket that is in the context, as a model would."""

    def reason(self, task: str, context: dict, schema: dict) -> dict:
        """Return the team, the urgency and how sure the model is."""
        text = str(context.get("focus", {}).get("ticket.text", ""))
        if "charged" in text:
            return {"team": "billing", "urgency": "LOW", "confidence": 0.9}
        return {"team": "network", "urgency": "CRITICAL", "confidence": 0.8}


def build() -> tuple[Host, MockLLM]:
    """Return the host and the model."""
    host = Host()
    waiting = list(TICKETS)
    host.sensors["tickets.open"] = lambda: len(waiting)
    host.sensors["ticket.text"] = lambda: waiting[0] if waiting else None

    @host.tool("file_under")
    def file_under(team: Symbol) -> dict[str, int]:
        waiting.pop(0)
        return {"ticket": len(TICKETS) - len(waiting)}

    host.tools["page_engineer"] = lambda team: {}
    return host, Triage({})
