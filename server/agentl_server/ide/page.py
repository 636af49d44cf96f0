"""What every feature looks at: one open text with all that is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentl.host.source import HostSource
from agentl.review import review
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Node, Program, children
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.kept import Kept, kept_between
from agentl_server.ide.run_view import RunView


@dataclass(frozen=True, slots=True)
class Layer:
    """A program with the places of its parts in the open text, and which declarations it is asked about."""

    anatomy: Anatomy
    kept: Kept
    shows: Callable[[str], bool]

    def place(self, span: Span) -> Span | None:
        """Return where a span of the program's own text stands now; None when it was edited meanwhile."""
        return self.kept.place(span)


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks say of a text without syntax errors."""

    problems: tuple[Problem, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Page:
    """An open text.

    `anatomy` is the program as far as it can be read, `good` the last one without a mistake, and `anatomy` is
    that too while not even an agent can be read. `runs` are those of this program, the newest first. `edits`
    is what they kept of the text of `good`; without it, the two texts are compared. `checked` are the checks
    of this text, or of the last one without a syntax error; they are made when someone asks.
    `review` says what the D rules find in a program of this text.
    """

    source: Source
    problems: tuple[Problem, ...] = ()
    anatomy: Anatomy | None = None
    host: HostSource | None = None
    runs: tuple[RunView, ...] = ()
    edits: Kept | None = None
    good: Anatomy | None = None
    checked: Callable[[], Checked | None] = lambda: None
    review: Callable[[Program, Source, HostSource], tuple[Problem, ...]] = review

    @property
    def fresh(self) -> Anatomy | None:
        """The program of the text as it is now, as far as it can be read; None when nothing can."""
        if self.anatomy is None or self.anatomy.source.text != self.source.text:
            return None
        return self.anatomy

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The programs to look at: that of this text and, for what it cannot tell, the last good one."""
        now = self.fresh
        if now is None:
            return (self._layer(self.anatomy, lambda _: True),) if self.anatomy else ()
        if now.whole or self.good is None:
            return (self._layer(now, lambda _: True),)
        return self._layer(now, now.is_known), self._layer(self.good, lambda key: not now.is_known(key))

    def place(self, span: Span) -> Span | None:
        """Return where a span of `anatomy` stands now; None when it was edited meanwhile."""
        return self._kept(self.anatomy).place(span) if self.anatomy else None

    def place_of_good(self, span: Span) -> Span | None:
        """Return where a span of `good` stands now; None when it was edited meanwhile."""
        return self._kept(self.good).place(span) if self.good else None

    def nodes_at(self, offset: int) -> tuple[Layer, list[Node]] | None:
        """Return the nodes that touch `offset` of the open text, outermost first, with their program."""
        found = [(layer, _nodes_at(layer, offset)) for layer in self.layers]
        best = next((entry for entry in reversed(found) if _is_shown(*entry)), None)
        return best or next((entry for entry in found if entry[1]), None)

    def _layer(self, anatomy: Anatomy, shows: Callable[[str], bool]) -> Layer:
        return Layer(anatomy, self._kept(anatomy), shows)

    def _kept(self, anatomy: Anatomy) -> Kept:
        if self.edits is None or anatomy is not self.good:
            return kept_between(anatomy.source.text, self.source.text)
        return self.edits


def _nodes_at(layer: Layer, offset: int) -> list[Node]:
    then = layer.kept.origin(offset)
    found: list[Node] = []
    pending: list[Node] = [layer.anatomy.program] if then is not None else []
    while pending:
        node = pending.pop()
        if then is not None and node.span.contains(then):
            found.append(node)
            pending.extend(reversed(list(children(node))))
    return found


def _is_shown(layer: Layer, nodes: list[Node]) -> bool:
    """Tell whether `nodes` lie in a declaration that the layer is asked about."""
    keys = layer.anatomy.keys
    return any(id(node) in keys and layer.shows(keys[id(node)]) for node in nodes)
