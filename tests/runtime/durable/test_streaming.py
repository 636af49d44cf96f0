"""`show` and `export` hold no journal: what they hold does not grow with it; what they write is the same."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agentl_process import clean_environment

from agentl import Host, InDoubt
from agentl.durable import DurableError, FileStore, Word, export_run, replay, settle, show
from agentl.durable.chain import seal_line
from agentl.durable.export import exporter
from agentl.durable.showing import lines_of


@pytest.fixture
def long_run(durable, bank, tmp_path) -> Callable[[int], Path]:
    """Return a function: a number of bytes → the directory of a run whose journal has about as many."""
    durable(bank.host(), store=FileStore(tmp_path / "short")).run()

    def make(size: int) -> Path:
        place = tmp_path / f"long-{size}"
        shutil.copytree(tmp_path / "short", place)
        header, *tick, end = [json.loads(line) for line in (place / "wal.jsonl").read_bytes().splitlines()]
        tick = [fields for fields in tick if fields["tick"] == 1]
        lines, previous, written, ticks = list[bytes](), "", 0, 0

        def put(fields: dict[str, object], **changes: object) -> None:
            nonlocal previous, written
            body = {name: value for name, value in fields.items() if name != "h"} | changes
            line, previous = seal_line(previous, body | {"n": len(lines)})
            lines.append(line + b"\n")
            written += len(line)

        put(header)
        while written < size:
            ticks += 1
            for fields in tick:
                text = json.dumps(fields).replace(":t1:", f":t{ticks}:")
                put(json.loads(text), tick=ticks)
        put(end)
        (place / "wal.jsonl").write_bytes(b"".join(lines))
        return place

    return make


MEASURED = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "agentl", *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(room: Path, *words: str) -> int:
    """What a process of the command line held at most, in kilobytes; it is not forked from this large one."""
    process = subprocess.run(
        [sys.executable, "-c", MEASURED, *words],
        cwd=room,
        env=clean_environment(room, {}),
        capture_output=True,
        check=True,
    )
    return int(process.stdout)


@pytest.mark.parametrize("command", ["show", "export"])
def test_what_a_reader_holds_does_not_grow_with_the_journal(long_run, tmp_path, command) -> None:
    short, long = (peak(tmp_path, "durable", command, str(long_run(size))) for size in (100_000, 6_000_000))
    assert long - short < 6_000, (short, long)


def test_a_long_run_is_shown_and_exported_as_a_short_one(long_run, tmp_path) -> None:
    place = long_run(1_200_000)
    lines = show(place)
    assert [line.n for line in lines] == list(range(1, len(lines) + 1))
    assert {line.state for line in lines} == {"done"}
    text = "".join(exporter(place).pieces())
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
    assert text == export_run(place).text()


def test_an_export_is_the_same_whether_it_is_held_or_written_as_it_comes(durable, tmp_path) -> None:
    host = Host()
    host.sensors["queue.pending"] = lambda: ["y" * 70_000, "é"]
    durable(host).run()
    (tmp_path / "e.json").write_text("".join(exporter(tmp_path / "run").pieces()))
    held = export_run(tmp_path / "run")
    assert held.blobs
    assert (tmp_path / "e.json").read_text() == held.text()
    assert held.seal == held.digest()
    assert replay(tmp_path / "e.json").outcome == "conforming"


def test_a_journal_that_is_replaced_while_it_is_exported_makes_no_export(durable, bank, tmp_path) -> None:
    durable(bank.host()).run()
    export = exporter(tmp_path / "run")
    wal = tmp_path / "run" / "wal.jsonl"
    wal.write_bytes(b"".join(wal.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DurableError) as refusal:
        list(export.pieces())
    assert refusal.value.code == "R603"


MANY = """
AGENT payer {
  OBSERVE { clock }
  TOOL pay { INPUT { n: Number } }
  POLICY { DEFAULT ALLOW }
  PLAN p WHEN clock > 0 { STEP s { FOREACH n IN [1, 2, 3, 4] { pay(n = n) } } }
  LOOP MAX 2 { OBSERVE SELECT_PLAN EXECUTE }
}
"""


def test_an_intent_tells_what_became_of_its_action_however_late_that_was_said(
    durable, crash, tmp_path
) -> None:
    host, answers = Host(), {2: ValueError("no"), 3: InDoubt("no answer")}
    host.sensors["clock"] = lambda: 0 if (tmp_path / "over").exists() else 1

    @host.tool("pay")
    def pay(n: float) -> None:
        if n == 4:
            (tmp_path / "over").touch()
            raise crash
        if n in answers:
            raise answers[int(n)]

    with pytest.raises(crash):
        durable(host, MANY).run()

    def states() -> list[str]:
        return [line.state for line in lines_of(tmp_path / "run") if line.kind == "intent"]

    assert states() == ["done", "failed", "in doubt", "open"]
    settle(tmp_path / "run", "run1:payer:t1:a3", Word("operator_happened", None, "ada"))
    settle(tmp_path / "run", "run1:payer:t1:a4", Word("operator_not", None, "ada"))
    durable(host, MANY).run()
    assert states() == ["done", "failed", "done", "failed"]
    numbers = [line.n for line in lines_of(tmp_path / "run")]
    assert numbers == sorted(numbers) == list(range(1, len(numbers) + 1))
    assert [line.n for line in lines_of(tmp_path / "run", after=5)] == numbers[5:]


HIDING = """
AGENT keeper {
  OBSERVE { card copy }
  POLICY { DEFAULT ALLOW NEVER SEND card }
  LOOP MAX 2 { OBSERVE }
}
"""


def test_what_was_hidden_in_one_tick_is_hidden_where_another_is_shown_alone(durable, tmp_path) -> None:
    host, cards = Host(), ["4711-0815", "none"]
    host.sensors["card"] = lambda: cards.pop(0)
    host.sensors["copy"] = lambda: "of 4711-0815"
    durable(host, HIDING).run()
    assert "4711" in (tmp_path / "run" / "wal.jsonl").read_text()
    assert "4711" not in str(show(tmp_path / "run", tick=2))
