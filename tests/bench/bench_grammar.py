"""What reading programs costs: cold, after an edit, at the start, in memory."""

import runpy
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from agentl_grammar.parser import Parser
from agentl_grammar.symbols import Symbols

ROOT = Path(__file__).parents[2]
ONE = (ROOT / "docs" / "examples" / "payments.agent").read_text(encoding="utf-8")
LINES = ONE.count("\n") + 1
EDITS = 60
Row = tuple[str, str, str]


def program(lines: int) -> str:
    """A program of so many lines in which no two members are the same text."""
    copies = range(lines // LINES + 1)
    return "\n".join(
        ONE.replace("AGENT payments", f"AGENT payments{n}").replace("\n", f" # {n}\n") for n in copies
    )


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def edits(text: str) -> list[float]:
    """The seconds of parses after one letter more, at places all over the text."""
    parser = Parser()
    parser.parse(text)
    seconds: list[float] = []
    for number in range(EDITS):
        at = text.index("\n", len(text) * number // EDITS)
        text = f"{text[:at]} #{text[at:]}"
        seconds.append(timed(lambda text=text: parser.parse(text)))
    return seconds


def symbols_after_edits(text: str) -> list[float]:
    """The seconds that the symbols take after one number more in one declaration."""
    parser = Parser()
    symbols = Symbols(parser.parse(text).program)
    seconds: list[float] = []
    for number in range(EDITS):
        at = text.index("> 0", len(text) * number // (EDITS + 1)) + 3
        text = f"{text[:at]}1{text[at:]}"
        program = parser.parse(text).program
        start = time.perf_counter()
        symbols = Symbols(program, symbols)
        seconds.append(time.perf_counter() - start)
    return seconds


def share_of_rules() -> Row:
    """How many rules of the grammar the sample programs use."""
    test = runpy.run_path(str(ROOT / "tests" / "grammar" / "test_coverage.py"))
    rules, used = test["rules_used"]()
    programs = len(test["PROGRAMS"])
    share = f"{100 * len(used) / len(rules):.0f} %"
    return "grammar rules that samples use", share, f"{len(used)} of {len(rules)}, in {programs} programs"


def grammar_rows() -> list[Row]:
    """The rows of the table."""
    text = program(5000)
    lines = text.count("\n") + 1
    Parser().parse("AGENT warm {}")
    cold = min(timed(lambda: Parser().parse(text)) for _ in range(3))
    after = statistics.quantiles(edits(text), n=20)[-1] * 1000
    symbols = statistics.quantiles(symbols_after_edits(text), n=20)[-1] * 1000
    words = [sys.executable, "-c", "from agentl_grammar.parser import parse; parse('AGENT a {}')"]
    start = statistics.median(timed(lambda: subprocess.run(words, check=True)) for _ in range(5)) * 1000
    large = program(20_000)
    tracemalloc.start()
    kept = Parser().parse(large)
    memory = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return [
        share_of_rules(),
        (
            "grammar, cold, with the tree",
            f"{lines / cold:,.0f} lines/s",
            f"{lines} lines, no two members alike",
        ),
        ("grammar, after an edit (p95)", f"{after:.1f} ms", f"{EDITS} edits all over {lines} lines"),
        ("symbols, after an edit (p95)", f"{symbols:.1f} ms", f"{EDITS} edits all over {lines} lines"),
        ("python, import and first parse", f"{start:.0f} ms", "median of 5, whole process"),
        ("grammar, memory (peak)", f"{memory:.0f} MB", f"{kept.source.line_count} lines"),
    ]
