"""Tokens of a part of a text, read on behind what is no token."""

from __future__ import annotations

import re

from agentl_grammar.lexer import OPERATORS, Lexed, LexicalProblem, Token, lex, stream
from agentl_grammar.problems import Problem
from agentl_grammar.recovery.repairs import UNNAMED
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors.apart import without_remarks
from agentl_grammar.syntax_errors.compound import compound
from agentl_grammar.syntax_errors.items import kept_apart
from agentl_grammar.syntax_errors.lexical import lexical_problem, open_text, stands_for_value, without_value
from agentl_grammar.syntax_errors.numbers import told
from agentl_grammar.syntax_errors.surroundings import prose_end, taken_by

_MOST_PROBLEMS = 20
_BEFORE_TEXT = re.compile(
    r"(?:[=(]|(?<!\w)(?:TASK|QUESTION|DESCRIPTION|NOUL|CHOICE|SCORE|VERIFY|REASON|JUDGE))[ \t]*\Z"
).search


def tokens_of(source: Source, begin: int, end: int) -> tuple[list[Token], list[Problem]]:
    """Return the tokens from `begin` to `end`, and a problem for every place that is no token."""
    tokens: list[Token] = []
    problems: list[Problem] = []
    while len(problems) < _MOST_PROBLEMS:
        lexed = lex(source.text, begin, end)
        kind = lexed.problem
        if kind is None:
            tokens += lexed.tokens
            break
        lexed = _until_open_string(source, lexed, end)
        joined = compound(source, lexed.tokens, lexed.problem_start, end)
        if joined:
            tokens += [*lexed.tokens[: len(lexed.tokens) - joined.taken], *joined.read]
            problems.append(joined.problem)
            begin = joined.end
            continue
        kind, start = lexed.problem or kind, lexed.problem_start
        opened = kind is LexicalProblem.STRING_NOT_CLOSED
        problem = open_text(source, start, end) if opened else lexical_problem(source, kind, start)
        if lexed.tokens and stands_for_value(source, problem, lexed.tokens[-1]):
            problem, begin = without_value(problem), problem.span.end
            repaired = [Token("NAME", UNNAMED, start, begin)]
        else:
            repaired, begin = _repaired(source, lexed, problem, end)
        tokens += lexed.tokens
        problems.append(kept_apart(source, problem, tokens))
        tokens += repaired
    tokens, problems = without_remarks(source, tokens, problems)
    whole, numbers = told(source, tokens)
    return whole, problems + numbers


def _until_open_string(source: Source, lexed: Lexed, end: int) -> Lexed:
    """Return the tokens up to the text that is really open, if one is.

    One quote too few makes text of what stands between the next ones, and of their texts what is no token:
    the first text that goes over a line end is to blame when all is well behind its own lines, or when it
    ends with what stands before a text.
    """
    for index, token in enumerate(lexed.tokens):
        if token.type == "STRING" and "\n" in token.text and _is_open(source, token, end):
            comments = [comment for comment in lexed.comments if comment.end <= token.start]
            return Lexed(lexed.tokens[:index], comments, LexicalProblem.STRING_NOT_CLOSED, token.start)
    return lexed


def _is_open(source: Source, token: Token, end: int) -> bool:
    """Tell whether a text over several lines is likely to have lost its last quote."""
    last = token.text[:-1].rpartition("\n")[2]
    begin = min(end, prose_end(source, token.start))
    return bool(_BEFORE_TEXT(last)) or _is_well(source.text, begin, end)


def _is_well(text: str, begin: int, end: int) -> bool:
    """Tell whether all of a part is tokens, and no text in it goes over a line end; the first one tells."""
    for token in stream(text, begin, end):
        if token.type == "STRING" and "\n" in token.text:
            return False
        begin = token.end
    return lex(text, begin, end).problem is None


def _repaired(source: Source, lexed: Lexed, problem: Problem, end: int) -> tuple[list[Token], int]:
    """Return what is read for the place that is no token, and where to go on."""
    start, stop = lexed.problem_start, min(problem.span.end, end)
    if lexed.problem is LexicalProblem.STRING_NOT_CLOSED:
        quote = problem.fixes[0].replacements[0][0] if problem.fixes else None
        if quote and source.text[quote.start - 1] != "\\":
            return _closed(source, start, quote)
        stop = min(prose_end(source, start), end)
        if source.text[stop - 1] == "\\":
            stop = source.text.find('"', stop, end) + 1 or stop
        return [*_closed(source, start, Span(stop, stop))[0], *_taken(source, start, stop)], stop
    if lexed.problem is LexicalProblem.COMMENT_NOT_CLOSED:
        return [], end
    replacements = problem.fixes[0].replacements if problem.fixes else ()
    if len(replacements) > 1:
        return _quoted(source, replacements[0][0], replacements[-1][0])
    for _, text in replacements:
        if text.strip():
            return [token._replace(start=start, end=stop) for token in lex(text).tokens], stop
    while stop < end and not source.text[stop].isascii():
        stop += 1
    return [], stop


def _closed(source: Source, start: int, quote: Span) -> tuple[list[Token], int]:
    """Return the text that begins at `start`, with a `"` in the place of `quote`."""
    inside = source.text[start + 1 : quote.start].rstrip('"\\')
    return [Token("STRING", f'"{inside}"', start, quote.end)], quote.end


def _taken(source: Source, start: int, stop: int) -> list[Token]:
    """Return the brackets that a text without end took."""
    before = source.text[start - source.position(start).column : start]
    signs = taken_by(before, source.text[start + 1 : stop])
    return [Token(OPERATORS[sign], sign, stop, stop) for sign in signs]


def _quoted(source: Source, first: Span, last: Span) -> tuple[list[Token], int]:
    inside = source.text[first.end : last.start].replace("\\", "\\\\").replace('"', '\\"')
    return [Token("STRING", f'"{inside}"', first.start, last.end)], last.end
