"""From the site in a journal record to the place on the page (architecture.md "Where data flows").

A site is looked up in the pinned source of the run and then, in the declaration of the same key, in the open
text. While that declaration has the digest it had, the node at the same site is the same statement. When it
changed, the statement with the same subject is taken, and what was journaled there is *stale*. Nothing is
ever matched by line number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentl_grammar.declared import segment
from agentl_grammar.tree import CallStatement, Delegate, Node, Observation, walk
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.run_view import RunView


@dataclass(frozen=True, slots=True)
class Found:
    """A node of the open program; `stale` when its declaration, or what it depends on, has changed."""

    node: Node
    stale: bool


class Places:
    """The places of one run in one program; `changed` are the declarations that differ."""

    def __init__(self, view: RunView, anatomy: Anatomy) -> None:
        self._anatomy = anatomy
        self._pinned = view.history.pinned
        then = view.history.header.declarations if view.history.header else {}
        now = anatomy.digests
        self.changed = {key for key in (*then, *now) if then.get(key) != now.get(key)}

    def find(self, site: str) -> Found | None:
        """Return where `site` stands in the open program; None when it is not there any more."""
        key = self._anatomy.sites.declaration(site)
        node = self._anatomy.sites.node(site)
        if key not in self.changed:
            return Found(node, _dependency(site, node) in self.changed) if node else None
        was = self._pinned.anatomy.sites.node(site) if self._pinned else None
        if was is None:
            return None
        if node is not None and _same_subject(node, was):
            return Found(node, stale=True)
        others = [other for other in self._inside(key) if _same_subject(other, was)]
        return Found(others[0], stale=True) if len(others) == 1 else None

    def _inside(self, key: str) -> Iterator[Node]:
        entry = self._anatomy.declared.get(key)
        for member in entry.nodes if entry else ():
            yield from walk(member)


def _dependency(site: str, node: Node | None) -> str:
    """Return the key of the declaration that a call depends on besides its own: its tool."""
    target = node.target.text if isinstance(node, CallStatement | Delegate) else ""
    return f"{site.split('/', maxsplit=1)[0]}/tool:{segment(target)}"


def _same_subject(one: Node, other: Node) -> bool:
    match one, other:
        case CallStatement(), CallStatement():
            return one.target == other.target
        case Delegate(), Delegate():
            return one.target == other.target
        case Observation(), Observation():
            return one.path == other.path
        case _:
            return one == other
