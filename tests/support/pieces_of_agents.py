"""The pieces of programs that the tests of near misses are made of, and how a piece is looked at."""

from agentl_grammar.checks import HostFacts, check
from agentl_grammar.problems import Problem

HOST = HostFacts(unpromised=frozenset({"shut", "read"}), compensated=frozenset({"made_good"}))
PAY = "TOOL pay { INPUT { amount: Number account: String } OUTPUT { ref: String } RISK HIGH } "
SHUT = "OBSERVE { d.state } TOOL shut { EFFECT { d.state = shut } } "
DEGRADED = "OBSERVE { a.b ON UNKNOWN DEGRADE %s } TOOL t { } "
ASKED = "PLAN q WHEN c.new == yes { REASON { USING { c.text } PRODUCE { %s } } } "
LIMIT = PAY + ASKED % "m: Number IN [0, 100] DEFAULT %s"
BILL = "TOOL put { INPUT { to: String } } SCENARIO s { GIVEN EVENT bill { iban = x } EXPECT NO ERROR } "
OK = "TOOL t { OUTPUT { ok: Bool } } "
BRANCHES = SHUT + "PLAN p { IF x.y == 1 THEN { %s } ELSE { %s } }"
STEERED = (
    PAY + ASKED.replace("c.text", "c.log") % "n: Number" + 'PLAN p { pay(reason.n, "me") } POLICY { %s }'
)
EACH = PAY + ASKED.replace("c.text", "c.log") % "them: List" + "PLAN p { FOREACH %s { %s } }"
GIVEN = (
    PAY
    + "OBSERVE { a.b } TOOL roll { OUTCOME won { a.b = 1 } } "
    + 'PLAN p { JUDGE { USING { a.b } sure: NOUL "Sure?" } DELEGATE bot { TASK "x" } } '
    + "SCENARIO s { GIVEN { %s } EXPECT NO ERROR }"
)
GREETED = "OBSERVE { s.s } PLAN p { %s }"
REASONED = "REASON { %s PRODUCE { f: Number } }"
JUDGED = 'JUDGE { %s q: NOUL "Is it?" }'
Cases = dict[str, list[tuple[str, bool]]]


def each(cases: Cases) -> tuple[list[tuple[str, str, bool]], list[str]]:
    """The cases one by one, and what each is called."""
    found = [(code, text, has) for code, pieces in cases.items() for text, has in pieces]
    return found, [f"{code}-{text}" for code, text, _ in found]


def is_found(code: str, text: str) -> bool:
    """Whether an agent of this text has a finding of this code; its syntax is to be right."""
    problems = check(f"AGENT a {{ {text} }}", host=HOST)
    assert [problem for problem in problems if problem.code.startswith("S")] == []
    return code in {problem.code for problem in problems}


def told(text: str, code: str) -> Problem:
    """The only finding of this code that an agent of this text has."""
    (problem,) = (each for each in check(f"AGENT a {{ {text} }}") if each.code == code)
    return problem


def fix_of(problem: Problem) -> tuple[str, bool] | None:
    """What the first fix of a problem writes first, and whether it is a guess."""
    return (problem.fixes[0].replacements[0][1], problem.fixes[0].guess) if problem.fixes else None
