"""What checking programs costs: cold, and after an edit, on many agents and on one large one.

The budgets are 11 sortings cold and 1.2 after an edit: 110 and 12 ms where one sorting takes 10.
"""

import re
import statistics
import time
from collections.abc import Callable

from bench_grammar import ONE, Row, program, reference

from agentl_grammar.checks import Checker
from agentl_grammar.parser import Parser
from agentl_server.memory import settle

EDITS = 60
LARGEST = "one agent with a finding in every tool"
NAMES = ["transfer", "notify", "settled", "pay", "raise_doubt", "queue", "doubt", "bank", "outbox"]


def told(text: str) -> str:
    """The text without what its comments allow: finding something costs more than finding nothing."""
    return re.sub(r"// agentl: allow [^\n]*", "//", text)


def one_agent(lines: int) -> str:
    """One agent of so many lines: the members of the example again and again, under other names."""
    body = ONE[ONE.index("{") + 1 : ONE.rindex("}")]
    without_loop = re.sub(r"\n  LOOP .*?\n  \}", "", body, flags=re.DOTALL)
    copies = [body]
    while sum(copy.count("\n") for copy in copies) < lines:
        number = len(copies)
        copies.append(
            re.sub(rf"\b({'|'.join(NAMES)})\b", lambda word, n=number: f"{word[0]}{n}", without_loop)
        )
    return "AGENT payments {" + "\n".join(copies) + "}"


def many_findings(count: int) -> str:
    """One agent of tools, plans and a POLICY of twice as many rules; every tool has a finding."""
    observed = "".join(f"    obs.v{n} ON UNKNOWN ESCALATE\n" for n in range(count))
    tools = "".join(
        f"""  TOOL t{n} {{
    INPUT {{ amount: Number, note: String }}
    OUTPUT {{ ref{n}: String }}
    RISK HIGH
    EFFECT {{ obs.v{n} = done }}
  }}
"""
        for n in range(count)
    )
    rules = "".join(
        f"    NEVER t{n} WHEN obs.v{n} == bad AND amount > {n}\n    REQUIRE APPROVAL FOR t{n}\n"
        for n in range(count)
    )
    plans = "".join(
        f"""  PLAN p{n} WHEN obs.v{n} == {n} {{
    REASON {{
      USING {{ obs.v{n} }}
      PRODUCE {{ f{n}: Number IN [0, 1] DEFAULT 0 }}
    }}
    IF reason.f{n} > 0.5 THEN t{n}(amount = 1, note = "x")
    VERIFY obs.v{n} == done
  }}
"""
        for n in range(count)
    )
    body = f"  OBSERVE {{\n{observed}  }}\n{tools}  POLICY {{\n{rules}  }}\n{plans}"
    return f"AGENT big {{\n  GOAL {{ obs.v0 == 0 }}\n{body}}}\n"


def timed(action: Callable[[], object]) -> float:
    """Milliseconds of the processor, whatever else the machine does."""
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1000


def cold(text: str) -> float:
    """The least milliseconds of a first check."""
    result = Parser().parse(text)
    return min(timed(lambda: Checker().check(result)) for _ in range(5))


def after_edits(text: str, start: int = 0, end: int | None = None) -> list[float]:
    """Milliseconds after a letter more in one declaration, all over a part of the text, as in the editor."""
    length = (len(text) if end is None else end) - start
    parser, checker = Parser(), Checker()
    checker.check(parser.parse(text))
    settle()
    taken: list[float] = []
    for number in range(EDITS):
        at = text.index(" == ", start + length * number // EDITS)
        text = f"{text[:at]}x{text[at:]}"
        result = parser.parse(text)
        taken.append(timed(lambda result=result: checker.check(result)))
    return taken


def inside_policy(text: str) -> list[float]:
    """Milliseconds after a letter more in a rule of POLICY."""
    return after_edits(text, text.index("POLICY {"), text.rindex("REQUIRE APPROVAL"))


def cold_row(name: str, text: str) -> Row:
    """The row of a first check."""
    taken, found = cold(text), len(Checker().check(Parser().parse(text)))
    note = f"CPU; {sortings(taken)}, {text.count(chr(10)) + 1} lines, {found} findings"
    return f"checks, cold, {name}", f"{taken:.1f} ms", note


def edit_row(name: str, taken: list[float]) -> Row:
    """The row of edits."""
    p95, median = statistics.quantiles(taken, n=20)[-1], statistics.median(taken)
    note = f"CPU; {sortings(p95)}, {EDITS} edits, median {median:.1f}"
    return f"checks, after an edit (p95), {name}", f"{p95:.1f} ms", note


def sortings(milliseconds: float) -> str:
    """How many sortings of 100,000 texts that is, on this machine just now."""
    return f"{milliseconds / (reference() * 1000):.1f} sortings"


def check_rows() -> list[Row]:
    """The rows of the table; first checks come first, for the editor collects garbage in its own way."""
    texts = {
        "many agents": told(program(5000)),
        "one agent": told(one_agent(5000)),
        LARGEST: many_findings(300),
    }
    return [
        *(cold_row(name, text) for name, text in texts.items()),
        *(edit_row(name, after_edits(text)) for name, text in texts.items()),
        edit_row("inside a POLICY of 600 rules", inside_policy(texts[LARGEST])),
    ]
