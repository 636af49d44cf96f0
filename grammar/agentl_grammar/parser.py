"""Text → `Program` and its syntax problems (language.md §1, §2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from threading import Lock

from agentl_grammar.builder import Builder
from agentl_grammar.building import TooDeepError
from agentl_grammar.lalr import Engine, UnexpectedTokenError
from agentl_grammar.lexer import Lexed, Token, lex
from agentl_grammar.problems import Message, Problem, Severity
from agentl_grammar.source import Source, Span
from agentl_grammar.tables import load_tables
from agentl_grammar.tree import Program


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a text says: its tree, or None when the syntax is broken, and what is wrong with it."""

    source: Source
    program: Program | None
    problems: tuple[Problem, ...]


class _Parser:
    """The engine and its builder. A builder holds the state of one parse, so parses go one after the other."""

    def __init__(self) -> None:
        self._builder = Builder()
        self._engine = Engine(load_tables(), self._builder)
        self._lock = Lock()

    def parse(self, source: Source) -> ParseResult:
        lexed = lex(source.text)
        with self._lock:
            self._builder.begin()
            try:
                program = self._program(lexed, len(source.text))
            except TooDeepError as error:
                return ParseResult(source, None, (_problem(error.span),))
            except UnexpectedTokenError as error:
                token = lexed.tokens[error.index] if error.index < len(lexed.tokens) else None
                return ParseResult(source, None, (_problem(token.span if token else Span(0, 0)),))
            problems = tuple(self._builder.problems)
            self._builder.begin()
        broken = any(problem.code.startswith("S") for problem in problems)
        return ParseResult(source, None if broken else program, problems)

    def _program(self, lexed: Lexed, end: int) -> Program:
        cursor = self._engine.cursor()
        cursor.feed(lexed.tokens)
        if lexed.problem:
            raise UnexpectedTokenError(len(lexed.tokens))
        return cursor.finish(end, len(lexed.tokens))


def _problem(span: Span) -> Problem:
    return Problem("S101", Severity.ERROR, span, Message("syntax error"))


@cache
def _parser() -> _Parser:
    return _Parser()


def parse(text: str, name: str = "<text>") -> ParseResult:
    """Parse `text`; `name` is what messages call it.

    Never raises: whatever is wrong is a problem of the result. `program` is None when the syntax is broken (codes S…);
    other errors (E…) leave the tree standing.
    """
    return _parser().parse(Source(text, name))
