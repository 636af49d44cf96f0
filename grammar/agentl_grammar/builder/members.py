"""Reductions of agents, goals, perception, memory, tools and policy (language.md §2.2, §2.3)."""

# ruff: noqa: D102 (each method reduces the rule of agent.lark that has its name)

from __future__ import annotations

from typing import Any, Literal, cast

from agentl_grammar.builder.parts import Children, Fields, Part, name, nodes, number, repetitions, string
from agentl_grammar.builder.statements import StatementRules, type_of
from agentl_grammar.lexer import Token, string_value
from agentl_grammar.tree import (
    Agent,
    Belief,
    BeliefEntry,
    Description,
    EffectEntry,
    Field,
    Goal,
    Guard,
    InputField,
    Memory,
    MemoryWrite,
    NameList,
    Observation,
    Observe,
    OnUnknown,
    Path,
    Policy,
    PolicyDefault,
    Program,
    Redaction,
    RiskEntry,
    Rule,
    Tool,
    ToolList,
    ToolOutcome,
    Version,
)


class MemberRules(StatementRules):
    """Agents and the members that declare what is known, done and allowed."""

    def start(self, children: Children) -> Program:
        return Program(self.span(children), tuple(children))

    def agent(self, children: Children) -> Agent:
        return Agent(self.span(children), name(children[1]), tuple(nodes(children)))

    def version(self, children: Children) -> Version:
        token: Token = children[-1]
        text = string_value(token.text) if token.type == "STRING" else token.text
        return Version(self.span(children), text)

    def description(self, children: Children) -> Description:
        return Description(self.span(children), string(children[-1]))

    def maintain(self, children: Children) -> Part:
        return self.part("condition", children, ("MAINTAIN", children[-1]))

    def achieve_goal(self, children: Children) -> Part:
        return self.part("condition", children, ("ACHIEVE", children[-1]))

    def goal_condition(self, children: Children) -> Part:
        return self.part("condition", children, (None, children[-1]))

    def target(self, children: Children) -> Part:
        return self.part("target", children, nodes(children))

    def weight(self, children: Children) -> Part:
        return self.part("weight", children, number(children[-1]))

    def goal(self, children: Children) -> Goal:
        fields = Fields(children)
        label = name(children[1]) if children[1].type == "NAME" else None
        mode: Literal["MAINTAIN", "ACHIEVE"] = "MAINTAIN"
        condition = None
        for stated, condition in fields.all("condition"):  # noqa: B007 (the last one counts)
            mode = stated or mode
        targets = tuple(target for group in fields.all("target") for target in group)
        return Goal(self.span(children), label, mode, condition, targets, fields.last("weight"))

    def confidence(self, children: Children) -> Part:
        return self.part("confidence", children, number(children[-1]))

    def belief_source(self, children: Children) -> Part:
        return self.part("source", children, name(children[-1]))

    def belief_updated(self, children: Children) -> Part:
        return self.part("updated", children, name(children[-1]))

    def belief_entry(self, children: Children) -> BeliefEntry:
        path, value, *_ = nodes(children)
        fields = Fields(children)
        confidence, source = fields.last("confidence"), fields.last("source")
        return BeliefEntry(self.span(children), path, value, confidence, source, fields.last("updated"))

    def belief(self, children: Children) -> Belief:
        return Belief(self.span(children), tuple(nodes(children)))

    def when(self, children: Children) -> Part:
        return self.part("when", children, children[-1])

    def on_unknown_escalate(self, children: Children) -> OnUnknown:
        return OnUnknown(self.span(children), "ESCALATE", None)

    def on_unknown_degrade(self, children: Children) -> OnUnknown:
        return OnUnknown(self.span(children), "DEGRADE", children[-1])

    def observation(self, children: Children) -> Observation:
        fields = Fields(children)
        return Observation(self.span(children), children[0], fields.last("when"), fields.last(OnUnknown))

    def observe(self, children: Children) -> Observe:
        return Observe(self.span(children), tuple(nodes(children)))

    def short_term(self, children: Children) -> Part:
        return self.part("short_term", children, children[-1].paths)

    def long_term(self, children: Children) -> Part:
        return self.part("long_term", children, children[-1].paths)

    def long_term_path(self, children: Children) -> Part:
        return self.part("long_term_path", children, children[0])

    def knowledge(self, children: Children) -> Part:
        return self.part("knowledge", children, children[-1].paths)

    def shared(self, children: Children) -> Part:
        return self.part("shared", children, children[-1].paths)

    def store(self, children: Children) -> Part:
        return self.part("store", children, children[-1])

    def into(self, children: Children) -> Part:
        return self.part("into", children, children[-1])

    def memory_write(self, children: Children) -> MemoryWrite:
        fields = Fields(children)
        return MemoryWrite(
            self.span(children), fields.last("when"), fields.last("store"), fields.last("into")
        )

    def memory(self, children: Children) -> Memory:
        fields = Fields(children)
        long_term: tuple[Path, ...] = ()
        for part in nodes(children):
            if isinstance(part, Part) and part.kind == "long_term":
                long_term = part.value
            elif isinstance(part, Part) and part.kind == "long_term_path":
                long_term = (*long_term, part.value)
        short_term, knowledge = fields.last("short_term") or (), fields.last("knowledge") or ()
        writes = tuple(fields.all(MemoryWrite))
        return Memory(
            self.span(children), short_term, long_term, knowledge, fields.last("shared") or (), writes
        )

    def typed_field(self, children: Children) -> Field:
        return Field(self.span(children), name(children[0]), type_of(children))

    def bind(self, children: Children) -> Part:
        return self.part("bind", children, children[-1])

    def attests(self, children: Children) -> Part:
        return self.part("attests", children, name(children[-1]))

    def input_field(self, children: Children) -> InputField:
        fields = Fields(children)
        bind, attests = fields.last("bind"), fields.last("attests")
        return InputField(self.span(children), name(children[0]), type_of(children), bind, attests)

    def tool_input(self, children: Children) -> Part:
        return self.part("inputs", children, tuple(nodes(children)))

    def tool_output(self, children: Children) -> Part:
        return self.part("outputs", children, tuple(nodes(children)))

    def side_effect(self, children: Children) -> Part:
        names: NameList = children[-1]
        return self.part("side_effects", children, names.paths)

    def risk_pair(self, children: Children) -> RiskEntry:
        return RiskEntry(self.span(children), name(children[0]), name(children[-1]))

    def risk(self, children: Children) -> Part:
        entries: list[RiskEntry] = nodes(children)
        last: Token = children[-1]
        if last.type != "_RBRACE":
            entries = [RiskEntry(last.span, None, name(last))]
        return self.part("risk", children, tuple(entries))

    def requires(self, children: Children) -> Part:
        return self.part("requires", children, nodes(children)[0])

    def effect_entry(self, children: Children) -> EffectEntry:
        path, value = nodes(children)
        internal = isinstance(children[-1], Token)
        return EffectEntry(self.span(children), path, value, internal)

    def effects(self, children: Children) -> Part:
        return self.part("effects", children, tuple(nodes(children)))

    def effect(self, children: Children) -> Part:
        return self.part("effect", children, children[-1].value)

    def outcome(self, children: Children) -> ToolOutcome:
        probability = number(children[-2]) if len(children) > 3 else None  # noqa: PLR2004
        return ToolOutcome(self.span(children), name(children[1]), probability, children[-1].value)

    def cost(self, children: Children) -> Part:
        return self.part("cost", children, number(children[-1]))

    def duration(self, children: Children) -> Part:
        return self.part("duration", children, number(children[-1]))

    def tool(self, children: Children) -> Tool:
        fields = Fields(children)
        for kind, word in (("inputs", "INPUT"), ("outputs", "OUTPUT")):
            places = [part.span for part in fields.parts(kind)]
            if places:
                self.problems += repetitions(word, places)
        description: Description | None = fields.last(Description)
        return Tool(
            self.span(children),
            name(children[1]),
            description.text if description else None,
            inputs=fields.last("inputs") or (),
            outputs=fields.last("outputs") or (),
            side_effects=fields.last("side_effects") or (),
            risk=fields.last("risk") or (),
            requires=fields.last("requires"),
            effects=fields.last("effect") or (),
            outcomes=tuple(fields.all(ToolOutcome)),
            cost=fields.last("cost"),
            duration=fields.last("duration"),
        )

    def short_tool(self, children: Children) -> Tool:
        fields: list[Field] = nodes(children)
        inputs = tuple(InputField(field.span, field.name, field.type, None, None) for field in fields)
        empty: dict[str, Any] = dict.fromkeys(("requires", "cost", "duration"))
        empty |= dict.fromkeys(("outputs", "side_effects", "risk", "effects", "outcomes"), ())
        return Tool(self.span(children), name(children[0]), None, inputs, **empty)

    def tool_list(self, children: Children) -> ToolList:
        return ToolList(self.span(children), tuple(nodes(children)))

    def policy_default(self, children: Children) -> PolicyDefault:
        verdict = cast("Literal['ALLOW', 'DENY']", children[-1].text.upper())
        return PolicyDefault(self.span(children), verdict)

    def guard(self, children: Children) -> Guard:
        return Guard(self.span(children), children[-1])

    def rule(self, children: Children) -> Rule:
        found = nodes(children)
        kind = cast("Literal['NEVER', 'DENY', 'ALLOW', 'REQUIRE']", children[0].text)
        target = next((child for child in found if isinstance(child, Path)), None)
        guard = next((child for child in found if isinstance(child, Guard)), None)
        return Rule(self.span(children), kind, target, guard)

    require_approval = rule

    def redaction(self, children: Children) -> Redaction:
        return Redaction(self.span(children), tuple(nodes(children)))

    def policy(self, children: Children) -> Policy:
        return Policy(self.span(children), tuple(nodes(children)))
