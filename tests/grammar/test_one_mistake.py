"""One mistake is one problem, told where it is, and all around it stands."""

import pytest

from agentl_grammar.excerpt import render
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_program


def kept(text: str) -> list[str]:
    """Every word that is left of a text with one problem."""
    result = parse(text)
    assert len(result.problems) == 1
    assert result.program is not None
    return print_program(result.program).split()


FOREIGN = {
    "try": "try {\n      a()\n    } catch (e) {\n      b()\n    } finally {\n      c()\n    }",
    "try on a line": "try { a() } catch { b() }",
    "if": "if (a.b == 1) {\n      a()\n    } else if (c) {\n      b()\n    } else {\n      c()\n    }",
    "while": "while a.b < 3 {\n      a()\n    }",
    "switch": "switch a {\n      case 1: b()\n    }",
    "a function by layout": "def f(x):\n      a()\n      b()",
    "a condition by layout": "if a.b == 1:\n      c()",
}


@pytest.mark.parametrize("block", FOREIGN.values(), ids=FOREIGN)
def test_a_block_of_another_language_is_told_once_and_leaves_what_is_around_it(block: str):
    words = kept(
        f"AGENT t {{\n  OBSERVE {{\n    x.before\n    {block}\n    y.behind\n  }}\n  GOAL g {{ x }}\n}}\n"
    )
    assert " ".join(words) == "AGENT t { OBSERVE { x.before y.behind } GOAL g { MAINTAIN x } }"


@pytest.mark.parametrize("name", ["try", "try on a line", "if"])
def test_a_block_of_another_language_in_a_plan_is_told_once(name: str):
    words = kept(f"AGENT t {{\n  PLAN p {{\n    first()\n    {FOREIGN[name]}\n    last()\n  }}\n}}\n")
    assert {"first()", "last()"} < set(words)


def test_a_block_of_another_language_between_members_leaves_them():
    words = kept('AGENT t {\n  GOAL g { x }\n  resource "a" "b" {\n    x = 1\n  }\n  GOAL h { y }\n}\n')
    assert " ".join(words) == "AGENT t { GOAL g { MAINTAIN x } GOAL h { MAINTAIN y } }"


def test_a_scenario_whose_only_expectation_is_left_out_keeps_what_is_given():
    words = kept("AGENT t {\n  SCENARIO s {\n    GIVEN { a = 1 }\n    EXPECT CALL\n  }\n}\n")
    assert " ".join(words) == "AGENT t { SCENARIO s { GIVEN { a = 1 } } }"


@pytest.mark.parametrize(
    ("member", "left"),
    [
        (
            "TOOL t {\n    OUTPUT { version: } String\n    RISK LOW\n  }",
            "OUTPUT { version: String } RISK LOW",
        ),
        ("TOOL t {\n    COST 3\n    RISK } LOW\n", "TOOL t { RISK LOW COST 3 }"),
        ("PLAN p {\n    a()\n    IF b.> c 4 THEN d()\n    e()\n  }", "a() IF b.c > 4 THEN d() e()"),
        ("MEMORY { SHARED note { } }", "SHARED { note }"),
    ],
)
def test_two_neighbours_in_the_wrong_order_are_one_problem_and_leave_the_rest(member: str, left: str):
    words = kept(f"AGENT t {{\n  GOAL g {{ x }}\n  {member}\n  GOAL h {{ y }}\n}}\n")
    assert left in " ".join(words)
    assert {"g", "h"} < set(words)


def test_blocks_by_layout_are_one_problem_and_stand():
    members = "  TOOL t:\n    INPUT:\n      a: Number\n    RISK LOW\n  PLAN p:\n    b()\n  GOAL g { x }\n"
    result = parse(f"AGENT t {{\n{members}}}\n")
    assert [(problem.code, str(problem.hint)) for problem in result.problems] == [
        ("S101", "write `{` instead of `:`")
    ] * 2
    assert result.program is not None
    left = " ".join(print_program(result.program).split())
    assert left == "AGENT t { TOOL t { INPUT { a: Number } RISK LOW } PLAN p { b() } GOAL g { MAINTAIN x } }"


@pytest.mark.parametrize(
    ("member", "hint"),
    [
        ("POLICY: ALLOW x", "write `{` instead of `:` and `}` behind `x`"),
        ("TOOL t { INPUT: a: Number\n    RISK LOW\n  }", "write `{` instead of `:` and `}` behind `Number`"),
        ("SCENARIO s { GIVEN x = 1 EXPECT NO ERROR }", "put `{` before `x` and `}` behind `1`"),
        ("TOOL t { INPUT a: Number RISK LOW }", "put `{` before `a` and `}` behind `Number`"),
    ],
)
def test_a_block_without_its_braces_ends_before_the_next_field(member: str, hint: str):
    text = f"AGENT t {{\n  {member}\n}}\n"
    (problem,) = parse(text).problems
    (fix,) = problem.fixes
    for span, new in reversed(fix.replacements):
        text = text[: span.start] + new + text[span.end :]
    assert (str(problem.hint), parse(text).problems) == (hint, ())


