"""D201: a tool may end in doubt, and nothing in the program would notice."""

from __future__ import annotations

from collections.abc import Iterator

from agentl.host_source import HostFunction, HostSource, Promise
from agentl_grammar.problems import Fix, Message, Problem, Related, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import Agent, Path, Policy, Program, Rule, Tool, walk

_WEIGHTY = {"HIGH", "SEVERE", "CRITICAL", "UNSET"}
_INDENT = "  "

_NO_PROMISE = message_id(
    "{tool} may end in doubt: it acts on the world, its host function is neither idempotent nor reconcilable, "
    "and no rule reads tools.{tool}.in_doubt"
)
_UNCLEAR_PROMISE = message_id(
    "{tool} may end in doubt: it acts on the world, what its host promises depends on how the host is set up, "
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
            if promise in (Promise.NONE, Promise.SOMETIMES) and _acts(tool) and tool.name.text not in guarded:
                yield _problem(agent, tool, promise, source, host)


def _acts(tool: Tool) -> bool:
    return bool(tool.side_effects) or any(entry.level.text.upper() in _WEIGHTY for entry in tool.risk)


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


def _problem(agent: Agent, tool: Tool, promise: Promise, source: Source, host: HostSource) -> Problem:
    name = {"tool": tool.name.text}
    template = _NO_PROMISE if promise is Promise.NONE else _UNCLEAR_PROMISE
    function = host.tools.get(tool.name.text)
    return Problem(
        "D201",
        Severity.WARNING,
        tool.name.span,
        Message(template, name),
        hint=Message(_HINT, name),
        related=(_host_function(function, host),) if function else (),
        fixes=(_guard(agent, tool, source),),
    )


def _host_function(function: HostFunction, host: HostSource) -> Related:
    return Related(function.span, Message(message_id("the host function")), host.source.name)


# ------------------------------------------------------------------------------------------------ the fix


def _guard(agent: Agent, tool: Tool, source: Source) -> Fix:
    rule = f"NEVER {source.slice(tool.name.span)} WHEN tools.{tool.name.text}.in_doubt == true"
    policies = agent.of(Policy)
    place, text = (
        _in_policy(policies[-1], rule, source) if policies else _new_policy(agent, tool, rule, source)
    )
    return Fix(Message(message_id("Add {rule}"), {"rule": rule}), ((Span(place, place), text),))


def _in_policy(policy: Policy, rule: str, source: Source) -> tuple[int, str]:
    """Return where the rule goes in a POLICY, and its text: on a line of its own, indented like its neighbours."""
    if policy.rules:
        after = policy.rules[-1].span
        if _opens_line(after.start, source):
            return _past_comma(after.end, source), f"\n{_indentation(after.start, source)}{rule}"
        return _past_comma(after.end, source), f" {rule}"
    brace = source.text.index("{", policy.span.start) + 1
    outer = _indentation(policy.span.start, source)
    if "\n" in source.text[brace : policy.span.end] or "\r" in source.text[brace : policy.span.end]:
        return brace, f"\n{outer}{_INDENT}{rule}"
    return brace, f"\n{outer}{_INDENT}{rule}\n{outer}"


def _new_policy(agent: Agent, tool: Tool, rule: str, source: Source) -> tuple[int, str]:
    """Return a POLICY block that stands behind the member that declares the tool."""
    member = next(
        member for member in agent.members if member.span.start <= tool.span.start <= member.span.end
    )
    outer = _indentation(member.span.start, source)
    return member.span.end, f"\n\n{outer}POLICY {{\n{outer}{_INDENT}{rule}\n{outer}}}"


def _indentation(offset: int, source: Source) -> str:
    line = source.line(source.position(offset).line)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _opens_line(offset: int, source: Source) -> bool:
    position = source.position(offset)
    return not source.line(position.line)[: position.column].strip()


def _past_comma(offset: int, source: Source) -> int:
    rest = source.text[offset:]
    return offset + 1 if rest.startswith(",") else offset
