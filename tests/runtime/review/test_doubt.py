"""D201: a tool that may end in doubt without anything noticing; the fix adds the rule."""

from __future__ import annotations

import re
from itertools import product

import pytest

from agentl.host.source import read_host
from agentl.review import review
from agentl_grammar.lexer import lex
from agentl_grammar.parser import parse
from agentl_grammar.source import Source

PLAIN = "h = Host()\nh.tools['pay'] = f\n"
PROMISED = PLAIN + "h.idempotent_tools.add('pay')\n"
RECONCILED = PLAIN + "h.reconcilers['pay'] = f\n"
SWITCH = PLAIN + "if switch:\n    h.idempotent_tools.add('pay')\n"
ACTING = "AGENT a {\n  TOOL pay { SIDE_EFFECT { ledger } }\n}\n"


def findings(program: str, host: str = PLAIN):
    parsed = parse(program)
    assert parsed.program, parsed.problems
    found = review(parsed.program, Source(program), read_host(Source(host, "a.py")))
    return tuple(problem for problem in found if problem.code == "D201")


def test_effectful_tool_without_promise_and_without_rule_is_found_at_its_name():
    (found,) = findings(ACTING)
    assert (found.code, Source(ACTING).slice(found.span)) == ("D201", "pay")
    assert "neither idempotent nor reconcilable" in str(found.message)
    assert found.related[0].name == "a.py"


def test_promise_that_depends_on_a_switch_is_no_promise():
    (found,) = findings(ACTING, SWITCH)
    assert "depends on how the host is set up" in str(found.message)


def test_host_script_that_cannot_be_read_is_told_with_its_line():
    (found,) = findings(ACTING, PROMISED + "def build(:\n")
    assert "its host script cannot be read (line 4: invalid syntax)" in str(found.message)
    assert "set up" not in str(found.message)


@pytest.mark.parametrize("host", [PROMISED, RECONCILED])
def test_promised_tool_is_fine(host):
    assert findings(ACTING, host) == ()


@pytest.mark.parametrize("risk", ["HIGH", "CRITICAL", "{ money: HIGH }"])
def test_risk_from_high_on_counts_like_a_side_effect(risk):
    assert [found.code for found in findings(f"AGENT a {{ TOOL pay {{ RISK {risk} }} }}")] == ["D201"]


@pytest.mark.parametrize("tool", ["TOOL pay { RISK MEDIUM }", "TOOL pay { }", "TOOL { pay }"])
def test_harmless_tool_is_fine(tool):
    assert findings(f"AGENT a {{ {tool} }}") == ()


@pytest.mark.parametrize(
    "rule",
    [
        "NEVER pay WHEN tools.pay.in_doubt == true",
        "DENY * IF tools.pay.in_doubt == true",
        "REQUIRE APPROVAL FOR pay WHEN tools.pay.in_doubt == true OR amount > 3",
    ],
)
def test_any_rule_that_reads_the_doubt_is_enough(rule):
    assert findings(ACTING.replace("\n}", f"\n  POLICY {{ {rule} }}\n}}")) == ()


def test_rule_on_the_doubt_of_another_tool_is_not_enough():
    program = ACTING.replace("\n}", "\n  POLICY { NEVER pay WHEN tools.tell.in_doubt == true }\n}")
    assert len(findings(program)) == 1


def test_each_agent_needs_its_own_rule():
    guarded = ACTING.replace("\n}", "\n  POLICY { NEVER pay WHEN tools.pay.in_doubt == true }\n}")
    assert len(findings(guarded + ACTING.replace("AGENT a", "AGENT b"))) == 1


def test_tool_that_the_host_lacks_is_not_this_rule_s_business():
    assert findings(ACTING, "h = Host()\nh.tools['tell'] = f\n") == ()


# ------------------------------------------------------------------------------------------------ the fix

RULE = "NEVER pay WHEN tools.pay.in_doubt == true"


def agent(policy: str, more: str = "") -> str:
    return f"AGENT a {{\n  TOOL pay {{ RISK HIGH }}\n{policy}\n{more}}}\n"


