"""What may run behind what, inside of one body."""

from __future__ import annotations

from agentl_grammar.checks.parts import Part
from agentl_grammar.tree import ForEach, If, Loop, Node


def comes_behind(part: Part, first: Node, second: Node) -> bool:
    """Tell whether `second` stands behind `first`, and not in the other branch of one IF."""
    if first.span.start >= second.span.start:
        return False
    return not any(
        branch.otherwise is not None and holds(branch.then, first) and holds(branch.otherwise, second)
        for branch in part.all(If)
    )


def may_come_behind(part: Part, first: Node, second: Node) -> bool:
    """Tell whether `second` may run behind `first`: it stands behind it, or both in one loop."""
    return comes_behind(part, first, second) or is_in_one_loop(part, first, second)


def is_in_one_loop(part: Part, one: Node, other: Node) -> bool:
    """Tell whether two nodes stand in one loop, so that each may run behind the other."""
    return any(holds(loop, one) and holds(loop, other) for loop in (*part.all(Loop), *part.all(ForEach)))


def holds(outer: Node, inner: Node) -> bool:
    """Tell whether a node stands inside of another."""
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end
