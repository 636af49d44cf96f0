"""A mistake in a member leaves what is healthy around it in the tree, and is told once."""

import pytest

from agentl_grammar.parser import ParseResult, parse
from agentl_grammar.printer import print_program
from agentl_grammar.tree import BeliefEntry, walk


def _read(*lines: str) -> ParseResult:
    return parse("\n".join(("AGENT a {", *lines, "  GOAL g { x }", "}", "")))


def _told(result: ParseResult) -> list[tuple[str, str]]:
    return [(problem.code, str(problem.message)) for problem in result.problems]


def _belief(*entries: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return what is told of a BELIEF, and the entries that are left of it."""
    result = _read("  BELIEF {", *(f"    {entry}" for entry in entries), "  }")
    assert result.program
    found = [node for node in walk(result.program) if isinstance(node, BeliefEntry)]
    return _told(result), [result.source.slice(entry.span) for entry in found]


_BEHIND = "expected an expression behind `{}`"


@pytest.mark.parametrize(
    ("broken", "behind"),
    [
        ("c =", "="),
        ("c = 3 +", "+"),
        ("c = yes yes", "yes"),
        ("c = 3 + 4 h", "h"),
        ("c = 1 CONFIDENCE 0.5  s", "s"),
        ("c = 1 SOURCE SOURCE s", "s"),
    ],
)
def test_an_entry_without_its_value_takes_none_of_the_next_line(broken: str, behind: str) -> None:
    told, entries = _belief("b = 1", broken, "f = [1, 2]", "d.e = 2")
    assert told == [("S101", _BEHIND.format(behind))]
    assert [entry for entry in entries if entry[0] in "bfd"] == ["b = 1", "f = [1, 2]", "d.e = 2"]


def test_a_path_that_was_taken_for_a_word_is_an_entry() -> None:
    told, entries = _belief("c = 1 UPDATED", "d.e = 2", "f = 3")
    assert [code for code, _ in told] == ["S101"]
    assert entries[-2:] == ["d.e = 2", "f = 3"]


@pytest.mark.parametrize("broken", ["c = 3 + * h", "d =  UPDATED 2026-01-01"])
def test_neighbours_are_exchanged_only_where_their_line_can_end_then(broken: str) -> None:
    told, entries = _belief("b = 1", broken, "f = [1, 2]", "g = 3")
    assert [code for code, _ in told] == ["S101"]
    assert [entry for entry in entries if entry[0] in "bfg"] == ["b = 1", "f = [1, 2]", "g = 3"]


def test_the_end_of_a_comparison_is_not_that_of_the_next_line() -> None:
    head = "  HYPOTHESIS h { EVIDENCE {"
    result = _read(head, "    e !=", "    b == c LIKELIHOOD 60%", "    d", "  } }")
    assert _told(result) == [("S101", _BEHIND.format("!="))]
    result = _read(head, "    e f !=", "    b == c LIKELIHOOD 60%", "    d", "  } }")
    assert _told(result) == [("S101", _BEHIND.format("!="))]


@pytest.mark.parametrize(
    ("block", "title"),
    [
        ("INPUT { a: String BIND x.y  b: Number", "INPUT"),
        ("OUTPUT { o: Symbol", "OUTPUT"),
        ("OUTCOME ok WITH 0.7 { e = 1", "OUTCOME ok"),
    ],
)
def test_a_block_of_one_line_ends_with_it(block: str, title: str) -> None:
    result = _read("  TOOL t {", f"    {block}", '    DESCRIPTION "d"', "    COST 3", "  }")
    assert _told(result) == [("S102", f"expected `}}` to close {title}, opened on line 3")]
    assert result.program
    assert {'DESCRIPTION "d"', "COST 3"} < {
        line.strip() for line in print_program(result.program).splitlines()
    }


def test_a_block_of_one_line_is_told_at_its_end() -> None:
    result = _read("  PLAN p {", "    STEP s { f()", "    STEP r { g() }", "  }")
    (problem,) = result.problems
    assert problem.span.start == result.source.text.index("f()") + 3
    (fix,) = problem.fixes
    assert [text for _, text in fix.replacements] == [" }"]


def test_a_block_with_deeper_lines_below_is_none_of_one_line() -> None:
    result = _read("  PLAN p {", "    IF a THEN { f()", "      g()", "  }")
    assert _told(result) == [("S102", "expected `}` to close PLAN p, opened on line 2")]


@pytest.mark.parametrize(
    ("above", "below", "member"),
    [
        ("f = [1, 2]", "&c = yes", "BELIEF"),
        ("NEVER pay WHEN a.b == true", "&NEVER SEND c", "POLICY"),
        ('VERIFY "ok" a == b', "&ROLLBACK", "PLAN p"),
        ('VERIFY "ok" a == b', "&SET q = 1 + 2", "PLAN p"),
        ("i.j ON UNKNOWN DEGRADE k", "!g.h", "OBSERVE"),
        ("i.j ON UNKNOWN DEGRADE k", "c&.d", "OBSERVE"),
    ],
)
def test_a_sign_is_no_word_where_none_can_stand(above: str, below: str, member: str) -> None:
    result = _read(f"  {member} {{", f"    {above}", f"    {below}", "  }")
    assert [code for code, _ in _told(result)] == ["S105"]
    healthy = _read(f"  {member} {{", f"    {above}", f"    {below.replace('&', '').replace('!', '')}", "  }")
    assert result.program
    assert healthy.program
    assert print_program(result.program) == print_program(healthy.program)


def test_a_sign_between_lines_is_a_word_where_it_can_be_read_as_one() -> None:
    result = _read("  PLAN p {", '    VERIFY "ok" a == b', "    & c == d", "  }")
    assert result.program
    assert "a == b AND c == d" in print_program(result.program)
    result = _read("  PLAN p {", "    IF a", "    & c = d THEN { f() }", "  }")
    assert [code for code, _ in _told(result)] == ["S105", "S110"]


def test_a_list_left_open_ends_above_the_entry_that_can_be_read_then() -> None:
    told, entries = _belief("b = 1", "f = [1, 2", "c = yes", 'd.e = "t"', "g = [3]")
    assert told == [("S102", "expected `]` to close `[`, opened on line 4")]
    assert [entry for entry in entries if entry[0] != "f"] == ["b = 1", "c = yes", 'd.e = "t"', "g = [3]"]


def test_a_list_over_several_lines_is_not_left_open() -> None:
    told, _ = _belief("b = [1, 2", "  c = yes]", "g = 3")
    assert [code for code, _ in told] == ["S110"]


@pytest.mark.parametrize(
    ("member", "above", "opened", "below"),
    [
        ("OBSERVE", "i.j ON UNKNOWN DEGRADE k", "(g.h", "d"),
        ("BELIEF", "c = yes", "(a.b = 1 CONFIDENCE 0.5", "d = 1"),
        ("PLAN p", "f", "(g(x = 1)", "h()"),
    ],
)
def test_a_bracket_that_begins_a_line_makes_no_call_of_the_line_above(
    member: str, above: str, opened: str, below: str
) -> None:
    result = _read(f"  {member} {{", f"    {above}", f"    {opened}", f"    {below}", "  }")
    healthy = _read(f"  {member} {{", f"    {above}", f"    {opened[1:]}", f"    {below}", "  }")
    assert [code for code, _ in _told(result)] == ["S101"]
    assert result.program
    assert healthy.program
    assert print_program(result.program) == print_program(healthy.program)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_step_without_its_word_is_a_step(place: int) -> None:
    steps = ["STEP a { f() }", "STEP b { g() }", "STEP c { h() }"]
    broken = [step.removeprefix("STEP ") if at == place else step for at, step in enumerate(steps)]
    result, healthy = (
        _read("  PLAN p {", *(f"    {step}" for step in lines), "  }") for lines in (broken, steps)
    )
    assert _told(result) == [("S101", f"expected STEP before `{'abc'[place]}`")]
    assert result.program
    assert healthy.program
    assert print_program(result.program) == print_program(healthy.program)


def test_a_word_written_twice_takes_its_line_and_nothing_else() -> None:
    result = _read("  TOOL t {", '    DESCRIPTION "d"', "    COST 3", "    RISK RISK HIGH", "  }")
    assert [code for code, _ in _told(result)] == ["S101"]
    assert result.program
    assert {'DESCRIPTION "d"', "COST 3"} < {
        line.strip() for line in print_program(result.program).splitlines()
    }


@pytest.mark.parametrize("fields", ["BIND", "ATTESTS x", "BIND: String", "x, IN"])
def test_an_option_in_the_fields_of_a_listed_tool_is_no_name(fields: str) -> None:
    result = _read("  TOOL {", f"    a({fields})", "    b(x)", "  }")
    (problem,) = result.problems
    assert problem.code == "S118"
    text = result.source.text
    for fix in problem.fixes:
        ((span, new),) = fix.replacements
        mended = parse(text[: span.start] + new + text[span.end :])
        assert f"a({fields})" in mended.source.text.replace('"', "")


@pytest.mark.parametrize(
    "deep",
    [
        "SET x = " + "(" * 101 + "1" + ")" * 101,
        "SET x = " + "NOT " * 101 + "y",
        "IF a THEN { " * 101 + "f() " + "}" * 101,
        "IF a THEN { " * 101 + "f() " + "}" * 101 + " ELSE { g() }",
    ],
)
def test_a_statement_that_nests_too_deeply_leaves_the_others(deep: str) -> None:
    result = _read("  PLAN p {", "    a()", f"    {deep}", "    b()", "  }")
    assert [code for code, _ in _told(result)] == ["S112"]
    assert result.program
    healthy = _read("  PLAN p {", "    a()", "    b()", "  }")
    assert healthy.program
    assert print_program(result.program) == print_program(healthy.program)


def test_a_step_that_nests_too_deeply_leaves_the_others() -> None:
    deep = "f(a=" * 101 + "1" + ")" * 101
    result = _read(
        "  PLAN p {", "    STEP a { f() }", f"    STEP b {{ {deep} }}", "    STEP c { g() }", "  }"
    )
    assert [code for code, _ in _told(result)] == ["S112"]
    assert result.program
    assert "STEP a" in print_program(result.program)
    assert "STEP c" in print_program(result.program)


@pytest.mark.parametrize(
    ("member", "broken", "healthy"),
    [
        ("PLAN p", "STEP &s { f() }", "STEP s { f() }"),
        ("PLAN p", "STEP s { f(!x=7) }", "STEP s { f(x=7) }"),
        ("BELIEF", "a.!b = 1", "a.b = 1"),
        ("BELIEF", "a = 1 SOURCE &s\n    b = 2", "a = 1 SOURCE s\n    b = 2"),
    ],
)
def test_a_sign_that_was_taken_for_a_name_is_one_problem(member: str, broken: str, healthy: str) -> None:
    result, well = (_read(f"  {member} {{", f"    {line}", "  }") for line in (broken, healthy))
    assert [code for code, _ in _told(result)] == ["S105"]
    assert result.program
    assert well.program
    assert print_program(result.program) == print_program(well.program)


def test_a_block_of_one_line_is_told_before_what_it_swallowed() -> None:
    result = _read("  TOOL t {", "    INPUT { a: String", "    COST 3", "    DURATION 20s", "  }")
    assert _told(result) == [("S102", "expected `}` to close INPUT, opened on line 3")]
    result = _read("  PLAN p {", "    STEP a { f()", "    STEP b { SET x == 3 }", "  }")
    assert [code for code, _ in _told(result)] == ["S102", "S110"]
