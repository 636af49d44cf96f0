"""What every feature looks at: one open text with all that is known of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from agentl.host_source import HostSource
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Node, children
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.run_view import RunView


@dataclass(frozen=True, slots=True)
class Page:
    """An open text.

    `anatomy` is the last program that could be read; while `source` has a syntax error it is that of an older
    text, and `place` says where its parts stand now. `runs` are those of this program, the newest first.
    """

    source: Source
    problems: tuple[Problem, ...] = ()
    anatomy: Anatomy | None = None
    host: HostSource | None = None
    runs: tuple[RunView, ...] = ()

    @property
    def fresh(self) -> Anatomy | None:
        """The program of the text as it is now; None while it has a syntax error."""
        if self.anatomy is None or self.anatomy.source.text != self.source.text:
            return None
        return self.anatomy

    def place(self, span: Span) -> Span | None:
        """Return where a span of the program's own text stands now; None when it was edited meanwhile."""
        if self.anatomy is None:
            return None
        old, new = self.anatomy.source.text, self.source.text
        before, after = _unchanged(old, new)
        if span.end <= before:
            return span
        if span.start >= len(old) - after:
            moved = len(new) - len(old)
            return Span(span.start + moved, span.end + moved)
        return None

    def nodes_at(self, offset: int) -> Iterator[Node]:
        """Yield the nodes of the program that touch `offset` of the open text, outermost first."""
        then = self._offset_then(offset)
        if self.anatomy is None or then is None:
            return
        pending: list[Node] = [self.anatomy.program]
        while pending:
            node = pending.pop()
            if node.span.contains(then):
                yield node
                pending.extend(reversed(list(children(node))))

    def _offset_then(self, offset: int) -> int | None:
        """Return where `offset` of the open text stood in the program's own text; None inside an edit."""
        if self.anatomy is None:
            return None
        old, new = self.anatomy.source.text, self.source.text
        before, after = _unchanged(old, new)
        if offset <= before:
            return offset
        return offset - len(new) + len(old) if offset >= len(new) - after else None


@lru_cache(maxsize=4)
def _unchanged(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two texts share at their beginning and, apart from those, at their end."""
    if old == new:
        return len(old), 0
    shorter = min(len(old), len(new))
    before = _longest(shorter, lambda length: old[:length] == new[:length])
    after = _longest(shorter - before, lambda length: old[len(old) - length :] == new[len(new) - length :])
    return before, after


def _longest(limit: int, equal: Callable[[int], bool]) -> int:
    """Return the greatest length up to `limit` for which `equal` holds; it holds for all that are less."""
    return bisect_left(range(1, limit + 1), True, key=lambda length: not equal(length))
