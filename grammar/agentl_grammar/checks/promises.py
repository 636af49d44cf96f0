"""ROLLBACK: what it takes back, which only the host tells; silent where no host was read (§0 row 18)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.registry import Found, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import CallStatement, Rollback


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


RULES = (rollback_of_nothing,)
