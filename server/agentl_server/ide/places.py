"""From the site in a journal record to the place on the page (architecture.md "Where data flows").

A site is looked up in the pinned source of the run and then, in the declaration of the same key, in the open
text. While that declaration has the digest it had, the node at the same site is the same statement. When it
changed, its statements are paired with those it had: by their words first, then by what they are about and
stand between; what was journaled there is *stale*. Nothing is ever matched by line number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from agentl_grammar.declared import segment
from agentl_grammar.printer import print_node
from agentl_grammar.tree import CallStatement, Delegate, Node, Observation, walk
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.pairing import paired
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
        self._moved: dict[tuple[str, type[Node]], dict[int, Node]] = {}
        self.changed = {key for key in (*then, *now) if then.get(key) != now.get(key)}

    def find(self, site: str) -> Found | None:
        """Return where `site` stands in the open program; None when it is not there any more."""
        key = self._anatomy.sites.declaration(site)
        node = self._anatomy.sites.node(site)
        if key not in self.changed:
            return Found(node, self._is_changed(_dependency(site, node))) if node else None
        was = self._pinned.anatomy.sites.node(site) if self._pinned else None
        if was is None:
            return None
        node = self._now(key, type(was)).get(id(was))
        return Found(node, stale=True) if node is not None else None

    def _is_changed(self, key: str) -> bool:
        return key in self.changed and self._anatomy.is_known(key)

    def _now(self, key: str, kind: type[Node]) -> dict[int, Node]:
        """Return the node of the open program for the `id` of each node of a kind that a declaration had."""
        if (key, kind) not in self._moved:
            then = _written(self._pinned.anatomy, key, kind) if self._pinned else []
            now = _written(self._anatomy, key, kind)
            pairs = paired(then, now, _same_words, _same_subject)
            self._moved[key, kind] = {id(then[old].node): now[new].node for old, new in pairs.items()}
        return self._moved[key, kind]


class _Written(NamedTuple):
    text: str
    node: Node


def _written(anatomy: Anatomy, key: str, kind: type[Node]) -> list[_Written]:
    entry = anatomy.declared.get(key)
    nodes = (node for member in (entry.nodes if entry else ()) for node in walk(member))
    return [_Written(print_node(node), node) for node in nodes if type(node) is kind]


def _same_words(one: _Written, other: _Written) -> bool:
    return one.text == other.text


def _dependency(site: str, node: Node | None) -> str:
    """Return the key of the declaration that a call depends on besides its own: its tool."""
    target = node.target.text if isinstance(node, CallStatement | Delegate) else ""
    return f"{site.split('/', maxsplit=1)[0]}/tool:{segment(target)}"


def _same_subject(one: _Written, other: _Written) -> bool:
    match one.node, other.node:
        case (CallStatement() as call, CallStatement() as now) | (Delegate() as call, Delegate() as now):
            return call.target == now.target
        case Observation() as entry, Observation() as now:
            return entry.path == now.path
        case _:
            return False
