"""Sites: the stable path of every statement and member, `payments/plan:pay/step:send/0`.

A journal record carries the site of the statement that crossed; the editor finds the statement again by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from agentl_grammar.declared import Declared, Numbering, agent_keys, declared, segment
from agentl_grammar.tree import (
    Belief,
    Block,
    Decide,
    EventHandler,
    ForEach,
    Hypothesis,
    If,
    Loop,
    MainLoop,
    Memory,
    MessageHandler,
    Node,
    Observe,
    Plan,
    Policy,
    Program,
    Scenario,
    Statement,
    Then,
    Tool,
    Utility,
    Verify,
    VerifyFailHandler,
)

_Sites = Iterator[tuple[str, Node]]


class SiteIndex:
    """Both directions between the nodes of one program and their sites.

    Agents, declarations, steps, statements, policy rules, observations, beliefs, outcomes, evidences,
    memory writes, utilities and the items of scenarios have a site; expressions and names have none.
    """

    def __init__(self, program: Program) -> None:
        self._nodes: dict[str, Node] = {}
        for key, agent in agent_keys(program):
            self._nodes[key] = agent
            for entry in declared(agent, key):
                self._nodes[entry.key] = entry.nodes[0]
                self._nodes.update(_inside(entry))
        self._sites = {id(node): site for site, node in self._nodes.items()}
        for key, agent in agent_keys(program):
            for entry in declared(agent, key):
                self._sites.update((id(node), entry.key) for node in entry.nodes)

    def site(self, node: Node) -> str:
        """Return the site of `node`, a node of this very program.

        Raises:
            KeyError: it is of another program, or of a kind that has no site.
        """
        return self._sites[id(node)]

    def node(self, site: str) -> Node | None:
        """Return the node at `site`, or None; of a declaration in several members, the first."""
        return self._nodes.get(site)

    def declaration(self, site: str) -> str:
        """Return the key of the declaration that `site` lies in; of an agent's own site, that site."""
        return "/".join(site.split("/")[:2])


def _inside(entry: Declared) -> _Sites:
    node = entry.nodes[0]
    key = entry.key
    if isinstance(node, Plan):
        yield from _plan(key, node)
    elif isinstance(node, EventHandler | MessageHandler | VerifyFailHandler | MainLoop):
        yield from _statements(key, node.body)
    elif isinstance(node, Decide):
        yield from _each(key, node.rules)
        if node.reason:
            yield f"{key}/reason", node.reason
    else:
        yield from _entries(entry)


def _entries(entry: Declared) -> _Sites:
    key, node = entry.key, entry.nodes[0]
    if isinstance(node, Policy):
        rules = [rule for policy in entry.nodes if isinstance(policy, Policy) for rule in policy.rules]
        return _numbered(key, rules)
    if isinstance(node, Observe | Belief):
        blocks = [block for block in entry.nodes if isinstance(block, Observe | Belief)]
        return _named(key, "", [(item.path.text, item) for block in blocks for item in block.entries])
    if isinstance(node, Tool):
        return _named(key, "outcome:", [(outcome.name.text, outcome) for outcome in node.outcomes])
    if isinstance(node, Memory):
        return _numbered(f"{key}/write", node.writes)
    if isinstance(node, Hypothesis):
        return _numbered(f"{key}/evidence", node.evidence)
    return _items(key, node)


def _items(key: str, node: Node) -> _Sites:
    if isinstance(node, Scenario):
        return chain(_numbered(f"{key}/given", node.given), _numbered(f"{key}/expect", node.expectations))
    return _numbered(key, node.entries if isinstance(node, Utility) else ())


def _named(key: str, prefix: str, nodes: Iterable[tuple[str, Node]]) -> _Sites:
    numbering = Numbering()
    for name, node in nodes:
        yield numbering.unique(f"{key}/{prefix}{segment(name)}"), node


def _numbered(key: str, nodes: Iterable[Node]) -> _Sites:
    return ((f"{key}/{index}", node) for index, node in enumerate(nodes))


def _plan(key: str, plan: Plan) -> _Sites:
    numbering = Numbering()
    for step in plan.steps:
        site = numbering.unique(f"{key}/step:{segment(step.name.text)}")
        yield site, step
        yield from _statements(site, step.body)


def _statements(key: str, block: Block) -> _Sites:
    return _each(key, block.statements)


def _each(key: str, statements: Iterable[Statement]) -> _Sites:
    for index, statement in enumerate(statements):
        site = f"{key}/{index}"
        yield site, statement
        for name, block in _blocks(statement):
            yield from _statements(f"{site}/{name}", block)


def _blocks(statement: Statement) -> list[tuple[str, Block]]:
    if isinstance(statement, If):
        otherwise = [("else", statement.otherwise)] if statement.otherwise else []
        return [("then", statement.then), *otherwise]
    if isinstance(statement, Then):
        return [("then", statement.branch)]
    if isinstance(statement, Verify):
        return [("on_fail", statement.on_fail)] if statement.on_fail else []
    if isinstance(statement, Loop | ForEach):
        return [("body", statement.body)]
    return []