def test_a_scenario_without_braces_is_told_field_by_field():
    result = parse("AGENT t {\n  SCENARIO s { GIVEN x = 1 EXPECT y == 2 }\n  GOAL g { x }\n}\n")
    assert [problem.code for problem in result.problems] == ["S101", "S101"]
    assert {result.source.line_number(problem.span.start) for problem in result.problems} == {1}


@pytest.mark.parametrize("head", ["LOOP", "LOOP MAX 3", "PLAN p", "EVENT e.f"])
def test_a_block_that_does_not_come_is_told_behind_its_head(head: str):
    text = f"AGENT t {{\n  GOAL g {{ x }}\n  {head}\n  GOAL h {{ y }}\n}}\n"
    (problem,) = parse(text).problems
    assert problem.span.start == text.index(head) + len(head)


def test_a_branch_between_members_is_one_problem():
    words = kept("AGENT t {\n  GOAL g { x }\n  ELSE { a() }\n  GOAL h { y }\n}\n")
    assert " ".join(words) == "AGENT t { GOAL g { MAINTAIN x } GOAL h { MAINTAIN y } }"


def test_an_arrow_in_a_path_is_read_as_its_point():
    words = kept("AGENT t {\n  PLAN p {\n    IF order->state == open THEN a()\n  }\n}\n")
    assert "IF order.state == open THEN a()" in " ".join(words)


def test_the_block_of_a_statement_that_was_told_is_not_missed():
    words = kept('AGENT t {\n  PLAN p {\n    risk = REASON "x"\n    b()\n  }\n}\n')
    assert "b()" in words


@pytest.mark.parametrize(
    ("line", "code", "at"),
    [
        ('ASK boss { QUESTION ""May it, and when?" DEFAULT no }', "S103", '" DEFAULT'),
        ('ASK boss { QUESTION "May it?"" DEFAULT no }', "S103", '" DEFAULT'),
        ('ASK boss { QUESTION May it, and when?" DEFAULT no }', "S117", "May it"),
        ('REASON ""Which team, and how soon?" { PRODUCE { team: Symbol } }', "S103", '" { PRODUCE'),
        ('tell(text = "a  to = "b"  at = now)', "S103", '"  at'),
        ('VERIFY "it is there a.b != none', "S103", '"it is'),
    ],
)
def test_a_quote_too_few_or_too_many_is_one_problem_of_its_line(line: str, code: str, at: str):
    text = f"AGENT t {{\n  PLAN p {{\n    first()\n    {line}\n    last()\n  }}\n  GOAL g {{ x }}\n}}\n"
    result = parse(text)
    assert [(problem.code, problem.span.start) for problem in result.problems] == [(code, text.index(at))]
    assert result.program is not None
    assert {"first()", "last()", "GOAL"} < set(print_program(result.program).split())


def test_a_mistake_before_a_text_without_end_is_told_beside_it():
    result = parse('AGENT t {\n  PLAN p {\n    a(,)  b("x\n    c()\n  }\n}\n')
    assert [problem.code for problem in result.problems] == ["S109", "S103"]


@pytest.mark.parametrize(
    ("member", "left"),
    [
        ("SCENARIO s {\n    GIVEN { a = 5 ]\n    EXPECT CALL b\n  }", "GIVEN { a = 5 } EXPECT CALL b"),
        ("POLICY {\n    DEFAULT DENY\n    ALLOW a\n  ]", "POLICY { DEFAULT DENY ALLOW a }"),
        ("PLAN p {\n    a(b = 1]\n    c()\n  }", "PLAN p { a(b=1) c() }"),
        ("PLAN p {\n    DELEGATE d {\n      INPUT [ x }\n      EXPECT { y }\n    }\n  }", "INPUT { x }"),
    ],
)
def test_a_bracket_of_another_kind_is_read_as_the_one_that_is_due(member: str, left: str):
    text = f"AGENT t {{\n  GOAL g {{ x }}\n  {member}\n  GOAL h {{ y }}\n}}\n"
    words = " ".join(kept(text)).replace(" = 1", "=1")
    assert left in words
    assert "GOAL h" in words
    (problem,) = parse(text).problems
    ((span, new),) = problem.fixes[0].replacements
    assert parse(text[: span.start] + new + text[span.end :]).problems == ()


def test_a_closer_too_many_before_the_one_that_is_due_is_left_out():
    words = kept("AGENT t {\n  PLAN p {\n    a(b], c)\n    d()\n  }\n}\n")
    assert {"a(b,", "d()"} < set(words)


