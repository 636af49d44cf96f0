"""Programs whose comments point at every name and say what it is: nothing is missed, nothing else is told."""

import re
from pathlib import Path

import pytest

from agentl_grammar.checks import Checker
from agentl_grammar.parser import Parser, parse
from agentl_grammar.symbols import Kind, Symbols, Use
from agentl_grammar.tree import Program

ROOT = Path(__file__).parents[2]
POINTED = sorted((Path(__file__).parent / "pointed").glob("*.agent"))
RENAMED = [
    *POINTED,
    *sorted((ROOT / "docs" / "examples").glob("*.agent")),
    ROOT / "tests/programs/mail.agent",
]
_POINTER = re.compile(r"#( *\^+) (.*)")
_Told = tuple[int, int, str]
"""The line of a name, its column, and what it is."""


def program_of(text: str) -> Program:
    result = parse(text)
    assert result.problems == ()
    assert result.program is not None
    return result.program


def pointed(text: str) -> list[tuple[_Told, int]]:
    """Return what the comments say below each line, and how many carets point at it."""
    found: list[tuple[_Told, int]] = []
    above = 0
    for number, line in enumerate(text.splitlines()):
        if pointer := _POINTER.fullmatch(line):
            carets = pointer[1].count("^")
            found.append(((above, pointer.end(1) - carets, pointer[2]), carets))
        else:
            above = number
    return found


def told(text: str) -> list[tuple[_Told, int]]:
    """Return what the symbols say, without the words that stand for themselves."""
    symbols = Symbols(program_of(text))
    found: list[tuple[_Told, int]] = []
    for use in symbols.uses:
        if use.kind is Kind.PATH and "." not in use.name and not symbols.declarations(use):
            continue
        scope = f"of {use.scope} " if use.scope else ""
        said = f"{use.kind} {use.name} {scope}{'declared ' * use.declares}{'unwritten' * (not use.written)}"
        start = use.span.start
        column = start - text.rfind("\n", 0, start) - 1
        found.append(((text.count("\n", 0, start), column, said.strip()), use.span.end - start))
    return found


@pytest.mark.parametrize("path", POINTED, ids=lambda path: path.stem)
def test_what_is_pointed_at_is_all_that_is_told(path: Path):
    text = path.read_text(encoding="utf-8")
    assert sorted(pointed(text)) == sorted(told(text))
    assert len(pointed(text)) > 100


def shape(symbols: Symbols) -> list[tuple[Kind, bool, bool, int]]:
    """Return the names in the order of the text, told apart by numbers."""
    numbers: dict[tuple[Kind, str, str], int] = {}
    names = [use for use in symbols.uses if use.kind is not Kind.FACT]
    return [
        (
            use.kind,
            use.declares,
            use.written,
            numbers.setdefault((use.kind, use.name, use.scope), len(numbers)),
        )
        for use in names
    ]


def renamed(text: str, uses: list[Use]) -> str:
    """Return `text` with another last word in the name of `uses`."""
    for span in sorted({use.span for use in uses}, key=lambda span: -span.start):
        name = text[span.start : span.end]
        before, point, _ = name.rpartition(".")
        quote = '"' * before.startswith('"')
        text = text[: span.start] + before + point + "another_name" + quote + text[span.end :]
    return text


class Editor:
    """Reads one text after the other: its names, and what `check` finds."""

    def __init__(self) -> None:
        self._parser, self._checker = Parser(), Checker()

    def read(self, text: str) -> tuple[Symbols, list[str]]:
        result = self._parser.parse(text)
        assert result.program is not None
        return Symbols(result.program), [problem.code for problem in self._checker.check(result)]


@pytest.mark.parametrize("path", RENAMED, ids=lambda path: path.stem)
def test_with_another_name_every_name_means_what_it_meant(path: Path):
    """What is renamed everywhere it is told, is still one name, and `check` finds what it found before."""
    text, editor = path.read_text(encoding="utf-8"), Editor()
    symbols, codes = editor.read(text)
    before, seen = shape(symbols), set[Use]()
    for use in symbols.uses:
        if use in seen or use.kind is Kind.FACT or not symbols.declarations(use):
            continue
        linked = symbols.linked(use)
        seen.update(linked)
        if all(other.written for other in linked):
            after, found = editor.read(renamed(text, linked))
            assert shape(after) == before, use
            assert found == codes, use


def test_an_unnamed_goal_is_main_and_told_at_its_word():
    text = "AGENT a {\n  GOAL { x == 1 }\n  PLAN p { SET y = goals.main.score }\n}\n"
    symbols = Symbols(program_of(text))
    used = symbols.at(text.index("main"))
    assert used
    (declared,) = symbols.declarations(used)
    assert (text[declared.span.start : declared.span.end], declared.written) == ("GOAL", False)
    assert symbols.at(declared.span.start + 1) == declared
    assert symbols.same(declared) == [declared, used]
