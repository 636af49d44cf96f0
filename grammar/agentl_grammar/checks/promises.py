"""Rules that need to know what the host promises; silent where no host was read (§0 rows 18, 32)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.effects import acts
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.order import comes_behind, holds
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import (
    Block,
    CallStatement,
    Delegate,
    Plan,
    Retry,
    Rollback,
    Verify,
    VerifyFailHandler,
)


@warning("W139")
def rollback_of_nothing(index: Index) -> Iterator[Found]:
    """W139: ROLLBACK where no tool that the agent calls has a compensation in the host."""
    host = index.host
    if host is None or not host.complete or host.compensated & _called(index):
        return
    for part, node in index.all(Rollback):
        yield Found(
            part.at(node),
            said(
                message_id("nothing is rolled back: the host has no compensation for any tool of {agent}"),
                agent=index.name,
            ),
            said(message_id('add one to the host: @host.compensation("tool")')),
        )


def _called(index: Index) -> set[str]:
    return {call.target.text for _, call in index.all(CallStatement)} | set(index.delegates)


@warning("W140")
def retry_repeats_an_action(index: Index) -> Iterator[Found]:
    """W140: RETRY starts the whole plan again, and a completed call in it would be sent a second time.

    Told for calls in front of the VERIFY whose host function is certainly neither idempotent nor
    reconcilable. A RETRY in ON VERIFY.FAIL is for every VERIFY without an ON FAIL of its own. Below an IF or
    in a loop of its handler it does nothing.
    """
    if index.host is None or not index.host.unpromised:
        return
    shared = [
        (part, retry) for part, handler in index.all(VerifyFailHandler) for retry in retries_of(handler.body)
    ]
    told: set[int] = set()
    for part, plan in index.all(Plan):
        for verify in part.all(Verify):
            own = [(part, retry) for retry in retries_of(verify.on_fail)]
            for home, retry in own if verify.on_fail else shared:
                if id(retry) not in told:
                    repeated = _repeated(index, part, plan, verify)
                    if repeated:
                        told.add(id(retry))
                        yield _repeats(home, retry, part, repeated)


def retries_of(handler: Block | None) -> Iterator[Retry]:
    """Yield the RETRYs that count: those at the top of a handler (§5.9)."""
    yield from (each for each in handler.statements if isinstance(each, Retry)) if handler else ()


def _repeated(index: Index, part: Part, plan: Plan, verify: Verify) -> list[CallStatement | Delegate]:
    unpromised = index.host.unpromised if index.host else frozenset[str]()
    actions = [*part.all(CallStatement), *part.all(Delegate)]
    return [
        action
        for action in actions
        if action.target.text in unpromised
        and holds(plan, action)
        and comes_behind(part, action, verify)
        and _acts(index, action)
    ]


def _acts(index: Index, action: CallStatement | Delegate) -> bool:
    """Tell whether it matters that an action is repeated; a tool that only reads may be asked again."""
    if isinstance(action, Delegate):
        return True
    known = index.tools.get(action.target.text)
    return known is not None and bool(known[1].side_effects or acts(index, known[1]))


def _repeats(home: Part, retry: Retry, part: Part, calls: list[CallStatement | Delegate]) -> Found:
    return Found(
        home.at(retry),
        said(
            message_id("RETRY sends {tool} again, though the first call was completed"),
            tool=calls[0].target.text,
        ),
        said(
            message_id("make the host function idempotent, or write a reconciler; or VERIFY before it acts")
        ),
        tuple(see(part, call, said(message_id("sent again"))) for call in calls),
    )


RULES = (rollback_of_nothing, retry_repeats_an_action)
