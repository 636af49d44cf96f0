"""Text → `Program` and its syntax problems (language.md §1, §2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from threading import Lock

from agentl_grammar.builder import Builder
from agentl_grammar.builder.parts import MAXIMUM_DEPTH, TooDeepError
from agentl_grammar.lalr import Engine, UnexpectedTokenError
from agentl_grammar.lexer import Lexed, Token, lex
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors import syntax_problem, too_deep
from agentl_grammar.syntax_errors.lexical import lexical_problem
from agentl_grammar.syntax_errors.place import Place, place_of
from agentl_grammar.tables import load_tables
from agentl_grammar.tree import Program


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a text says: its tree, or None when the syntax is broken, and what is wrong with it."""

    source: Source
    program: Program | None
    problems: tuple[Problem, ...]


class _Parser:
    """The engine and its builder. A builder holds the state of one parse: parses go one after the other."""

    def __init__(self) -> None:
        self._builder = Builder()
        self._engine = Engine(load_tables(), self._builder)
        self._lock = Lock()

    def parse(self, source: Source) -> ParseResult:
        lexed = lex(source.text)
        with self._lock:
            self._builder.begin()
            try:
                return self._result(source, lexed)
            except TooDeepError as error:
                return ParseResult(source, None, (too_deep(error.span, MAXIMUM_DEPTH),))
            finally:
                self._builder.begin()

    def _result(self, source: Source, lexed: Lexed) -> ParseResult:
        cursor = self._engine.cursor()
        try:
            cursor.feed(lexed.tokens)
            if lexed.problem:
                problem = lexical_problem(source, lexed.problem, lexed.problem_start)
                return ParseResult(source, None, (problem,))
            program: Program = cursor.finish(len(source.text), len(lexed.tokens))
        except UnexpectedTokenError as error:
            return ParseResult(source, None, (self._syntax_problem(source, lexed, error.index),))
        problems = tuple(self._builder.problems)
        broken = any(problem.code.startswith("S") for problem in problems)
        return ParseResult(source, None if broken else program, problems)

    def place(self, source: Source, tokens: list[Token]) -> Place | None:
        with self._lock:
            self._builder.begin()
            try:
                cursor = self._engine.cursor()
                cursor.feed(tokens)
                return place_of(source, tokens, len(tokens), cursor)
            except (UnexpectedTokenError, TooDeepError):
                return None
            finally:
                self._builder.begin()

    def _syntax_problem(self, source: Source, lexed: Lexed, index: int) -> Problem:
        # The failed cursor has already reduced what it could; the message needs the place as it was before.
        cursor = self._engine.cursor()
        cursor.feed(lexed.tokens[:index])
        return syntax_problem(place_of(source, lexed.tokens, index, cursor))


@cache
def _parser() -> _Parser:
    return _Parser()


def parse(text: str, name: str = "<text>") -> ParseResult:
    """Parse `text`; `name` is what messages call it.

    Never raises: whatever is wrong is a problem of the result. `program` is None when the syntax is broken
    (codes S…); other errors (E…) leave the tree standing.
    """
    return _parser().parse(Source(text, name))


def place_at(text: str, offset: int) -> Place | None:
    """Return what could stand at `offset` behind the text before it, for completion.

    A word that ends at `offset` is being typed and is left out. None when the text before is broken already.
    """
    source = Source(text[:offset])
    lexed = lex(source.text)
    if lexed.problem or any(comment.end >= offset for comment in lexed.comments):
        return None
    tokens = lexed.tokens
    if tokens and tokens[-1].end == offset and tokens[-1].text[:1].isidentifier():
        tokens = tokens[:-1]
    return _parser().place(source, tokens)
