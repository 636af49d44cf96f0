"""A process that runs one program in one store: `python run_child.py ADDRESS [LEASE_SECONDS]`.

It says `ready`, waits for a line, runs, says `calling` in the tool, waits for a line, and says how it ended.
"""

import os
import sys

from agentl import Host, parse_source
from agentl.durable import DurableRun, PostgresStore
from agentl.durable.addressing import store_at
from agentl.errors import Explained

PROGRAM = """
AGENT payer {
  TOOL transfer { INPUT { amount: Number }  OUTPUT { reference: String }  SIDE_EFFECT { ledger } }
  POLICY { DEFAULT ALLOW  NEVER transfer WHEN tools.transfer.in_doubt == true }
  PLAN pay WHEN run.resumes >= 0 { transfer(amount = 10) }
  LOOP MAX 1 { SELECT_PLAN EXECUTE }
}
"""


def transfer(amount: float) -> dict[str, str]:
    say("calling")
    sys.stdin.readline()
    return {"reference": "r1"}


def say(word: str) -> None:
    # What a tool prints goes elsewhere; this is for whoever started the process.
    os.write(1, f"{word}\n".encode())


def main() -> None:
    host = Host()
    host.tool("transfer", idempotent=True)(transfer)
    address = sys.argv[1]
    store = store_at(address)
    if len(sys.argv) > 2:
        dsn, _, run = address.rpartition("#")
        store = PostgresStore(dsn, run, lease_seconds=float(sys.argv[2]))
    say("ready")
    sys.stdin.readline()
    try:
        DurableRun(parse_source(PROGRAM), host, store=store, run_id="run1").run()
    except Explained as refusal:
        say(f"{refusal.code} {refusal.message}")
    else:
        say("completed")


if __name__ == "__main__":
    main()
