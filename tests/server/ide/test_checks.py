"""The checks on the page: told, taken back, kept behind a mistake."""

from pathlib import Path

import pytest
from lsprotocol import types as t

from agentl_grammar.source import Source
from agentl_server.documents import Documents
from agentl_server.ide.allowing import allowing
from agentl_server.ide.findings import findings
from agentl_server.texts import TextWorkspace

RISKY = (
    "AGENT a {\n  GOAL { x.y == 1 }\n  OBSERVE { x.y }\n  TOOL pay { RISK HIGH }\n  POLICY { ALLOW pay }\n}\n"
)


class Page:
    """A document that is opened and edited without a client."""

    def __init__(self, folder: Path, text: str) -> None:
        self.uri = (folder / "a.agent").as_uri()
        self.workspace = TextWorkspace(None, t.TextDocumentSyncKind.Incremental)
        self.workspace.put_text_document(t.TextDocumentItem(self.uri, "agentl", 1, text))
        self.document = Documents(lambda: self.workspace).opened(self.uri)

    def becomes(self, text: str) -> None:
        self.workspace.update_text_document(
            t.VersionedTextDocumentIdentifier(2, self.uri), t.TextDocumentContentChangeWholeDocument(text)
        )

    def found(self, enabled=lambda _: True):
        return findings(self.document.page(()), enabled).problems

    def codes(self, enabled=lambda _: True) -> list[str]:
        return [problem.code for problem in self.found(enabled)]


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path, RISKY)


def test_a_warning_is_on_the_page_and_gone_with_its_cause(page: Page):
    assert page.codes() == ["W120"]
    page.becomes(RISKY.replace("HIGH", "LOW"))
    assert page.codes() == []


def test_the_checks_can_be_turned_off(page: Page):
    assert page.codes(lambda feature: feature != "checks") == []


def test_behind_a_syntax_error_what_was_said_stays_where_its_text_is(page: Page):
    (before,) = page.found()
    page.becomes(RISKY.replace("x.y == 1", "x.y == 1 AND"))
    broken, after = page.found()
    assert (broken.code, after.code) == ("S101", "W120")
    assert after.span.start == before.span.start + len(" AND")


def test_a_problem_of_the_parser_is_told_once(page: Page):
    page.becomes(RISKY.replace("OBSERVE", "LOOP { pay() } LOOP { } OBSERVE"))
    assert page.codes().count("E018") == 1


def test_settings_beside_the_program_count(page: Page, tmp_path: Path):
    (tmp_path / "agentl.toml").write_text('ignore = ["W120"]\n')
    assert page.codes() == []


def test_what_the_host_promises_is_known_as_it_is_saved(page: Page, tmp_path: Path):
    page.becomes(
        "AGENT a { GOAL { x.y == 1 } OBSERVE { x.y } TOOL t { SIDE_EFFECT { x.y } } "
        "PLAN p WHEN x.y > 1 { t() VERIFY { x.y == 0 ON FAIL { RETRY } } } }"
    )
    assert "W140" not in page.codes()
    host = "from agentl import Host\nhost = Host()\n@host.tool('t')\ndef t(): ...\n"
    (tmp_path / "a.py").write_text(host)
    assert "W140" in page.codes()
    (tmp_path / "a.py").write_text(host.replace("'t')", "'t', idempotent=True)"))
    assert "W140" not in page.codes()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_warning_can_be_allowed_where_it_stands_and_asks_for_the_reason(page: Page, line_end: str):
    text = RISKY.replace("\n", line_end)
    page.becomes(text)
    fix = allowing(Source(text), page.found())["W120"]
    ((span, new),) = fix.replacements
    text = text[: span.start] + new + text[span.end :]
    assert new == f"  // agentl: allow W120 because …{line_end}"
    page.becomes(text)
    assert page.codes() == ["W141"]
    page.becomes(text.replace("…", "the bank asks back"))
    assert page.codes() == []


def test_errors_and_lines_that_begin_inside_a_text_are_not_offered(page: Page):
    page.becomes(RISKY.replace("TOOL pay", 'TOOL s { DESCRIPTION "two\nlines" } TOOL pay') + "AGENT A { }\n")
    found = page.found()
    assert {"E012", "W120", "W105"} <= {problem.code for problem in found}
    assert sorted(allowing(page.document.parsed.source, found)) == ["W105"]
