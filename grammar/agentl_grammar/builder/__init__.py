"""Reductions of plans, reactions, inference, planning and scenarios; with what it inherits, all rules."""

# ruff: noqa: D102 (each method reduces the rule of agent.lark that has its name)

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Literal

from agentl_grammar.builder.members import MemberRules
from agentl_grammar.builder.parts import (
    MAXIMUM_DEPTH,
    Children,
    Fields,
    Part,
    TooDeepError,
    name,
    nodes,
    number,
    repetitions,
    stands,
)
from agentl_grammar.lexer import Token
from agentl_grammar.problems import Problem
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Block,
    Decide,
    Description,
    EventHandler,
    Evidence,
    Expect,
    ExpectTrace,
    Explains,
    Given,
    GivenEvent,
    GivenMessage,
    Hypothesis,
    If,
    MainLoop,
    Memory,
    MessageHandler,
    Plan,
    Planner,
    PriorFrom,
    Reason,
    Scenario,
    Step,
    Utility,
    UtilityEntry,
    VerifyFailHandler,
)

SINGLE: dict[type, str] = {
    Memory: "MEMORY",
    Decide: "DECIDE",
    Planner: "PLANNER",
    Utility: "UTILITY",
    MainLoop: "LOOP",
    VerifyFailHandler: "ON VERIFY.FAIL",
}


def repeated(members: Iterable[tuple[type, Span]]) -> list[Problem]:
    """Report every repetition of a member that may stand once in an agent (E018)."""
    places: dict[type, list[Span]] = {kind: [] for kind in SINGLE}
    for kind, span in members:
        if kind in places:
            places[kind].append(span)
    found = (repetitions(SINGLE[kind], spans) for kind, spans in places.items() if spans)
    return list(chain.from_iterable(found))


