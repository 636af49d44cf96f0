"""What the D rules look at: an agent, and the host script beside its program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from agentl.host.source import HostSource, Promise, span_in
from agentl.review.host_code import HostCode
from agentl_grammar.checks.index import Index
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, Rule, said
from agentl_grammar.problems import Message, Related, Severity, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Node, Path, Tool


class Target(NamedTuple):
    """Something that an agent calls: a tool, or a sub-agent that it delegates to; `span` is its name."""

    name: str
    part: Part
    span: Span
    tool: Tool | None


@dataclass(frozen=True)
class View:
    """An agent and the script beside it; `code` is the tree of the script, empty when it is not Python."""

    index: Index
    host: HostSource
    code: HostCode

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The tools and the sub-agents of the agent, each name once."""
        return tuple(self._targets())

    def _targets(self) -> Iterator[Target]:
        index = self.index
        for name, (part, tool) in index.tools.items():
            yield Target(name, part, part.at(tool.name), tool)
        for name, (part, node) in index.delegates.items():
            if name not in index.tools:
                yield Target(name, part, part.at(node.target), None)

    def acts(self, target: Target) -> bool:
        """Tell whether a call acts on the world: SIDE_EFFECT, a risk of HIGH and above, or a sub-agent."""
        tool = target.tool
        return tool is None or bool(tool.side_effects) or self.index.is_risky(tool)

    def is_unseen(self, name: str) -> bool:
        """Tell whether the script may register a tool in a way that cannot be read."""
        return name not in self.host.promises and not self.host.complete

    def never_in_doubt(self, name: str) -> bool:
        """Tell whether no call of a tool can end in doubt, as far as the script can be read.

        That is so when the host surely promises idempotence, sets no timeout, and its function stands in the
        script and raises no InDoubt: an interrupted call is then sent again. A reconciler may not know, so it
        is not enough.
        """
        if self.host.error is not None or self.host.promise(name) is not Promise.IDEMPOTENT:
            return False
        if not (self.code.registered("tool", name) or self.code.registered("subagent", name)):
            return False
        return not (self.code.has_timeout(name) or self.code.mentions(name, "InDoubt"))


def doubt_of(text: str) -> str | None:
    """Return the tool whose doubt a path reads."""
    name = text.removeprefix("tools.").removesuffix(".in_doubt")
    return name if text == f"tools.{name}.in_doubt" else None


def doubts_read(part: Part, node: Node) -> Iterator[tuple[str, Path]]:
    """Yield each doubt that is read below a node of a member."""
    for text, path in part.inside(node).reads:
        name = doubt_of(text)
        if name is not None:
            yield name, path


def host_function(view: View, tool: str) -> tuple[Related, ...]:
    """Return where the host script has the function of a tool or sub-agent, if it can be seen there."""
    function = view.host.tools.get(tool) or view.host.subagents.get(tool)
    if function is None:
        return ()
    return (Related(function.span, said(message_id("the host function")), view.host.source.name),)


def in_host(view: View, node: ast.AST, message: Message) -> Related:
    """Return a place in the host script; of a function, its name."""
    return Related(span_in(view.host.source, node), message, view.host.source.name)


_Find = Callable[[View], Iterable[Found]]


def warning(code: str) -> Callable[[_Find], Rule[View]]:
    """Make a rule of a function; what it finds is a warning."""
    return lambda find: Rule(code, Severity.WARNING, find)


def hint(code: str) -> Callable[[_Find], Rule[View]]:
    """Make a rule of a function; what it finds is a hint."""
    return lambda find: Rule(code, Severity.HINT, find)
