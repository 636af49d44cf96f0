"""What is said of a program that cannot be read as a whole: nothing that a mistake may be the cause of."""

from __future__ import annotations

import pytest
from pages import PAYMENTS, page

from agentl.host.source import read_host
from agentl_grammar.source import Source
from agentl_server.ide.findings import findings

HOST = "h = Host()\nh.tools['transfer'] = f\nh.tools['notify'] = f\n"
GUARD = "    NEVER transfer WHEN tools.transfer.in_doubt == true\n"
UNGUARDED = PAYMENTS.replace(GUARD, "")


def codes(folder, text: str, before: str | None = None) -> list[str]:
    (folder / "payments.agent").write_text(text)
    shown = page(folder, text, read_host(Source(HOST)), before)
    return [problem.code for problem in findings(shown).problems]


def test_finding_stays_while_a_mistake_stands_elsewhere(tmp_path):
    assert codes(tmp_path, UNGUARDED) == ["D201", "D210"]
    assert codes(tmp_path, UNGUARDED.replace('msg="paid"', "msg="), UNGUARDED) == ["D201", "D210", "S101"]


@pytest.mark.parametrize(
    "broken", ["    NEVER transfer WHEN\n", "    NEVER\n", "    NEVR transfer\n", "    {{\n"]
)
def test_no_finding_comes_from_a_rule_that_cannot_be_read(tmp_path, broken):
    assert codes(tmp_path, PAYMENTS) == []
    said = codes(tmp_path, PAYMENTS.replace(GUARD, broken), PAYMENTS)
    assert said
    assert all(code.startswith("S") for code in said)


def test_finding_that_was_mended_is_not_kept_by_a_mistake_elsewhere(tmp_path):
    mended = PAYMENTS.replace('msg="paid"', "msg=")
    assert "D201" not in codes(tmp_path, mended, UNGUARDED)


def test_of_a_text_that_never_was_right_only_its_mistakes_are_told(tmp_path):
    said = codes(tmp_path, UNGUARDED.replace('msg="paid"', "msg="), "")
    assert said == ["S101"]
