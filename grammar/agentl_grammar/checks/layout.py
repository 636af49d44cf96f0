"""Lines that stand as if they belonged to an IF, and lines that belong to one unseen (§2.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import Fix, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Block, If, Statement

_ALWAYS = message_id("this happens in any case: only the statement behind {word} depends on the IF")
_TAKEN = message_id("this belongs to the {word} above it")


class _Branch(NamedTuple):
    """A branch without braces: the word before it, the blanks before its IF, and those before it."""

    word: str
    block: Block
    base: str
    indent: str


@warning("W160", If)
def layout_that_misleads(index: Index) -> Iterator[Found]:
    """W160: a line below a branch without braces stands in its column, or a branch in the column of its IF.

    Silent where the IF or the branch does not begin its line, and where nothing is indented at all.
    """
    for part, block in index.own(Block):
        if _has_no_braces(block):
            continue
        before = block.span.start
        for at, statement in enumerate(block.statements):
            if isinstance(statement, If):
                base = _indent(index, part, before, statement.span.start)
                if base:
                    yield from _of_if(index, part, base, block.statements, at)
            before = statement.span.end


def _of_if(index: Index, part: Part, base: str, statements: Sequence[Statement], at: int) -> Iterator[Found]:
    node = statements[at]
    for branch in _branches(index, part, node, base):
        if branch.indent.startswith(branch.base) and branch.indent != branch.base:
            is_last = branch.block.span.end == node.span.end
            below = _below(index, part, branch, _behind(statements, at)) if is_last else []
            if below:
                yield _always(part, branch, below)
                return
        elif branch.base.startswith(branch.indent):
            yield Found(
                part.at(branch.block),
                said(_TAKEN, word=branch.word),
                said(
                    message_id("indent it, or write braces: {word} {{ … }}; else remove {word}"),
                    word=branch.word,
                ),
            )


def _branches(index: Index, part: Part, node: Statement, base: str) -> Iterator[_Branch]:
    """Yield the branches without braces that begin their lines, and those of an IF that is all of one."""
    inner: Statement | None = node
    while isinstance(inner, If):
        node, inner, indent = inner, None, None
        places = [("THEN", node.condition.span.end, node.then)]
        if node.otherwise is not None:
            places.append(("ELSE", node.then.span.end, node.otherwise))
        for word, before, block in places:
            inner = block.statements[0] if _has_no_braces(block) else None
            indent = _indent(index, part, before, block.span.start) if inner else None
            if indent is not None:
                yield _Branch(word, block, base, indent)
        base = indent or base


def _has_no_braces(block: Block) -> bool:
    return len(block.statements) == 1 and block.span == block.statements[0].span


def _indent(index: Index, part: Part, before: int, start: int) -> str | None:
    """Return the blanks before what begins its line, else None; `before` is where what precedes it ends."""
    _, line_end, blanks = index.text_of(part, Span(before, start)).rpartition("\n")
    return blanks if line_end and not blanks.strip() else None


def _behind(statements: Sequence[Statement], at: int) -> Iterator[Statement]:
    return (statements[number] for number in range(at + 1, len(statements)))


def _below(index: Index, part: Part, branch: _Branch, behind: Iterator[Statement]) -> list[Statement]:
    """Return the statements behind an IF that begin their lines in the column of its last branch."""
    below: list[Statement] = []
    end = branch.block.span.end
    for each in behind:
        if _indent(index, part, end, each.span.start) != branch.indent:
            break
        below.append(each)
        end = each.span.end
    return below


def _always(part: Part, branch: _Branch, below: Sequence[Statement]) -> Found:
    first, last = part.at(branch.block), part.at(below[-1])
    title = said(message_id("Write braces around them"))
    return Found(
        part.at(below[0]),
        said(_ALWAYS, word=branch.word),
        said(message_id("write braces around what belongs together: {word} {{ … }}"), word=branch.word),
        (see(part, branch.block, said(message_id("only this depends on it"))),),
        (Fix(title, ((Span(first.start, first.start), "{ "), (Span(last.end, last.end), " }")), guess=True),),
    )


RULES = (layout_that_misleads,)
