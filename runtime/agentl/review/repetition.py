"""D205: a call that is made once more, of a tool for which the host promises nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentl.host.source import Promise
from agentl.review.view import Target, View, warning
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.order import may_come_behind
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.checks.retrying import retries_of, shared_retries
from agentl_grammar.problems import Message, Related, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    CallStatement,
    Delegate,
    Plan,
    Trigger,
    Verify,
    VerifyFailHandler,
)

_Call = CallStatement | Delegate


class _Again(NamedTuple):
    """Something that makes a plan run once more: where it stands, and how it is told."""

    call: _Call
    part: Part
    reason: Message
    why: tuple[Related, ...]


@warning("D205")
def call_that_may_repeat(view: View) -> Iterator[Found]:
    """D205: a call without promise in front of a VERIFY that retries, or in a plan that triggers itself.

    A plan triggers itself directly, through other plans, and through ON VERIFY.FAIL. Told of calls that act
    on the world and whose promise the script tells: there is none, or it depends on how the host is set up.
    Of several calls of one tool the first is told.
    """
    targets = {target.name: target for target in view.targets}
    told: set[tuple[str, Span]] = set()
    for again in (*_retried(view.index), *_triggered(view.index)):
        target = targets.get(again.call.target.text)
        key = again.call.target.text, again.why[0].span
        if target is not None and key not in told and _is_unpromised(view, target):
            told.add(key)
            yield Found(
                again.part.at(again.call),
                again.reason,
                said(
                    message_id(
                        "promise that {tool} is idempotent, write a reconciler, or check before it is called"
                    ),
                    tool=target.name,
                ),
                again.why,
            )


def _is_unpromised(view: View, target: Target) -> bool:
    if view.host.error is not None or target.name not in view.host.promises or not view.acts(target):
        return False
    return view.host.promises[target.name] in (Promise.NONE, Promise.SOMETIMES)


def _calls(part: Part) -> Iterator[_Call]:
    yield from part.all(CallStatement)
    yield from part.all(Delegate)


def _retried(index: Index) -> Iterator[_Again]:
    shared = shared_retries(index)
    for part, _ in index.all(Plan):
        for verify in part.all(Verify):
            own = [(part, retry) for retry in retries_of(verify.on_fail)] if verify.on_fail else shared
            for home, retry in own:
                for call in _calls(part):
                    if may_come_behind(part, call, verify):
                        reason = said(
                            message_id(
                                "{tool} was completed when this VERIFY fails; RETRY calls it again, and the "
                                "host promises nothing"
                            ),
                            tool=call.target.text,
                        )
                        yield _Again(
                            call,
                            part,
                            reason,
                            (see(home, retry, said(_STARTS_AGAIN)),),
                        )


_STARTS_AGAIN = message_id("this starts the plan again")


class _Edge(NamedTuple):
    """`to` is triggered at `span`."""

    to: str
    span: Span


def _triggered(index: Index) -> Iterator[_Again]:
    edges = _edges(index)
    for name, (part, _) in index.plans.items():
        cycle = _way_back(edges, name)
        if cycle:
            way = " → ".join([name, *(edge.to for edge in cycle)])
            why = tuple(Related(edge.span, said(_TRIGGERED, plan=edge.to)) for edge in cycle)
            for call in _calls(part):
                reason = said(
                    message_id(
                        "the plan triggers itself ({way}) and calls {tool} each time; the host promises "
                        "nothing"
                    ),
                    way=way,
                    tool=call.target.text,
                )
                yield _Again(call, part, reason, why)


_TRIGGERED = message_id("{plan} is triggered here")


def _edges(index: Index) -> dict[str, list[_Edge]]:
    shared = [
        _Edge(node.plan.text, part.at(node))
        for part in index.parts
        if isinstance(part.node, VerifyFailHandler)
        for node in part.all(Trigger)
    ]
    found: dict[str, list[_Edge]] = {}
    for name, (part, _) in index.plans.items():
        found[name] = [_Edge(node.plan.text, part.at(node)) for node in part.all(Trigger)]
        if any(not verify.on_fail for verify in part.all(Verify)):
            found[name] += shared
    return found


def _way_back(edges: Mapping[str, list[_Edge]], start: str) -> list[_Edge]:
    """Return the shortest way from a plan to itself; empty when there is none."""
    pending: list[list[_Edge]] = [[edge] for edge in edges[start]]
    seen: set[str] = set()
    while pending:
        way = pending.pop(0)
        last = way[-1].to
        if last == start:
            return way
        if last not in seen:
            seen.add(last)
            pending += [[*way, edge] for edge in edges.get(last, ())]
    return []
