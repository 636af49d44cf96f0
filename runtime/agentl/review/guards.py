"""D202 and D203: conditions on `in_doubt` that can never be true, or always are."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.review.removal import is_about, without_operand, without_rule
from agentl.review.view import Target, View, doubt_of, host_function, warning
from agentl_grammar.checks.guards import PROTECTING
from agentl_grammar.checks.order import holds
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, nearest, renaming, said
from agentl_grammar.problems import Fix, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Binary, ListExpression, Node, Path, Rule, StringLiteral

_UNDECLARED = {
    "": message_id("no tool or sub-agent {name} is declared, so this is never true"),
    "ALLOW": message_id(
        "no tool or sub-agent {name} is declared, so this is never known: in this rule that is as good as "
        "false"
    ),
    "NEVER": message_id(
        "no tool or sub-agent {name} is declared, so this is never known: in this rule that is as good as "
        "true"
    ),
}
_BOOLEANS = frozenset({"true", "false", "yes", "no"})


@warning("D202")
def doubt_that_never_comes(view: View) -> Iterator[Found]:
    """D202: a guard reads the doubt of a tool that is not declared, or of one that never can be in doubt.

    Every condition of the program counts as a guard.
    """
    targets = {target.name: target for target in view.targets}
    for text, places in view.index.reads.items():
        name = doubt_of(text)
        if name is not None and name not in targets:
            for part, path in places:
                yield _undeclared(view, part, path, name, nearest(name, targets))
        elif name is not None and view.never_in_doubt(name):
            for part, path in places:
                yield _impossible(view, part, path, targets[name])


def _undeclared(view: View, part: Part, path: Node, name: str, near: str | None) -> Found:
    span = part.at(path)
    written = Span(span.start + len("tools."), span.end - len(".in_doubt"))
    exact = view.index.source.slice(written) == name
    rule = _rule_of(part, path)
    kind = "" if rule is None else "ALLOW" if rule.kind == "ALLOW" else "NEVER"
    return Found(
        span,
        said(_UNDECLARED[kind], name=name),
        did_you_mean(near, said(message_id("leave it out, or name the tool that may be in doubt"))),
        fixes=renaming(written, name, near) if near is not None and exact else _removed(view, part, path),
    )


def _impossible(view: View, part: Part, path: Node, target: Target) -> Found:
    return Found(
        part.at(path),
        said(
            message_id("{tool} is never in doubt: the host promises that it is idempotent"), tool=target.name
        ),
        said(message_id("leave it out: an interrupted call is sent again under the same key")),
        host_function(view, target.name),
        _removed(view, part, path),
    )


def _removed(view: View, part: Part, path: Node) -> tuple[Fix, ...]:
    """Return the fix that leaves out a condition that is never true, where that changes nothing else."""
    rule = _rule_of(part, path)
    if rule is not None and rule.guard is not None:
        cut = without_operand(view.index.source, part, rule.guard.condition, path)
        if cut is None and rule.kind in PROTECTING and is_about(rule.guard.condition, path):
            cut = without_rule(view.index.source, part.at(rule))
        if cut is not None:
            return (Fix(said(message_id("Leave it out")), ((cut, ""),)),)
    return ()


def _rule_of(part: Part, path: Node) -> Rule | None:
    return next((rule for rule in part.all(Rule) if holds(rule, path)), None)


@warning("D203")
def doubt_compared_with_nothing_it_has(view: View) -> Iterator[Found]:
    """D203: `in_doubt` is compared with something else than true and false (yes and no)."""
    doubts = {
        id(path): text
        for text, places in view.index.reads.items()
        if doubt_of(text) is not None or text == "last_action.in_doubt"
        for _, path in places
    }
    for part, node in view.index.all(Binary) if doubts else ():
        if node.operator.text in ("==", "!=", "IN"):
            for own, other in ((node.left, node.right), (node.right, node.left)):
                if id(own) in doubts and not _may_be(other):
                    yield _compared(part, node, doubts[id(own)], other)


def _compared(part: Part, node: Binary, path: str, other: Node) -> Found:
    replacement = f"{path} == true"
    return Found(
        part.at(other),
        said(message_id("{path} is true or false, and never this"), path=path),
        said(message_id("compare it with true")),
        fixes=(Fix(said(message_id("Write {text}"), text=replacement), ((part.at(node), replacement),)),),
    )


def _may_be(value: Node) -> bool:
    """Tell whether a value may be one that a doubt has; a path may be anything, a bare word is itself."""
    if isinstance(value, Path):
        return len(value.segments) > 1 or value.text.lower() in _BOOLEANS
    if isinstance(value, ListExpression):
        return any(not isinstance(item, StringLiteral | Path) or _may_be(item) for item in value.items)
    return False