class Builder(MemberRules):
    """Every rule of agent.lark: builds the tree, bottom up."""

    def step(self, children: Children) -> Step:
        last = children[-1]
        if isinstance(last, Block):
            return Step(self.span(children), name(children[1]), last)
        statements = nodes(children)
        span = self.span(statements) if statements else Span(last.end, last.end)
        return Step(self.span(children), name(children[1]), self.statements(statements, span))

    def plan(self, children: Children) -> Plan:
        label = name(children[1])
        fields = Fields(children)
        steps = tuple(fields.all(Step))
        if not steps:
            brace = next(
                child for child in children[2:] if isinstance(child, Token) and child.type == "_LBRACE"
            )
            end = children[-1].end
            body = [child for child in nodes(children) if not isinstance(child, Part)]
            block = self.statements(body, Span(brace.start, end))
            steps = (Step(block.span, replace(label, text="main"), block),)
        return Plan(self.span(children), label, fields.last("when"), steps)

    def _body(self, children: Children) -> Block:
        brace = next(child for child in children if isinstance(child, Token) and child.type == "_LBRACE")
        statements = [child for child in children[children.index(brace) :] if not isinstance(child, Part)]
        return self.statements(statements, Span(brace.start, children[-1].end))

    def event(self, children: Children) -> EventHandler:
        return EventHandler(
            self.span(children), children[1], Fields(children).last("when"), self._body(children)
        )

    def on_message(self, children: Children) -> MessageHandler:
        when = Fields(children).last("when")
        return MessageHandler(self.span(children), name(children[2]), when, self._body(children))

    def on_verify_fail(self, children: Children) -> VerifyFailHandler:
        return VerifyFailHandler(self.span(children), children[-1])

    def rules(self, children: Children) -> Part:
        return self.part("rules", children, nodes(children))

    def decide(self, children: Children) -> Decide:
        rules: list[If] = []
        for child in nodes(children):
            rules.extend(child.value if isinstance(child, Part) else [child] if isinstance(child, If) else [])
        return Decide(self.span(children), tuple(rules), Fields(children).last(Reason))

    def prior(self, children: Children) -> Part:
        return self.part("prior", children, number(children[-1]))

    def prior_from(self, children: Children) -> PriorFrom:
        bucket, *where = nodes(children)
        return PriorFrom(self.span(children), bucket, where[0] if where else None)

    def threshold(self, children: Children) -> Part:
        return self.part("threshold", children, number(children[-1]))

    def max_evidence(self, children: Children) -> Part:
        return self.part("max_evidence", children, number(children[-1]))

    def predict(self, children: Children) -> Evidence:
        return Evidence(self.span(children), children[-1], None, None, (), predicted=True)

    def likelihood(self, children: Children) -> Part:
        return self.part("likelihood", children, number(children[-1]))

    def given_not(self, children: Children) -> Part:
        return self.part("given_not", children, number(children[-1]))

    def evidence(self, children: Children) -> Evidence:
        fields = Fields(children)
        likelihood, given_not = fields.last("likelihood"), fields.last("given_not")
        return Evidence(self.span(children), children[0], likelihood, given_not, (), predicted=False)

    def evidence_group(self, children: Children) -> Part:
        group = name(children[1])
        entries = [replace(entry, groups=(group, *entry.groups)) for entry in _evidence(children)]
        if entries and max(len(entry.groups) for entry in entries) > MAXIMUM_DEPTH:
            raise TooDeepError(self.span(children))
        return self.part("evidence", children, entries)

    def evidence_list(self, children: Children) -> Part:
        return self.part("evidence", children, _evidence(children))

    def explains(self, children: Children) -> Explains:
        path, *value = nodes(children)
        return Explains(self.span(children), path, value[0] if value else None)

    def hypothesis(self, children: Children) -> Hypothesis:
        fields = Fields(children)
        description: Description | None = fields.last(Description)
        return Hypothesis(
            self.span(children),
            name(children[1]),
            description.text if description else None,
            prior=fields.last("prior"),
            prior_from=fields.last(PriorFrom),
            threshold=fields.last("threshold"),
            max_evidence=fields.last("max_evidence"),
            evidence=tuple(_evidence(children)),
            explains=fields.last(Explains),
        )

    def enable(self, children: Children) -> Part:
        return self.part("enable", children, value=True)

    def achieve(self, children: Children) -> Part:
        return self.part("achieve", children, children[-1])

    def _planner_number(self, children: Children) -> Part:
        return self.part(children[0].text.lower(), children, number(children[-1]))

    max_depth = max_nodes = approval_cost = target_confidence = deadline = time_weight = _planner_number

    def planner(self, children: Children) -> Planner:
        fields = Fields(children)
        return Planner(
            self.span(children),
            achieve=tuple(fields.all("achieve")),
            max_depth=fields.last("max_depth"),
            max_nodes=fields.last("max_nodes"),
            approval_cost=fields.last("approval_cost"),
            target_confidence=fields.last("target_confidence"),
            deadline=fields.last("deadline"),
            time_weight=fields.last("time_weight"),
        )

    def utility_entry(self, children: Children) -> UtilityEntry:
        before = children[-2]
        minus = before if isinstance(before, Token) and before.type == "_MINUS" else None
        return UtilityEntry(self.span(children), children[0], number(children[-1], minus))

    def utility(self, children: Children) -> Utility:
        return Utility(self.span(children), tuple(nodes(children)))

    def main_loop(self, children: Children) -> MainLoop:
        fields = Fields(children)
        return MainLoop(self.span(children), fields.last("until"), fields.last("maximum"), children[-1])

    def given(self, children: Children) -> Given:
        return Given(self.span(children), children[-1].value)

    def given_event(self, children: Children) -> GivenEvent:
        return GivenEvent(self.span(children), children[2], children[-1].value)

    def given_message(self, children: Children) -> GivenMessage:
        return GivenMessage(self.span(children), children[2], name(children[4]), children[-1].value)

    def within(self, children: Children) -> Part:
        return self.part("within", children, number(children[-1]))

    def expect(self, children: Children) -> Expect:
        return Expect(self.span(children), tuple(nodes(children)))

    expect_nothing = expect

    def _trace(
        self, children: Children, kind: Literal["CALL", "NEVER CALL", "BLOCKED", "EVENT", "NO ERROR"]
    ) -> ExpectTrace:
        target = None if kind == "NO ERROR" else children[-1]
        return ExpectTrace(self.span(children), kind, target)

    def expect_call(self, children: Children) -> ExpectTrace:
        return self._trace(children, "CALL")

    def expect_never_call(self, children: Children) -> ExpectTrace:
        return self._trace(children, "NEVER CALL")

    def expect_blocked(self, children: Children) -> ExpectTrace:
        return self._trace(children, "BLOCKED")

    def expect_event(self, children: Children) -> ExpectTrace:
        return self._trace(children, "EVENT")

    def expect_no_error(self, children: Children) -> ExpectTrace:
        return self._trace(children, "NO ERROR")

    def scenario(self, children: Children) -> Scenario:
        fields = Fields(children)
        found = nodes(children)
        given = tuple(child for child in found if isinstance(child, Given | GivenEvent | GivenMessage))
        expectations = tuple(
            child for child in found if isinstance(child, Expect | ExpectTrace) and stands(child)
        )
        return Scenario(self.span(children), name(children[1]), given, expectations, fields.last("within"))


def _evidence(children: Children) -> list[Evidence]:
    found: list[Evidence] = []
    for child in nodes(children):
        if isinstance(child, Evidence):
            found.append(child)
        elif isinstance(child, Part) and child.kind == "evidence":
            found.extend(child.value)
    return found
