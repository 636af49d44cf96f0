"""What every feature looks at: one open text with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentl.host_source import HostSource
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Node, children
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.kept import Kept, kept_between
from agentl_server.ide.run_view import RunView


@dataclass(frozen=True, slots=True)
class Page:
    """An open text.

    `anatomy` is the last program that could be read; while `source` has a syntax error it is that of an older
    text, and `place` says where its parts stand now. `runs` are those of this program, the newest first.
    `edits` is what they kept of the program's text; without it, the two texts are compared.
    """

    source: Source
    problems: tuple[Problem, ...] = ()
    anatomy: Anatomy | None = None
    host: HostSource | None = None
    runs: tuple[RunView, ...] = ()
    edits: Kept | None = None

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
        return self._kept(self.anatomy).place(span)

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
        return self._kept(self.anatomy).origin(offset)

    def _kept(self, anatomy: Anatomy) -> Kept:
        return kept_between(anatomy.source.text, self.source.text) if self.edits is None else self.edits
