"""What is worked out once for each node of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from agentl_grammar.tree import Node

_N = TypeVar("_N", bound=Node)
_V = TypeVar("_V")


class Kept(Generic[_N, _V]):
    """Gives what `make` makes of a node, made once.

    By identity: a node never changes, and to compare two of them takes longer than to make most things anew.
    """

    __slots__ = ("_kept", "_make")

    def __init__(self, make: Callable[[_N], _V]) -> None:
        self._make = make
        self._kept: dict[int, tuple[_N, _V]] = {}

    def __call__(self, node: _N) -> _V:
        """Return what was made of `node`; what `make` raises goes through."""
        kept = self._kept.get(id(node))
        if kept is None:
            kept = self._kept[id(node)] = (node, self._make(node))
        return kept[1]
