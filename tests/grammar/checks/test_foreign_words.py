"""Words and calls of other languages that read as plans and tools: what is said, and what the fix makes."""

import pytest

from agentl_grammar.checks import check
from agentl_grammar.parser import parse
from agentl_grammar.problems import Fix

ALONE = "write {} alone: its name is enough"
SLEEP = "nothing sleeps: write EVENT name { … } for what is waited for"
LOG = "remove it: the trace shows every step; what people are to read, a TOOL sends"
RAISE = "write ESCALATE to hand over to a person, VERIFY <condition> for a plan that fails"
# What is written, the help, and what the fix makes; None where there is none.
STATEMENTS = [
    ("await pay(amount = 1)", ALONE.format("pay(…)"), "pay(amount = 1)"),
    ("CALL pay(amount = 1)", ALONE.format("pay(…)"), "pay(amount = 1)"),
    ("DO pay(amount = 1)", ALONE.format("pay(…)"), "pay(amount = 1)"),
    ("RUN other", ALONE.format("other"), "other"),
    ("goto other", ALONE.format("other"), "other"),
    ("CALL bay(amount = 1)", ALONE.format("bay(…)"), None),
    ("LET z = 5", "write SET z = …", "SET z = 5"),
    ("var z = 5", "write SET z = …", "SET z = 5"),
    ("UPDATE z = 5", "write SET z = …", "SET z = 5"),
    ("other if x", "write IF <condition> THEN { … }", None),
    ("REMEMBER x", "write MEMORY { WRITE { WHEN <condition> STORE { path } } } in AGENT", None),
    ("READ x.y", "write OBSERVE x.y in AGENT: it is read in every round", None),
    ("return", "give the value a name with SET; other plans can read it", None),
    ("return x", "give the value a name with SET; other plans can read it", None),
    ("break", "write what ends the loop behind UNTIL: LOOP UNTIL <condition> { … }", None),
    ("continue", "put what is skipped at times behind IF <condition> THEN { … }", None),
    ("pass", "remove it: a block may be empty, { }", None),
    ("raise Error()", RAISE, None),
    ("STOP", RAISE, None),
    ("not x", "write IF NOT (<condition>) THEN { … }", None),
    ("UNSET x.y", "write SET x.y = none: nothing is removed", None),
    ("INCREMENT x.y", "write x.y = x.y + 1", None),
    ("EMIT done", "write MESSAGE <name> { TO <agent> PAYLOAD { … } }; a plan is started by its name", None),
    ("IF x == 1 THEN other ENDIF", "put what belongs together in braces: { … }", None),
    ("VERIFY { x == 1 ON FAIL { RETRY 3 TIMES } }", "remove `TIMES`: the number says how often", "RETRY 3 }"),
    ("VERIFY { x == 1 ON FAIL { ROLL BACK } }", "write `ROLLBACK`", None),
    ('say(text = orders["a"])', "go through a list with FOREACH item IN orders { … }", None),
    ('say(text = f"hi")', "write the text alone: no value is put into it", None),
    ("say(text = not x)", "write `NOT x`", None),
    ('two(orders["a"], text = 1)', "go through a list with FOREACH item IN orders { … }", None),
    ("SET z = not orders", "write `NOT orders`", None),
    ("ROLLBACK pay", "write ROLLBACK alone: it undoes what the running plan has done", None),
    (
        "VERIFY { x == 1 ON FAIL { ESCALATE boss } }",
        'write ESCALATE alone to hand over, or ASK boss "…" to ask one person',
        None,
    ),
    ('print("hi")', LOG, None),
    ("sleep(5)", SLEEP, None),
    ('input("May I?")', 'write ASK <who> "…": the answer is read as `answer`', None),
    ('llm("what?")', 'write REASON { TASK "…" PRODUCE { name: Type } }', None),
    ("len(x)", "len is a function: it stands in a condition, or behind `=`", None),
    ('say(f"hi {x}")', "write the text alone: no value is put into it", None),
    ("say(orders[0])", "go through a list with FOREACH item IN orders { … }", None),
    ("IF count(x) > 1 THEN other", "write len(…)", None),
    ("IF now() > 1 THEN other", "no function reads the clock: OBSERVE a path for it", None),
    ("IF any(x == 1, x == 2) THEN other", "write OR between the conditions", None),
    ("IF ALL(x == 1, x == 2) THEN other", "write AND between the conditions", None),
    ("IF contains(x, 2) THEN other", "write <value> IN <list>", None),
    ("IF str(x) == 2 THEN other", "write the value alone", None),
    ("IF exists(x) THEN other", "write CONFIDENCE(<path>) > 0 for what is known", None),
    ("FOREACH i IN range(3) { other }", "write LOOP MAX <number> { … }", None),
    # What may well be the name of a plan that is to come is told as one.
    ("stop", "declare it: PLAN stop { … }", None),
    ("done", "declare it: PLAN done { … }", None),
]


def program(statement: str) -> str:
    return f"""AGENT a {{
  GOAL {{ MAINTAIN x == 1 }}
  OBSERVE {{ x ON UNKNOWN ESCALATE orders ON UNKNOWN ESCALATE }}
  TOOL pay {{ INPUT {{ amount: Number }} }}
  TOOL say {{ INPUT {{ text: String }} }}
  TOOL two {{ INPUT {{ of: String text: String }} }}
  PLAN other WHEN x == 2 {{ pay(amount = 2) }}
  PLAN p WHEN x == 0 {{
    {statement}
  }}
}}
"""


def repaired(text: str, fix: Fix) -> str:
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    return text


def errors(text: str) -> list[tuple[str, tuple[Fix, ...]]]:
    result = parse(text)
    assert not result.problems
    return [(str(problem.hint), problem.fixes) for problem in check(result) if problem.code.startswith("E")]


@pytest.mark.parametrize(("statement", "hint", "fixed"), STATEMENTS, ids=[case[0] for case in STATEMENTS])
def test_one_problem_says_what_to_write_and_its_fix_leaves_none(statement: str, hint: str, fixed: str | None):
    text = program(statement)
    ((said, fixes),) = errors(text)
    assert said == hint
    made = [repaired(text, fix) for fix in fixes]
    assert len(made) == (fixed is not None)
    for after in made:
        assert f"{fixed}" in after
        assert errors(after) == []


def test_a_declared_plan_of_such_a_name_is_started():
    text = program("RUN\n    pay(amount = 1)").replace("PLAN other", "PLAN RUN")
    assert errors(text) == []
