"""What reading programs costs: cold, after an edit, at the start, in memory."""

import re
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


def timed(action: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The seconds of the processor: what else runs on the machine does not count."""
    start = clock()
    action()
    return clock() - start


def one_agent(lines: int) -> str:
    """One agent of so many lines."""
    plan = '  PLAN p{0} WHEN a.b{0} > 0 {{\n    STEP 1: pay(amount = "x{0}") # {0}\n    notify(a.b)\n  }}\n'
    return "AGENT t {\n" + "".join(map(plan.format, range(lines // 4))) + "}\n"


TYPED = {
    "a comment": " #",
    "a letter": "x",
    "a line end": "\n",
    "{ that nothing closes": "{",
    "} that closes nothing": "}",
    "( that nothing closes": "(",
    "a quote": '"',
    "a comment opener": "/*",
}


def edits(text: str, typed: str) -> list[float]:
    """The seconds of parses after something was typed in a healthy text; it is taken back each time.

    Where: at the end of a line before its comment, or in a name, all over the text.
    """
    parser = Parser()
    parser.parse(text)
    seconds: list[float] = []
    for number in range(EDITS):
        begin = len(text) * number // EDITS
        name = re.compile(r"(?m)^(?!.*(?:#|//|\"))[^\n]*[a-z](?=[a-z])").search(text, begin)
        line = re.compile(r"(?m)(?= *(?:#|//).*$|$)").search(text, begin)
        place = name if typed == "x" else line
        at = place.end() if place else begin
        edited = f"{text[:at]}{typed}{text[at:]}"
        seconds.append(timed(lambda edited=edited: parser.parse(edited)))
        parser.parse(text)
    return seconds


def edit_rows(text: str, what: str) -> list[Row]:
    """What each kind of edit costs, and how many sortings that is: 10 ms is the budget where one takes 8."""
    rows: list[Row] = []
    for name, typed in TYPED.items():
        unit = reference() * 1000
        cost = p95(edits(text, typed))
        rows.append(
            (f"grammar, {name}, typed (p95)", f"{cost:.1f} ms", f"{cost / unit:.1f} sortings, {what}")
        )
    return rows


def p95(seconds: list[float]) -> float:
    """In milliseconds."""
    return statistics.quantiles(seconds, n=20)[-1] * 1000


def reference() -> float:
    """The seconds of a work that no change of the product touches: what this machine is worth just now."""
    return min(timed(lambda: sorted(str(number) for number in range(100_000))) for _ in range(5))


def growth(text: Callable[[int], str]) -> float:
    """How many times as long ten times as much takes: 10 when each character costs the same."""
    one, ten = (
        min(timed(lambda size=size: Parser().parse(text(size))) for _ in range(2)) for size in (1, 10)
    )
    return ten / one


def growth_rows() -> list[Row]:
    """Bad input that must not cost more than its length."""
    texts: dict[str, Callable[[int], str]] = {
        "an open text": lambda size: 'AGENT t { DESCRIPTION "' + "{ a\n" * 20_000 * size,
        "quotes": lambda size: '"\n' * 20_000 * size,
        "comments not closed": lambda size: "/*" * 20_000 * size,
        "one line": lambda size: "AGENT t { " + "PLAN p { a(1) } " * 5_000 * size + "}",
        "closing braces": lambda size: "}" * 10_000 * size,
    }
    return [(f"grammar, ten times the {name}", f"x {growth(text):.1f}", "") for name, text in texts.items()]


def symbols_after_edits(text: str) -> list[float]:
    """The seconds that the symbols take after one number more in one declaration."""
    parser = Parser()
    symbols = Symbols(parser.parse(text).program)
    seconds: list[float] = []
    for number in range(EDITS):
        at = text.index("> 0", len(text) * number // (EDITS + 1)) + 3
        text = f"{text[:at]}1{text[at:]}"
        program = parser.parse(text).program
        seconds.append(timed(lambda program=program, known=symbols: Symbols(program, known)))
        symbols = Symbols(program, symbols)
    return seconds


def share_of_rules() -> Row:
    """How many rules of the grammar, and alternatives of them, the sample programs use."""
    found = runpy.run_path(str(ROOT / "tests" / "grammar" / "alternatives.py"))
    every, used = found["used_by_samples"]()
    rules, used_rules = ({rule for rule, *_ in some} for some in (every, used))
    share = f"{100 * len(used) / len(every):.0f} %"
    told = f"{len(used)} of {len(every)}, of {len(used_rules)} of {len(rules)} rules"
    return "grammar alternatives that samples use", share, f"{told}, in {len(found['PROGRAMS'])} programs"


def grammar_rows() -> list[Row]:
    """The rows of the table."""
    text = program(5000)
    lines = text.count("\n") + 1
    Parser().parse("AGENT warm {}")
    cold = min(timed(lambda: Parser().parse(text)) for _ in range(3))
    unit = reference() * 1000
    symbols = p95(symbols_after_edits(text))
    words = [sys.executable, "-c", "from agentl_grammar.parser import parse; parse('AGENT a {}')"]
    start = (
        statistics.median(
            timed(lambda: subprocess.run(words, check=True), time.perf_counter) for _ in range(5)
        )
        * 1000
    )
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
        *edit_rows(text, f"{EDITS} edits, {lines} lines, many agents"),
        *edit_rows(one_agent(5000), f"{EDITS} edits, 5000 lines, one agent"),
        ("sorting 100,000 texts, to compare", f"{unit:.1f} ms", "what the machine is worth just now"),
        ("symbols, after an edit (p95)", f"{symbols:.1f} ms", f"{EDITS} edits all over {lines} lines"),
        ("python, import and first parse", f"{start:.0f} ms", "median of 5, whole process"),
        ("grammar, memory (peak)", f"{memory:.0f} MB", f"{kept.source.line_count} lines"),
        *growth_rows(),
    ]
