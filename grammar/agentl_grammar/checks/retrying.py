"""RETRY and VERIFY: what they repeat and stop, and where they do not (§5.9)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.effects import acts
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.order import holds, may_come_behind
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import (
    Block,
    CallStatement,
    Delegate,
    MainLoop,
    Plan,
    Retry,
    Verify,
    VerifyFailHandler,
)


@warning("W140")
def retry_repeats_an_action(index: Index) -> Iterator[Found]:
    """W140: RETRY starts the whole plan again, and a completed call in it would be sent a second time.

    Told for calls that may run in front of the VERIFY and whose host function is certainly neither idempotent
    nor reconcilable; silent where no host was read (§0 row 32). A RETRY in ON VERIFY.FAIL is for every VERIFY
    without an ON FAIL of its own. What W147 tells of does nothing.
    """
    if index.host is None or not index.host.unpromised:
        return
    shared = shared_retries(index)
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


def retries_of(handler: Block | None) -> list[Retry]:
    """Return the RETRY that counts, if any: the first at the top of a handler (§5.9)."""
    return [each for each in handler.statements if isinstance(each, Retry)][:1] if handler else []


def shared_retries(index: Index) -> list[tuple[Part, Retry]]:
    """Return the RETRY of ON VERIFY.FAIL."""
    return [(part, retry) for part, node in index.all(VerifyFailHandler) for retry in retries_of(node.body)]


def _repeated(index: Index, part: Part, plan: Plan, verify: Verify) -> list[CallStatement | Delegate]:
    unpromised = index.host.unpromised if index.host else frozenset[str]()
    actions = [*part.all(CallStatement), *part.all(Delegate)]
    return [
        action
        for action in actions
        if action.target.text in unpromised
        and holds(plan, action)
        and may_come_behind(part, action, verify)
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


@warning("W147", Retry)
def retry_of_nothing(index: Index) -> Iterator[Found]:
    """W147: a RETRY that does nothing: only the first at the top of a handler counts (§5.9).

    A handler is ON FAIL of a VERIFY in a plan, or ON VERIFY.FAIL; below IF, in a loop, behind another RETRY
    and anywhere else a RETRY is passed over.
    """
    for part in dict.fromkeys(home for home, _ in index.own(Retry)):
        verifies = part.all(Verify) if isinstance(part.node, Plan) else ()
        handlers = [
            *(each.on_fail for each in verifies),
            *(each.body for each in part.all(VerifyFailHandler)),
        ]
        counted = {id(retry) for handler in handlers for retry in retries_of(handler)}
        for retry in part.all(Retry):
            if id(retry) not in counted:
                yield Found(
                    part.at(retry),
                    said(
                        message_id("this RETRY does nothing: only the first at the top of a handler counts")
                    ),
                    said(
                        message_id(
                            "write it at the top of ON FAIL, or start the plan again by its name: {plan}"
                        ),
                        plan=part.node.name.text if isinstance(part.node, Plan) else "…",
                    ),
                )


@warning("W150", MainLoop)
def verify_stops_nothing(index: Index) -> Iterator[Found]:
    """W150: a VERIFY that stands directly in LOOP: what follows it runs whether it fails or not.

    A failed VERIFY ends the plan or handler that it stands in; each statement of LOOP runs by itself.
    """
    for part, loop in index.own(MainLoop):
        for statement in loop.body.statements[:-1]:
            if isinstance(statement, Verify):
                yield Found(
                    part.at(statement),
                    said(message_id("this VERIFY stops nothing: what follows it in LOOP runs all the same")),
                    said(message_id("write it into a PLAN, in front of what it is to stop")),
                )


RULES = (retry_repeats_an_action, retry_of_nothing, verify_stops_nothing)
