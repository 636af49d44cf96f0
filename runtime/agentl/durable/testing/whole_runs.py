"""The checks of whole runs in a store."""

from __future__ import annotations

import contextlib

from agentl.durable.blobs import LIMIT, MARK
from agentl.durable.records import ResultRecord
from agentl.durable.run import DurableRun
from agentl.durable.status import read_records, status
from agentl.durable.testing.basics import Place, expect
from agentl.host.registry import Host
from agentl_grammar.parser import parse
from agentl_grammar.tree import Program

RUN = "run1"
"""The run that the checks make: a store that fixes a name must have this one."""
_PROGRAM = """
AGENT payer {
  OBSERVE { queue.pending }
  TOOL transfer { INPUT { amount: Number }  OUTPUT { reference: String }  SIDE_EFFECT { ledger } }
  POLICY { DEFAULT ALLOW  NEVER transfer WHEN tools.transfer.in_doubt == true }
  PLAN pay WHEN queue.pending > 0 { transfer(amount = 10) }
  LOOP MAX 3 { OBSERVE SELECT_PLAN EXECUTE }
}
"""


class _CrashError(BaseException):
    """Stands for the death of a process."""


def _host(calls: list[str], *, dies: bool, reference: str = "r") -> Host:
    host = Host()
    host.sensors["queue.pending"] = lambda: 1

    def transfer(amount: float) -> dict[str, str]:
        calls.append(f"{amount:g}")
        if dies:
            raise _CrashError
        return {"reference": f"{reference}{len(calls)}"}

    host.tool("transfer", idempotent=True)(transfer)
    return host


def _run(place: Place, calls: list[str], *, dies: bool = False, reference: str = "r") -> None:
    program = parse(_PROGRAM).program
    expect(isinstance(program, Program), "the program of the checks")
    store = place()
    host = _host(calls, dies=dies, reference=reference)
    with contextlib.suppress(_CrashError):
        DurableRun(program, host, store=store, run_id=RUN).run()  # pyright: ignore[reportArgumentType]


def a_run_is_completed_and_derived_again_without_effect(place: Place) -> None:
    """A run goes through, stands as completed, and a second `run()` calls nothing and writes nothing."""
    calls: list[str] = []
    _run(place, calls)
    expect(len(calls) == 3, "three ticks, three payments")  # noqa: PLR2004  # LOOP MAX 3
    expect(status(place()).state == "completed", "the run is completed")
    before = place().records()
    _run(place, calls)
    expect(len(calls) == 3, "no payment again")  # noqa: PLR2004  # LOOP MAX 3
    expect(place().records() == before, "no record more")


def a_large_value_stands_beside_the_journal_and_comes_back(place: Place) -> None:
    """No line holds it, every reader gets it, and the run goes through and is derived again with it."""
    large = "x" * 100_000
    _run(place, [], reference=large)
    lines = place().records().splitlines()
    expect(max(map(len, lines)) < LIMIT, "no large value in a line")
    results = [record for record in read_records(place()) if isinstance(record, ResultRecord)]
    values = [record.value for record in results]
    expect(values == [{"reference": f"{large}{n}"} for n in (1, 2, 3)], "large values come back")
    expect(sum(MARK in line for line in lines) == len(values), "each is named by its record")
    _run(place, [], reference=large)
    expect(place().records().splitlines() == lines, "the run is derived again")


def a_run_that_died_in_a_tool_is_resumed_with_the_same_key(place: Place) -> None:
    """The intent is there, the run stands as interrupted, and the resume settles it."""
    calls: list[str] = []
    _run(place, calls, dies=True)
    found = status(place())
    expect(found.state == "interrupted", "the run is interrupted")
    expect([intent.key for intent in found.open_intents] == ["transfer"], "its intent is open")
    _run(place, calls)
    expect(status(place()).state == "completed", "the run is completed")
    expect([item.how for item in status(place()).settlements] == ["retry"], "the intent was sent again")