FIXES = {
    "behind the last rule, on a line of its own": (
        agent("  POLICY {\n    DEFAULT ALLOW\n    NEVER tell WHEN x == 1\n  }"),
        agent(f"  POLICY {{\n    DEFAULT ALLOW\n    NEVER tell WHEN x == 1\n    {RULE}\n  }}"),
    ),
    "behind a comma": (
        agent("  POLICY {\n\tDEFAULT ALLOW,\n  }"),
        agent(f"  POLICY {{\n\tDEFAULT ALLOW,\n\t{RULE}\n  }}"),
    ),
    "behind the comment on the line of the last rule": (
        agent("  POLICY {\n    DEFAULT ALLOW  // for now\n  }"),
        agent(f"  POLICY {{\n    DEFAULT ALLOW  // for now\n    {RULE}\n  }}"),
    ),
    "on the line of the policy": (
        agent("  POLICY { DEFAULT ALLOW }"),
        agent(f"  POLICY {{ DEFAULT ALLOW {RULE} }}"),
    ),
    "behind a line comment that a one-line policy ends in": (
        agent("  POLICY { DEFAULT ALLOW // for now\n  }"),
        agent(f"  POLICY {{ DEFAULT ALLOW // for now\n    {RULE}\n  }}"),
    ),
    "behind a block comment": (
        agent("  POLICY { DEFAULT ALLOW /* for now */ }"),
        agent(f"  POLICY {{ DEFAULT ALLOW /* for now */ {RULE} }}"),
    ),
    "behind a comma behind a comment": (
        agent("  POLICY {\n    DEFAULT ALLOW // for now\n    , # really\n  }"),
        agent(f"  POLICY {{\n    DEFAULT ALLOW // for now\n    , # really\n    {RULE}\n  }}"),
    ),
    "in an empty policy with a comment": (
        agent("  POLICY { // none yet\n  }"),
        agent(f"  POLICY {{ // none yet\n    {RULE}\n  }}"),
    ),
    "in the line of an agent": (
        "AGENT a { TOOL pay { RISK HIGH } PLAN p { pay() } }\n",
        f"AGENT a {{ TOOL pay {{ RISK HIGH }} POLICY {{ {RULE} }} PLAN p {{ pay() }} }}\n",
    ),
    "in the empty policy of an agent of one line": (
        "AGENT a { TOOL pay { RISK HIGH } POLICY {} }\n",
        f"AGENT a {{ TOOL pay {{ RISK HIGH }} POLICY {{ {RULE} }} }}\n",
    ),
    "behind the comment on the tool": (
        "AGENT a {\n  TOOL pay { RISK HIGH } // about pay\n  PLAN p { pay() }\n}\n",
        (
            "AGENT a {\n  TOOL pay { RISK HIGH } // about pay\n\n"
            f"  POLICY {{\n    {RULE}\n  }}\n  PLAN p {{ pay() }}\n}}\n"
        ),
    ),
    "before the brace that ends the line of the tool": (
        "AGENT a {\n    PLAN p { pay() }\n    TOOL pay { RISK HIGH } }",
        (
            f"AGENT a {{\n    PLAN p {{ pay() }}\n    TOOL pay {{ RISK HIGH }}\n\n"
            f"    POLICY {{\n        {RULE}\n    }}\n}}"
        ),
    ),
    "with the tabs and line ends of the text": (
        "AGENT a {\r\n\tTOOL pay { RISK HIGH }\r\n}\r\n",
        f"AGENT a {{\r\n\tTOOL pay {{ RISK HIGH }}\r\n\r\n\tPOLICY {{\r\n\t\t{RULE}\r\n\t}}\r\n}}\r\n",
    ),
    "in an empty policy": (agent("  POLICY { }"), agent(f"  POLICY {{\n    {RULE}\n  }}")),
    "in an empty policy of two lines": (agent("  POLICY {\n  }"), agent(f"  POLICY {{\n    {RULE}\n  }}")),
    "in a policy of its own": (
        agent("", "  PLAN p { pay() }\n"),
        agent(f"\n  POLICY {{\n    {RULE}\n  }}\n", "  PLAN p { pay() }\n"),
    ),
}


def applied(program: str) -> str:
    """Return the program with the fix of its one finding."""
    (found,) = findings(program)
    (fix,) = [fix for fix in found.fixes if fix.name is None]
    for span, text in reversed(fix.replacements):
        program = program[: span.start] + text + program[span.end :]
    return program


@pytest.mark.parametrize("case", FIXES)
def test_fix_puts_the_rule_where_a_person_would(case):
    program, fixed = FIXES[case]
    assert applied(program) == fixed
    assert findings(fixed) == ()


SPACES = [" ", "\n", "\n\n  ", " // x }\n", " # x {\n", " /* { */ ", " /* x\n */ // y\n", "\n  // x\n  "]
POLICIES = [
    "",
    "POLICY{}",
    "POLICY /* { */ {~}",
    "POLICY {~DEFAULT ALLOW~}",
    "POLICY {~DEFAULT ALLOW,~}",
    "POLICY {~DEFAULT ALLOW~,~}",
    "POLICY {~NEVER SEND a.b, c.d~}",
    "POLICY { DEFAULT ALLOW~NEVER tell WHEN x == 1~}",
    "POLICY { DEFAULT ALLOW }~POLICY {~NEVER tell WHEN x == 1~}",
]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("policy", POLICIES)
def test_fix_works_in_any_layout_and_touches_nothing_else(policy, line_end):
    for opening, inner, outer in product(["", "\ufeff"], SPACES, SPACES):
        text = f"{opening}AGENT a {{{outer}TOOL pay {{ RISK HIGH }}{outer}"
        text += policy.replace("~", inner) + f"{outer}PLAN p {{ pay() }}{outer}}}"
        text = text.replace("\n", line_end)
        fixed = applied(text)
        assert findings(fixed) == (), fixed
        assert fixed.count(RULE) == 1
        assert [word for word in text.split() if word not in fixed.split()] in ([], ["POLICY{}"]), fixed
        comments = [[note.text for note in lex(each).comments] for each in (text, fixed)]
        assert comments[0] == comments[1]
        assert {*re.findall(r"\r\n|\r|\n", fixed)} <= {line_end if line_end in text else "\n"}, repr(fixed)


@pytest.mark.parametrize("name", ["SEND", "EVENT"])
def test_tool_whose_name_no_rule_can_say_has_no_fix(name):
    (found,) = findings(ACTING.replace("pay", name), PLAIN.replace("pay", name))
    assert found.fixes == ()
