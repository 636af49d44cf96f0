"""What could stand at a caret: the place behind the text before it, mistakes or not.

Only the member at the caret is read, the rest of its agent being of no consequence. Behind a mistake the
parse goes on as recovery does, so that the statement being typed is completed whatever is wrong above it.
"""

from __future__ import annotations

from agentl_grammar.builder import Builder
from agentl_grammar.builder.parts import TooDeepError
from agentl_grammar.cutting.cutter import Cutter
from agentl_grammar.lalr import Engine
from agentl_grammar.lexer import Token, lex
from agentl_grammar.lexing import tokens_of
from agentl_grammar.problems import Problem
from agentl_grammar.recovery.reading_on import MOST_PROBLEMS, Mistake, Stretch
from agentl_grammar.recovery.track import Track, begun
from agentl_grammar.source import Source
from agentl_grammar.syntax_errors.place import Place

_STRING_NOT_CLOSED, _COMMENT_NOT_CLOSED = "S103", "S104"


def place_behind(engine: Engine, builder: Builder, source: Source) -> Place | None:
    """Return what could stand behind the text of `source`.

    A word at its very end is being typed and is left out. None inside a text or comment, and where nothing
    could be made of what stands before.
    """
    text = source.text
    head, start = _head(text)
    tokens, problems = tokens_of(source, start, len(text))
    if _is_inside_text_or_comment(source, start, problems):
        return None
    if tokens and tokens[-1].end == len(text) and tokens[-1].text[:1].isidentifier():
        tokens.pop()
    builder.begin()
    stretch = Stretch([*head, *tokens], len(head), cut=True)
    return _behind(source, stretch, begun(engine, builder, stretch.tokens, closed=False))


def _head(text: str) -> tuple[list[Token], int]:
    """Return the tokens that open the agent around the end of the text, and where the last member begins."""
    # a line that begins with AGENT begins an agent, whatever is open before it
    begin = text.rfind("\nAGENT ") + 1
    agents = Cutter().by_layout(text[begin:])
    if not agents:
        return [], 0
    last = agents[-1]
    if last.close is not None:
        return [], begin + last.close
    open_members = [last.open_end] if last.open_end else last.members[-1:]
    head = lex(text, begin + last.start, begin + last.head_end).tokens
    return head, begin + (open_members[0][0] if open_members else last.head_end)


def _is_inside_text_or_comment(source: Source, start: int, problems: list[Problem]) -> bool:
    end = len(source.text)
    for problem in problems:
        if problem.code == _COMMENT_NOT_CLOSED:
            return True
        if problem.code == _STRING_NOT_CLOSED and _line(source, problem.span.start) == _line(source, end):
            return True
    comments = lex(source.text, start).comments
    return bool(comments) and comments[-1].end == end and not comments[-1].text.startswith("/*")


def _behind(source: Source, stretch: Stretch, track: Track) -> Place | None:
    """Return the place behind the last token; mistakes before it are read over."""
    try:
        for _ in range(MOST_PROBLEMS):
            count = len(track.tokens)
            if track.failed is None or track.failed == count:
                return track.place(source, count)
            last = track.tokens[-1]
            if track.failed == count - 1 and last.type == "_ON":
                # Where no other ON can stand, it is that of ON UNKNOWN.
                unknown = last._replace(type="_ON_UNKNOWN")
                track = track.instead(count - 1, [*track.tokens[:-1], unknown])
                continue
            mistake = Mistake(source, stretch, track)
            track = next(mistake.likely(), None) or mistake.nothing()
    except TooDeepError:
        return None
    return None


def _line(source: Source, offset: int) -> int:
    return source.position(offset).line
