"""D201 and D204: tools of whose calls nobody may know whether they happened, and no rule that asks."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.host.source import Promise
from agentl.review.stub import reconciler_stub
from agentl.review.view import Target, View, doubts_read, hint, host_function, warning
from agentl_grammar.checks.insertion import rule_fix
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.problems import Fix, Message, Related, message_id
from agentl_grammar.tree import Path, Rule

_NO_PROMISE = message_id(
    "{tool} may end in doubt: it acts on the world, its host function is neither idempotent nor "
    "reconcilable, and no rule reads tools.{tool}.in_doubt"
)
_UNCLEAR_PROMISE = message_id(
    "{tool} may end in doubt: it acts on the world, what its host promises depends on how the host is set "
    "up, and no rule reads tools.{tool}.in_doubt"
)
_UNREADABLE = message_id(
    "{tool} may end in doubt: it acts on the world, its host script cannot be read (line {line}: {error}), "
    "and no rule reads tools.{tool}.in_doubt"
)
_UNSEEN = message_id(
    "whether {tool} may end in doubt cannot be told: only running the host script would tell what it "
    "promises; and no rule reads tools.{tool}.in_doubt"
)
_HINT = message_id(
    "add a rule on tools.{tool}.in_doubt, or promise idempotence or a reconciler in the host script"
)


def _guard(tool: str) -> str:
    return f"NEVER {tool} WHEN tools.{tool}.in_doubt == true"


@warning("D201")
def unguarded_doubt(view: View) -> Iterator[Found]:
    """D201: an effectful tool for which the host may promise nothing, and no rule on its doubt."""
    for target in _unguarded(view):
        if view.host.error is not None or not view.is_unseen(target.name):
            yield _found(view, target, _said(target.name, view))


@hint("D201")
def doubt_that_cannot_be_told(view: View) -> Iterator[Found]:
    """D201: the same of a tool that the script may register where it cannot be read."""
    for target in _unguarded(view):
        if view.host.error is None and view.is_unseen(target.name):
            yield _found(view, target, said(_UNSEEN, tool=target.name))


def _unguarded(view: View) -> Iterator[Target]:
    guarded = {name for part, rule in view.index.rules for name, _ in _of_guard(part, rule)}
    for target in view.targets:
        promise = view.host.promise(target.name)
        unpromised = promise not in (None, Promise.IDEMPOTENT, Promise.RECONCILABLE)
        if unpromised and target.tool is not None and view.acts(target) and target.name not in guarded:
            yield target


def _found(view: View, target: Target, message: Message) -> Found:
    return Found(
        target.span,
        message,
        said(_HINT, tool=target.name),
        host_function(view, target.name),
        (*_rule_fix(view, target), *reconciler_stub(view, target.name)),
    )


def _rule_fix(view: View, target: Target) -> tuple[Fix, ...]:
    if target.tool is None:
        return ()
    place = target.part.at(target.tool)
    return rule_fix(view.index.layout, target.name, place, _guard(target.name))


def _of_guard(part: Part, rule: Rule) -> Iterator[tuple[str, Path]]:
    if rule.guard is not None:
        yield from doubts_read(part, rule.guard)


def _said(tool: str, view: View) -> Message:
    host = view.host
    if host.error is not None:
        return said(_UNREADABLE, tool=tool, line=host.error_line or 1, error=host.error)
    unclear = host.promise(tool) is Promise.SOMETIMES
    return said(_UNCLEAR_PROMISE if unclear else _NO_PROMISE, tool=tool)


@hint("D204")
def doubt_of_a_tool_without_own_rule(view: View) -> Iterator[Found]:
    """D204: a rule reads the doubt of a tool, and no rule on that tool reads it: it may be sent once more."""
    targets = {target.name: target for target in view.targets}
    told: set[str] = set()
    for part, rule in view.index.rules:
        for name, path in _of_guard(part, rule):
            target = targets.get(name)
            if target is None or name in told or view.never_in_doubt(name) or _asks_itself(view, name):
                continue
            told.add(name)
            yield Found(
                part.at(path),
                said(
                    message_id("a rule on another tool asks whether {tool} is in doubt, and none on {tool}"),
                    tool=name,
                ),
                said(
                    message_id("in doubt, {tool} is called again: add {rule}"), tool=name, rule=_guard(name)
                ),
                (Related(target.span, said(message_id("declared here"))),),
                _rule_fix(view, target),
            )


def _asks_itself(view: View, name: str) -> bool:
    return any(read == name for part, rule in view.index.rules_on(name) for read, _ in _of_guard(part, rule))
