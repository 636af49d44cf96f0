"""D201: a tool may end in doubt, and nothing in the program would notice."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.host_source import HostFunction, HostSource, Promise
from agentl.values import rank
from agentl_grammar.problems import Fix, Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Agent, Path, Policy, Program, Rule, Tool, walk

_INDENT = "  "

_NO_PROMISE = message_id(
    "{tool} may end in doubt: it acts on the world, its host function is neither idempotent nor "
    "reconcilable, and no rule reads tools.{tool}.in_doubt"
)
_UNCLEAR_PROMISE = message_id(
    "{tool} may end in doubt: it acts on the world, what its host promises depends on how the host is set "
    "up, and no rule reads tools.{tool}.in_doubt"
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
    unclear = host.promise(tool.name.text) is Promise.SOMETIMES
    template = _UNCLEAR_PROMISE if unclear else _NO_PROMISE
    function = host.tools.get(tool.name.text)
    return Problem(
        "D201",
        Severity.WARNING,
        tool.name.span,
        Message(template, name),
        hint=Message(_HINT, name),
        related=(_host_function(function, host),) if function else (),
        fixes=_guard(agent, tool, source),
    )


def _host_function(function: HostFunction, host: HostSource) -> Related:
    return Related(function.span, Message(message_id("the host function")), host.source.name)


# ------------------------------------------------------------------------------------------------- the fix


def _guard(agent: Agent, tool: Tool, source: Source) -> tuple[Fix, ...]:
    if not tool.name.text.isidentifier():
        return ()
    rule = f"NEVER {tool.name.text} WHEN tools.{tool.name.text}.in_doubt == true"
    policies = agent.of(Policy)
    edit = _in_policy(policies[-1], rule, source) if policies else _new_policy(agent, tool, rule, source)
    return (Fix(Message(message_id("Add {rule}"), {"rule": rule}), (edit,)),)


def _in_policy(policy: Policy, rule: str, source: Source) -> tuple[Span, str]:
    """Return where the rule goes in a POLICY: on a line of its own, indented like its neighbours."""
    if policy.rules:
        after = policy.rules[-1].span
        separator = f"\n{_indentation(after.start, source)}" if _opens_line(after.start, source) else " "
        place = _behind(after.end, source)
        return Span(place, place), separator + rule
    brace = source.text.index("{", policy.span.start) + 1
    outer = _indentation(policy.span.start, source)
    inner = source.text[brace : policy.span.end - 1]
    if inner.strip(" \t"):
        return Span(brace, brace), f"\n{outer}{_INDENT}{rule}"
    return Span(brace, brace + len(inner)), f"\n{outer}{_INDENT}{rule}\n{outer}"


def _new_policy(agent: Agent, tool: Tool, rule: str, source: Source) -> tuple[Span, str]:
    """Return a POLICY block that stands behind the member that declares the tool."""
    member = next(
        member for member in agent.members if member.span.start <= tool.span.start <= member.span.end
    )
    outer = _indentation(member.span.start, source)
    place = Span(member.span.end, member.span.end)
    return place, f"\n\n{outer}POLICY {{\n{outer}{_INDENT}{rule}\n{outer}}}"


def _indentation(offset: int, source: Source) -> str:
    line = source.line(source.position(offset).line)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _opens_line(offset: int, source: Source) -> bool:
    position = source.position(offset)
    return not source.line(position.line)[: position.column].strip()


def _behind(offset: int, source: Source) -> int:
    """Return where a rule ends for a person: behind its comma and a comment on its line."""
    if source.text.startswith(",", offset):
        offset += 1
    position = source.position(offset)
    line = source.line(position.line)
    if line[position.column :].lstrip().startswith(("//", "#")):
        return offset + len(line) - position.column
    return offset
