"""The tree as canonical text: `parse(print_program(tree))` gives an equal tree.

Comments and layout are not in the tree and are lost here; `formatter` is the one that keeps them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any, cast

from agentl_grammar import tree as t
from agentl_grammar.lexer import quote
from agentl_grammar.printer import expressions as x
from agentl_grammar.printer import statements as s


def print_program(program: t.Program) -> str:
    """Return the canonical text of a program, with a line end behind the last line."""
    return "\n\n".join(_agent(agent) for agent in program.agents) + "\n"


def print_node(node: t.Node) -> str:
    """Return the canonical text of any node: `NEVER transfer WHEN tools.transfer.in_doubt == true` of a rule.

    A tool of the short form is written in the full form.
    """
    write = _WRITERS.get(type(node))
    if write:
        return write(node)
    if isinstance(node, t.Expression):
        return x.expression(node)
    return s.statement(cast("t.Statement", node))


def _agent(node: t.Agent) -> str:
    if not node.members:
        return f"AGENT {x.word(node.name)} {{ }}"
    members = "\n\n".join(s.indent(print_node(member)) for member in node.members)
    return f"AGENT {x.word(node.name)} {{\n{members}\n}}"


def _version(node: t.Version) -> str:
    return f"VERSION {quote(node.text)}"


def _description(node: t.Description) -> str:
    return f"DESCRIPTION {s.quoted(node.text)}"


def _goal(node: t.Goal) -> str:
    fields = s.optional(node.mode, node.condition, x.expression)
    if node.targets:
        fields.append(f"TARGET {{ {x.expressions(node.targets)} }}")
    fields += s.optional("WEIGHT", node.weight, x.number)
    return f"GOAL {node.name.text + ' ' if node.name else ''}{s.braces(fields)}"


def _belief_entry(node: t.BeliefEntry) -> str:
    metas = [
        f"{x.path(node.path)} = {x.expression(node.value)}",
        *s.optional("CONFIDENCE", node.confidence, x.number),
        *s.optional("SOURCE", node.source, x.word),
        *s.optional("UPDATED", node.updated, x.any_token),
    ]
    return " ".join(metas)


def _belief(node: t.Belief) -> str:
    return f"BELIEF {s.braces([_belief_entry(entry) for entry in node.entries])}"


def _on_unknown(node: t.OnUnknown) -> str:
    fallback = f" {x.expression(node.fallback)}" if node.fallback else ""
    return f"ON UNKNOWN {node.action}{fallback}"


def _observation(node: t.Observation) -> str:
    parts = [x.path(node.path), *s.optional("WHEN", node.when, x.expression)]
    return " ".join([*parts, *([_on_unknown(node.on_unknown)] if node.on_unknown else [])])


def _observe(node: t.Observe) -> str:
    return f"OBSERVE {s.braces([_observation(entry) for entry in node.entries])}"


def _memory_write(node: t.MemoryWrite) -> str:
    fields = [
        *s.optional("WHEN", node.when, x.expression),
        *s.optional("STORE", node.store, x.name_list),
        *s.optional("INTO", node.into, x.path),
    ]
    return f"WRITE {s.braces(fields)}"


def _memory(node: t.Memory) -> str:
    fields = [
        *s.optional("SHORT_TERM", node.short_term, x.paths),
        *s.optional("LONG_TERM", node.long_term, x.paths),
        *s.optional("KNOWLEDGE", node.knowledge, x.paths),
        *s.optional("SHARED", node.shared, x.paths),
        *map(_memory_write, node.writes),
    ]
    return f"MEMORY {s.braces(fields)}"


def _field(node: t.Field | t.InputField) -> str:
    kind = f": {x.word(node.type)}" if node.type else ""
    text = f"{x.word(node.name, x.FIELD_OPTIONS)}{kind}"
    if isinstance(node, t.InputField):
        options = [*s.optional("BIND", node.bind, x.path), *s.optional("ATTESTS", node.attests, x.word)]
        text = " ".join([text, *options])
    return text


def _fields(nodes: tuple[t.Field | t.InputField, ...]) -> str:
    return s.inline(map(_field, nodes))


def _risk(entries: tuple[t.RiskEntry, ...]) -> str:
    return _risk_entry(entries[0]) if entries[0].key is None else s.inline(map(_risk_entry, entries))


def _risk_entry(node: t.RiskEntry) -> str:
    return f"{x.word(node.key)}: {x.word(node.level)}" if node.key else x.word(node.level)


def _effect_entry(node: t.EffectEntry) -> str:
    return f"{x.path(node.path)} = {x.expression(node.value)}{' INTERNAL' if node.internal else ''}"


def _effects(entries: tuple[t.EffectEntry, ...]) -> str:
    return s.inline(map(_effect_entry, entries))


def _outcome(node: t.ToolOutcome) -> str:
    probability = f" WITH {x.number(node.probability)}" if node.probability else ""
    return f"OUTCOME {x.word(node.name)}{probability} {_effects(node.effects)}"


def _tool(node: t.Tool) -> str:
    fields = [
        *s.optional("DESCRIPTION", node.description, s.quoted),
        *s.optional("INPUT", node.inputs, _fields),
        *s.optional("OUTPUT", node.outputs, _fields),
        *s.optional("SIDE_EFFECT", node.side_effects, x.paths),
        *s.optional("RISK", node.risk, _risk),
        *s.optional("REQUIRES", node.requires, x.expression),
        *s.optional("EFFECT", node.effects, _effects),
        *map(_outcome, node.outcomes),
        *s.optional("COST", node.cost, x.number),
        *s.optional("DURATION", node.duration, x.number),
    ]
    return f"TOOL {x.word(node.name)} {s.braces(fields)}"


def _tool_list(node: t.ToolList) -> str:
    tools = [f"{x.word(tool.name)}({', '.join(map(_field, tool.inputs))})" for tool in node.tools]
    return f"TOOL {s.braces(tools)}"


def _guard(node: t.Guard) -> str:
    return f"WHEN {x.expression(node.condition)}"


def _policy_default(node: t.PolicyDefault) -> str:
    return f"DEFAULT {node.verdict}"


def _redaction(node: t.Redaction) -> str:
    return f"NEVER SEND {', '.join(map(x.path, node.paths))}"


def _rule(node: t.Rule) -> str:
    kind = "REQUIRE APPROVAL FOR" if node.kind == "REQUIRE" else node.kind
    target = x.path(node.target) if node.target else "*"
    return " ".join([kind, target, *([_guard(node.guard)] if node.guard else [])])


def _policy(node: t.Policy) -> str:
    return f"POLICY {s.braces([print_node(rule) for rule in node.rules])}"


def _step(node: t.Step) -> str:
    return f"STEP {x.word(node.name)} {s.block(node.body)}"


def _plan(node: t.Plan) -> str:
    when = f" WHEN {x.expression(node.when)}" if node.when else ""
    plain = len(node.steps) == 1 and node.steps[0].name.text == "main"
    body = s.block(node.steps[0].body) if plain else s.braces([_step(step) for step in node.steps])
    return f"PLAN {x.word(node.name)}{when} {body}"


def _reaction(head: str, node: t.EventHandler | t.MessageHandler) -> str:
    return f"{head} {s.braces([*s.optional('WHEN', node.when, x.expression), *s.statements(node.body)])}"


def _event(node: t.EventHandler) -> str:
    return _reaction(f"EVENT {x.path(node.source)}", node)


def _on_message(node: t.MessageHandler) -> str:
    return _reaction(f"ON MESSAGE {x.word(node.name)}", node)


def _verify_fail(node: t.VerifyFailHandler) -> str:
    return f"ON VERIFY.FAIL {s.block(node.body)}"


def _decide(node: t.Decide) -> str:
    reason = [s.statement(node.reason)] if node.reason else []
    return f"DECIDE {s.braces([*map(s.statement, node.rules), *reason])}"


def _prior_from(node: t.PriorFrom) -> str:
    where = f" WHERE {x.expression(node.where)}" if node.where else ""
    return f"PRIOR FROM {x.path(node.bucket)}{where}"


def _evidence(node: t.Evidence) -> str:
    if node.predicted:
        return f"PREDICT {x.expression(node.condition)}"
    metas = [
        *s.optional("LIKELIHOOD", node.likelihood, x.number),
        *s.optional("GIVEN_NOT", node.given_not, x.number),
    ]
    return " ".join([x.expression(node.condition), *metas])


def _evidence_items(entries: list[t.Evidence], depth: int) -> list[str]:
    """Return evidences that share their `depth` outermost groups, with the groups inside those."""

    def group(entry: t.Evidence) -> t.Name | None:
        return entry.groups[depth] if len(entry.groups) > depth else None

    items: list[str] = []
    for label, found in groupby(entries, key=group):
        if label is None:
            items.extend(map(_evidence, found))
        else:
            items.append(f"GROUP {x.word(label)} {s.braces(_evidence_items(list(found), depth + 1))}")
    return items


def _evidence_fields(entries: tuple[t.Evidence, ...]) -> list[str]:
    fields: list[str] = []
    for predicted, found in groupby(entries, key=lambda entry: entry.predicted):
        if predicted:
            fields.extend(map(_evidence, found))
        else:
            fields.append(f"EVIDENCE {s.braces(_evidence_items(list(found), 0))}")
    return fields


def _explains(node: t.Explains) -> str:
    return f"{x.path(node.path)} = {x.expression(node.value)}" if node.value else x.path(node.path)


def _hypothesis(node: t.Hypothesis) -> str:
    fields = [
        *s.optional("DESCRIPTION", node.description, s.quoted),
        *s.optional("PRIOR", node.prior, x.number),
        *([_prior_from(node.prior_from)] if node.prior_from else []),
        *_evidence_fields(node.evidence),
        *s.optional("MAX_EVIDENCE", node.max_evidence, x.number),
        *s.optional("THRESHOLD", node.threshold, x.number),
        *s.optional("EXPLAINS", node.explains, _explains),
    ]
    return f"HYPOTHESIS {x.word(node.name)} {s.braces(fields)}"


def _planner(node: t.Planner) -> str:
    fields = [f"ACHIEVE {x.expression(goal)}" for goal in node.achieve]
    for word in ("max_depth", "max_nodes", "approval_cost", "target_confidence", "deadline", "time_weight"):
        fields += s.optional(word.upper(), getattr(node, word), x.number)
    return f"PLANNER {s.braces(fields)}"


def _utility_entry(node: t.UtilityEntry) -> str:
    return f"{x.expression(node.condition)} VALUE {x.number(node.value)}"


def _utility(node: t.Utility) -> str:
    return f"UTILITY {s.braces([_utility_entry(entry) for entry in node.entries])}"


def _given(node: t.Given) -> str:
    return f"GIVEN {_effects(node.effects)}"


def _given_event(node: t.GivenEvent) -> str:
    return f"GIVEN EVENT {x.path(node.source)} {_effects(node.payload)}"


def _given_message(node: t.GivenMessage) -> str:
    return f"GIVEN MESSAGE {x.path(node.name)} FROM {x.word(node.sender)} {_effects(node.payload)}"


def _expect(node: t.Expect) -> str:
    return f"EXPECT {{ {x.expressions(node.conditions)} }}" if node.conditions else "EXPECT { }"


def _expect_trace(node: t.ExpectTrace) -> str:
    return f"EXPECT {node.kind}{' ' + x.path(node.target) if node.target else ''}"


def _scenario(node: t.Scenario) -> str:
    items = [print_node(item) for item in (*node.given, *node.expectations)]
    return f"SCENARIO {x.word(node.name)} {s.braces([*items, *s.optional('WITHIN', node.within, x.number)])}"


_WRITERS: dict[type[t.Node], Callable[[Any], str]] = {
    t.Program: print_program,
    t.Agent: _agent,
    t.Version: _version,
    t.Description: _description,
    t.Goal: _goal,
    t.BeliefEntry: _belief_entry,
    t.Belief: _belief,
    t.OnUnknown: _on_unknown,
    t.Observation: _observation,
    t.Observe: _observe,
    t.MemoryWrite: _memory_write,
    t.Memory: _memory,
    t.Field: _field,
    t.InputField: _field,
    t.RiskEntry: _risk_entry,
    t.EffectEntry: _effect_entry,
    t.ToolOutcome: _outcome,
    t.Tool: _tool,
    t.ToolList: _tool_list,
    t.Guard: _guard,
    t.PolicyDefault: _policy_default,
    t.Redaction: _redaction,
    t.Rule: _rule,
    t.Policy: _policy,
    t.Step: _step,
    t.Plan: _plan,
    t.EventHandler: _event,
    t.MessageHandler: _on_message,
    t.VerifyFailHandler: _verify_fail,
    t.Decide: _decide,
    t.PriorFrom: _prior_from,
    t.Evidence: _evidence,
    t.Explains: _explains,
    t.Hypothesis: _hypothesis,
    t.Planner: _planner,
    t.UtilityEntry: _utility_entry,
    t.Utility: _utility,
    t.MainLoop: s.loop,
    t.Given: _given,
    t.GivenEvent: _given_event,
    t.GivenMessage: _given_message,
    t.Expect: _expect,
    t.ExpectTrace: _expect_trace,
    t.Scenario: _scenario,
    t.Block: s.block,
    t.Domain: x.domain,
    t.NameList: x.name_list,
    t.Name: x.word,
    t.Argument: x.argument,
    t.ProduceField: s.produce_field,
    t.ChoiceOption: s.choice_option,
    t.Question: s.question,
    t.PayloadEntry: s.payload_entry,
}
