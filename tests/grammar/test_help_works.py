"""The help at a token that cannot stand names a step that mends the text, where one edit there does."""

from collections.abc import Iterator

import pytest
from test_breakages import PUT_IN, SAMPLES

from agentl_grammar import syntax_errors
from agentl_grammar.lexer import OPERATORS, lex
from agentl_grammar.parser import Parser
from agentl_grammar.problems import Fix, Message
from agentl_grammar.syntax_errors import next_step
from agentl_grammar.syntax_errors.place import Place

TEXT = min(SAMPLES, key=len)
VALUES = {"NAME": "xyz", "STRING": '"xyz"', "NUMBER": "7", "PERCENT": "7%", "TIMESPAN": "7s"}
WORDS = {"_ON_UNKNOWN": "ON UNKNOWN", "_VERIFY_LABELLED": "VERIFY", "DATETIME": "2026-01-31", "$END": ""}
SIGNS = {terminal: text for text, terminal in OPERATORS.items()}
STRIDE, LEAST_TOLD = 3, 40
# What each help tells to do: leave the token out, put something before it, put something in its place.
STEPS = {
    "remove {found}": ("out",),
    "remove {found}, or write one of these instead": ("out", "instead"),
    "remove {found}, or add what is missing before it": ("out", "before"),
    "add what is missing before {found}": ("before",),
    "add what is missing before {found}, or write it instead": ("before", "instead"),
    "write {expected} before {found}": ("before",),
    "write {expected} instead of {found}": ("instead",),
    "write one of these instead of {found}": ("instead",),
    "insert `{text}` before {found}": ("before",),
}


def breakages() -> Iterator[str]:
    for number, token in list(enumerate(lex(TEXT).tokens))[::STRIDE]:
        for new in (PUT_IN[number % len(PUT_IN)], PUT_IN[(number * 7 + 3) % len(PUT_IN)]):
            yield f"{TEXT[: token.start]} {new} {TEXT[token.end :]}"
            yield f"{TEXT[: token.start]} {new} {TEXT[token.start :]}"


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Message, Place]]:
    """The places at which no rule knew more than the next step, each with the help that tells it."""
    found: list[tuple[Message, Place]] = []

    def noted(place: Place) -> tuple[Message, list[Fix]]:
        hint, fixes = next_step(place)
        found.append((hint, place))
        return hint, fixes

    monkeypatch.setattr(syntax_errors, "next_step", noted)
    return found


def mends(parser: Parser, text: str, place: Place, step: str) -> bool:
    before, behind = text[: place.token.start], text[place.token.end :]
    if step == "out":
        return not parser.parse(before + behind).problems
    kept = place.token.text if step == "before" else ""
    words = (
        (VALUES | WORDS | SIGNS).get(kind) or kind.strip("_").removesuffix("_ANY_CASE")
        for kind in place.accepts
    )
    return any(not parser.parse(f"{before} {word} {kept}{behind}").problems for word in words)


def test_the_help_names_a_step_that_mends_the_text(places: list[tuple[Message, Place]]):
    parser, told, wrong = Parser(), 0, list[object]()
    for text in breakages():
        places.clear()
        problems = parser.parse(text).problems
        here = [place for hint, place in places if len(problems) == 1 and hint is problems[0].hint]
        hint = problems[0].hint if here else None
        steps = STEPS.get(hint.template) if hint else None
        if steps:
            works = {step for step in ("out", "before", "instead") if mends(parser, text, here[0], step)}
            told += bool(works)
            if works and not works & set(steps):
                wrong.append((str(hint), text, works))
    assert told > LEAST_TOLD
    assert len(wrong) < told / 10, wrong
