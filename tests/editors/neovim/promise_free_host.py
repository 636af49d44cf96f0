"""The world of payments.agent with a bank that promises nothing and is PAYMENTS_DELAY seconds slow."""

import os
import sys
import time
from pathlib import Path

from agentl import Host


def build():
    host = Host()
    host.sensors["queue.pending"] = lambda: 1
    host.sensors["queue.next"] = lambda: {"id": "order-7", "account": "NL-0042", "amount": 250}

    @host.tool("transfer")
    def transfer(order, account, amount):
        Path(__file__).with_name("asked").touch()
        time.sleep(float(os.environ.get("PAYMENTS_DELAY", "0")))
        return {"order": order, "reference": "entry-1"}

    @host.tool("notify")
    def notify(recipient, text):
        sys.stdout.write(f"notice to {recipient}: {text}\n")
        return {"notice": "notice-1"}

    return host
