"""The world of payouts.agent: three invoices, one above the limit, and a bank."""

from __future__ import annotations

import runpy
from pathlib import Path

from agentl import Host

Witness = runpy.run_path(str(Path(__file__).with_name("witness.py")))["Witness"]

INVOICES = [
    {"id": "inv-1", "account": "NL-0001", "amount": 40},
    {"id": "inv-2", "account": "NL-0002", "amount": 4000},
    {"id": "inv-3", "account": "NL-0003", "amount": 60.5},
]
HOLDERS = {"NL-0001": "Ann", "NL-0002": "Bob", "NL-0003": "Cleo"}


def build() -> Host:
    witness = Witness(__file__)
    host = Host()

    def unpaid() -> list[dict]:
        paid = {effect["invoice"] for effect in witness.effects("transfer")}
        return [invoice for invoice in INVOICES if invoice["id"] not in paid]

    host.sensors["invoices.open"] = lambda: len(unpaid())
    for field in ("id", "account", "amount"):
        host.sensors[f"invoice.{field}"] = lambda field=field: unpaid()[0][field] if unpaid() else None
    host.sensors["limit.single"] = lambda: None
    host.approver = lambda request: request.args["amount"] < 5000

    @host.tool("confirm_account", idempotent=True)
    def confirm_account(account: str) -> dict:
        return {"holder": HOLDERS[account]}

    @witness.tool(host, "transfer")
    def transfer(entry: int, invoice: str, account: str, amount: float) -> dict:
        return {"invoice": invoice, "reference": f"ref-{entry}"}

    @witness.tool(host, "report")
    def report(entry: int, text: str) -> dict:
        return {}

    return host
