"""What is declared: names that clash, names that mean nothing, declarations that say nothing (§2.2, §2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.naming import rank
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, error, nearest, renaming, said, warning
from agentl_grammar.lexer import lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Decide,
    EventHandler,
    Goal,
    Hypothesis,
    Memory,
    MemoryWrite,
    MessageHandler,
    Name,
    Node,
    Plan,
    RiskEntry,
    Rule,
    Scenario,
    Step,
    Tool,
    Trigger,
)

_NAMED = (Plan, Step, Tool, Hypothesis, Scenario, MessageHandler)


@error("E003", Rule)
def rule_on_nothing(index: Index) -> Iterator[Found]:
    """E003: a rule of POLICY on something that is neither a tool nor the target of a DELEGATE."""
    for part, rule in index.own(Rule):
        name = rule.target.text if rule.target is not None else None
        if rule.target is not None and name not in index.tools and name not in index.delegates:
            name, span = rule.target.text, part.at(rule.target)
            near = nearest(name, {*index.tools, *index.delegates})
            yield Found(
                span,
                said(
                    message_id("the rule protects nothing: there is no tool or sub-agent {name}"), name=name
                ),
                did_you_mean(near, said(message_id("name a declared tool, the target of a DELEGATE, or *"))),
                fixes=renaming(span, name, near, opens=rule.kind == "ALLOW"),
            )


@warning("W149", *_NAMED)
def name_from_the_next_line(index: Index) -> Iterator[Found]:
    """W149: the reserved word that begins the next line was read as the name of what is declared.

    Silent on a name in quotes, and on one that stands behind its word.
    """
    for part, node in index.own_of(_NAMED):
        name: Name = getattr(node, "name")  # noqa: B009 (every kind has one)
        if name.text in WORDS:
            before = index.text_of(part, Span(node.span.start, name.span.start))
            if "\n" in before and index.text_of(part, name.span) == name.text:
                head = " ".join(token.text for token in lex(before).tokens)
                yield Found(
                    part.at(name),
                    said(
                        message_id("{word} of this line is read as the name of the {head} above it"),
                        word=name.text,
                        head=head,
                    ),
                    said(message_id("write the name behind {head}, on its line"), head=head),
                )


@error("E004")
def declared_twice(index: Index) -> Iterator[Found]:
    """E004: two tools, plans, goals or scenarios of one name."""
    for word, kind in (("TOOL", Tool), ("PLAN", Plan), ("GOAL", Goal), ("SCENARIO", Scenario)):
        first: dict[str, tuple[Part, Node]] = {}
        nodes = index.scenarios if kind is Scenario else index.all(kind)
        for part, node in nodes:
            name: Name | None = node.name
            text = name.text if name else "main"
            before = first.setdefault(text, (part, name or node))
            if before[0] is not part or before[1] is not (name or node):
                yield Found(
                    part.at(name or node),
                    said(message_id("{word} {name} is declared twice"), word=word, name=text),
                    said(message_id("rename one of the two, or leave it out")),
                    (see(*before, said(message_id("declared here"))),),
                )


@error("E005", EventHandler)
def empty_event(index: Index) -> Iterator[Found]:
    """E005: an EVENT that does nothing."""
    for part, handler in index.own(EventHandler):
        if not handler.body.statements:
            yield Found(
                part.at(handler.source),
                said(message_id("EVENT {name} does nothing"), name=handler.source.text),
                said(message_id("say what is to happen: a call, a SET, the name of a plan")),
            )


@error("E008", MemoryWrite)
def undeclared_shared_bucket(index: Index) -> Iterator[Found]:
    """E008: WRITE INTO SHARED.k where MEMORY does not declare the SHARED bucket k."""
    declared = {path.text for _, memory in index.all(Memory) for path in memory.shared}
    for part, write in index.own(MemoryWrite):
        if write.into is None or write.into.segments[0].text.upper() != "SHARED":
            continue
        key = ".".join(segment.text for segment in write.into.segments[1:]) or "records"
        if key not in declared:
            near = nearest(key, declared)
            yield Found(
                part.at(write.into),
                said(message_id("no SHARED bucket {key} is declared"), key=key),
                did_you_mean(near, said(message_id("declare it in MEMORY: SHARED {{ {key} }}"), key=key)),
                fixes=renaming(part.at(write.into), f"SHARED.{key}", f"SHARED.{near}" if near else None),
            )


@error("E011", Tool)
def unset_risk(index: Index) -> Iterator[Found]:
    """E011: a tool, imported most likely, whose risk nobody has decided."""
    for part, tool in index.own(Tool):
        for entry in tool.risk:
            if _is_unset(entry):
                yield Found(
                    part.at(entry.level),
                    said(message_id("nobody has decided the risk of {tool}"), tool=tool.name.text),
                    said(message_id("write what it is: LOW, MEDIUM, HIGH or CRITICAL")),
                )


def _is_unset(entry: RiskEntry) -> bool:
    return rank(entry.level.text) == rank("UNSET")


@warning("W105")
def no_goal(index: Index) -> Iterator[Found]:
    """W105: an agent without a GOAL: nobody can tell whether it does well."""
    if not index.all(Goal):
        yield Found(
            index.agent.name.span,
            said(message_id("{agent} has no GOAL"), agent=index.name),
            said(message_id("say what it is for: GOAL {{ MAINTAIN … }} or GOAL {{ ACHIEVE … }}")),
        )


@warning("W106", unnecessary=True)
def plan_never_started(index: Index) -> Iterator[Found]:
    """W106: a plan that nothing can start: no WHEN, no model that chooses, no trigger but in such plans."""
    if any(decide.reason for _, decide in index.all(Decide)):
        return
    started = _started(index)
    for part, plan in index.all(Plan):
        name = plan.name.text
        if name not in started:
            yield Found(
                part.at(plan.name),
                said(message_id("nothing can start the plan {name}"), name=name),
                said(message_id("give it a WHEN, or write its name where it is to start")),
            )


def _started(index: Index) -> set[str]:
    """Return the plans that start by themselves or from another member, and those that these start."""
    triggers: dict[str, list[str]] = {}
    pending = [plan.name.text for _, plan in index.all(Plan) if plan.when is not None]
    for part, trigger in index.all(Trigger):
        if isinstance(part.node, Plan):
            triggers.setdefault(part.node.name.text, []).append(trigger.plan.text)
        else:
            pending.append(trigger.plan.text)
    started: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in started:
            started.add(name)
            pending += triggers.get(name, ())
    return started


RULES = (
    rule_on_nothing,
    name_from_the_next_line,
    declared_twice,
    empty_event,
    undeclared_shared_bucket,
    unset_risk,
    no_goal,
    plan_never_started,
)
