"""D201: a tool may end in doubt, and nothing in the program would notice."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.host_source import HostFunction, HostSource, Promise
from agentl.values import rank
from agentl_grammar.checks.insertion import Layout, rule_fix
from agentl_grammar.problems import Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Source
from agentl_grammar.tree import Agent, Path, Program, Rule, Tool, walk

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
_HINT = message_id(
    "add a rule on tools.{tool}.in_doubt, or promise idempotence or a reconciler in the host script"
)


def unguarded_doubt(program: Program, source: Source, host: HostSource) -> Iterator[Problem]:
    """D201: an effectful tool without a certain promise of the host, and no rule on its doubt (editor.md)."""
    for agent in program.agents:
        guarded = set(_doubts_read(agent))
        for tool in agent.tools:
            promise = host.promise(tool.name.text)
            promised = promise in (None, Promise.IDEMPOTENT, Promise.RECONCILABLE)
            if not promised and _acts(tool) and tool.name.text not in guarded:
                yield _problem(agent, tool, source, host)


def _acts(tool: Tool) -> bool:
    return bool(tool.side_effects) or any(_is_weighty(entry.level.text) for entry in tool.risk)


def _is_weighty(level: str) -> bool:
    found, high = rank(level), rank("HIGH")
    return found is not None and high is not None and found >= high


def _doubts_read(agent: Agent) -> Iterator[str]:
    for rule in agent.policy_rules:
        if isinstance(rule, Rule) and rule.guard is not None:
            for node in walk(rule.guard):
                if isinstance(node, Path):
                    match [segment.text for segment in node.segments]:
                        case ["tools", *name, "in_doubt"]:
                            yield ".".join(name)
                        case _:
                            pass


def _problem(agent: Agent, tool: Tool, source: Source, host: HostSource) -> Problem:
    name = {"tool": tool.name.text}
    rule = f"NEVER {tool.name.text} WHEN tools.{tool.name.text}.in_doubt == true"
    function = host.tools.get(tool.name.text)
    return Problem(
        "D201",
        Severity.WARNING,
        tool.name.span,
        _said(tool.name.text, host),
        hint=Message(_HINT, name),
        related=(_host_function(function, host),) if function else (),
        fixes=rule_fix(Layout.of(agent, source), tool.name.text, tool.span, rule),
    )


def _said(tool: str, host: HostSource) -> Message:
    if host.error is not None:
        return Message(_UNREADABLE, {"tool": tool, "line": host.error_line or 1, "error": host.error})
    unclear = host.promise(tool) is Promise.SOMETIMES
    return Message(_UNCLEAR_PROMISE if unclear else _NO_PROMISE, {"tool": tool})


def _host_function(function: HostFunction, host: HostSource) -> Related:
    return Related(function.span, Message(message_id("the host function")), host.source.name)
