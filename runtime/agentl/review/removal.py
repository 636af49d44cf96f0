"""Leaving a condition out, or a whole rule, without touching what stands beside it."""

from __future__ import annotations

import re

from agentl_grammar.checks.parts import Part
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Binary, Node, Path

_OR = re.compile(r"\s*OR\s*\Z", re.IGNORECASE)
_BEHIND = re.compile(r"[ \t]*,|")
_LINE_END = re.compile(r"[ \t]*(?:\r\n|\n|\r)")


def without_operand(source: Source, part: Part, condition: Node, path: Node) -> Span | None:
    """Return what goes when one side of an OR is left out: the side that is no more than `path == true`.

    None when `path` stands alone, below another operator, or in parentheses.
    """
    for node in part.inside(condition).nodes.get(Binary, ()):
        if not isinstance(node, Binary) or node.operator.text != "OR":
            continue
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if is_about(side, path):
                own, kept = part.at(side), part.at(other)
                cut = Span(own.start, kept.start) if own.start < kept.start else Span(kept.end, own.end)
                between = source.text[min(own.end, kept.end) : max(own.start, kept.start)]
                return cut if _OR.match(between) else None
    return None


def without_rule(source: Source, rule: Span) -> Span:
    """Return what goes with a rule: the comma behind it and, when it has a line of its own, that line."""
    behind = _BEHIND.match(source.text, rule.end)
    end = behind.end() if behind else rule.end
    before = source.text[: rule.start].rstrip(" \t")
    line_end = _LINE_END.match(source.text, end)
    if line_end and (not before or before[-1] in "\r\n"):
        return Span(len(before), line_end.end())
    return Span(rule.start, end)


def is_about(condition: Node, path: Node) -> bool:
    """Tell whether a condition is no more than `path`, or `path == true`."""
    if condition is path:
        return True
    if not isinstance(condition, Binary) or condition.operator.text != "==" or condition.left is not path:
        return False
    return isinstance(condition.right, Path) and condition.right.text.lower() in ("true", "yes")