def test_a_wrong_bracket_and_another_mistake_of_its_member_are_two_problems():
    result = parse("AGENT t {\n  POLICY {\n    DEFFAULT ALLOW\n    DENY a\n  ]\n  PLAN p { b() }\n}\n")
    assert [problem.code for problem in result.problems] == ["S108", "S119"]


def test_what_is_wrong_in_a_misplaced_member_is_told_as_well():
    goal = "GOAL g { x = 3 }"
    result = parse(f"AGENT t {{\n  PLAN p {{\n    a()\n    {goal}\n    b(,)\n  }}\n}}\n")
    assert [problem.code for problem in result.problems] == ["S116", "S110", "S109"]
    assert all(problem.fixes for problem in result.problems[1:])
    assert result.program is not None
    assert " ".join(print_program(result.program).split()) == "AGENT t { PLAN p { a() b() } }"


def test_a_member_in_a_misplaced_member_is_told_once():
    tool = "TOOL t {\n      GOAL g { x }\n      RISK LOW\n    }"
    result = parse(f"AGENT t {{\n  PLAN p {{\n    a()\n    {tool}\n    b()\n  }}\n}}\n")
    assert [problem.code for problem in result.problems] == ["S116", "S116"]


def test_a_brace_that_is_missing_above_an_empty_line_is_told_above_it():
    text = "AGENT t {\n  OBSERVE {\n    a.b\n\n  // why\n  GOAL g { x }\n}\n"
    (problem,) = parse(text).problems
    assert (problem.code, problem.span.start) == ("S102", text.index("a.b") + 3)


@pytest.mark.parametrize("member", ["BELIEF { a = 20  PLAN }", "OBSERVE { a.b ON [ UNKNOWN ESCALATE }"])
def test_the_word_of_a_member_alone_in_another_one_is_one_problem(member: str):
    assert "GOAL" in kept(f"AGENT t {{\n  {member}\n  GOAL g {{ x }}\n}}\n")


@pytest.mark.parametrize("value", ['""1.1"  c = "x"', 'l-2"  c = "x"'])
def test_a_quote_that_touches_a_word_is_one_problem_of_its_line(value: str):
    scenario = f"SCENARIO s {{\n    GIVEN {{\n      a.b = {value}\n    }}\n    EXPECT NO ERROR\n  }}"
    assert {"SCENARIO", "ERROR"} < set(kept(f"AGENT t {{\n  {scenario}\n}}\n"))


@pytest.mark.parametrize("behind", [".", ",", "5", "= 5", "}"])
def test_what_cannot_stand_behind_then_does_not_take_the_then(behind: str):
    plan = f"AGENT t {{\n  PLAN p {{\n    a()\n    IF x == 1 THEN {behind}\n    b()\n  }}\n}}\n"
    result = parse(plan)
    (problem,) = result.problems
    assert "expected a statement" in render(problem, result.source)


@pytest.mark.parametrize("line", ["-- invoices", "<!-- invoices -->", "/* invoices", "é", "-- a\n-- b"])
def test_what_is_no_token_before_the_first_agent_is_all_that_is_told(line: str):
    result = parse(f"{line}\nAGENT t {{ GOAL g {{ x }} }}\n")
    assert len(result.problems) == line.count("\n") + 1
    assert result.program is not None
    assert print_program(result.program).split()[:2] == ["AGENT", "t"]


@pytest.mark.parametrize(
    "statement",
    [
        "SWITCH x { open: close(a = 1) }",
        "SWITCH x { open: close(a = 1), shut: c() }",
        "switch x {\n      case open: close(a = 1)\n      default: c()\n    }",
        "SET x = a.b ? c : d",
        "SET x = a.b == 1 ? c : d",
        "a(x = b ? 5 : 6)",
    ],
)
def test_what_chooses_in_other_languages_is_told_once(statement: str):
    words = kept(f"AGENT t {{\n  PLAN p {{\n    first()\n    {statement}\n    last()\n  }}\n}}\n")
    assert {"first()", "last()"} < set(words)


@pytest.mark.parametrize(
    ("member", "meant"),
    [
        ("MEMORIES { WRITE { WEHN x STORE { y } } }", ["MEMORY", "WHEN"]),
        ("POLICIES { ALOW x }", ["POLICY", "ALLOW"]),
        ("OBSERVATIONS { a.b ON UNKOWN ESCALATE }", ["OBSERVE", "UNKNOWN"]),
    ],
)
def test_a_member_named_in_the_plural_is_told_with_the_mistake_in_it(member: str, meant: list[str]):
    problems = parse(f"AGENT t {{\n  {member}\n}}\n").problems
    assert [str(problem.hint) for problem in problems] == [f"write {word}" for word in meant]
