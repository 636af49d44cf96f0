"""What an agent declares, reads and does, computed once for all rules (language.md §2, §3.8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from agentl_grammar.checks.insertion import Layout, PolicyText
from agentl_grammar.checks.naming import (
    HIGH,
    LOW,
    LOCALS,
    UNSET,
    effects_of,
    expected_of,
    output_names,
    parameters_of,
    prefixes,
    rank,
)
from agentl_grammar.checks.parts import Facts, Part, facts_of
from agentl_grammar.problems import Message, Related
from agentl_grammar.source import Source, Span
from agentl_grammar.tree import (
    Agent,
    Assign,
    BeliefEntry,
    Delegate,
    EffectEntry,
    Explains,
    ForEach,
    GivenEvent,
    GivenMessage,
    Hypothesis,
    Judge,
    Member,
    Memory,
    Node,
    Observation,
    PayloadEntry,
    Plan,
    Planner,
    Policy,
    PolicyDefault,
    ProduceField,
    Question,
    Reason,
    Rule,
    Scenario,
    Tool,
)
from agentl_grammar.tree.shift import Moved

_N = TypeVar("_N", bound=Node)
OracleField = ProduceField | Question


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is known of the host without running it; names of tools and of sub-agents alike.

    `unpromised` are registered, certainly neither idempotent nor reconcilable. `compensated` have a
    compensation. `complete` is False when the host registers things in a way that only running it would tell.
    """

    unpromised: frozenset[str] = frozenset()
    compensated: frozenset[str] = frozenset()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class OracleUse:
    """A field that a model answers, with the statement that asks for it."""

    part: Part
    statement: Reason | Judge
    field: OracleField


class Index:
    """One agent. Lists keep the order of the text; of a name that is declared twice the first counts."""

    def __init__(self, agent: Agent, parts: Sequence[Part], source: Source, host: HostFacts | None) -> None:
        self.agent = agent
        self.name = agent.name.text
        self.source = source
        self.host = host
        self.members = parts
        self.parts = [part for part in parts if not isinstance(part.node, Scenario)]
        self._kinds: dict[type[Node], list[tuple[Part, Node]]] = {}
        self._homes: dict[type[Node], list[Part]] = {}
        for part in self.parts:
            for kind in part.facts.nodes:
                self._homes.setdefault(kind, []).append(part)

    def all(self, kind: type[_N]) -> list[tuple[Part, _N]]:
        """Return every node of a kind outside of scenarios, with its member."""
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = [
                (part, node) for part in self._homes.get(kind, ()) for node in part.facts.nodes[kind]
            ]
        return cast("list[tuple[Part, _N]]", found)

    @cached_property
    def scenarios(self) -> list[tuple[Part, Scenario]]:
        """The scenarios with their parts."""
        return [(part, part.node) for part in self.members if isinstance(part.node, Scenario)]

    @cached_property
    def tools(self) -> dict[str, tuple[Part, Tool]]:
        """The tools by name."""
        return _first((tool.name.text, (part, tool)) for part, tool in self.all(Tool))

    @cached_property
    def plans(self) -> dict[str, tuple[Part, Plan]]:
        """The plans by name."""
        return _first((plan.name.text, (part, plan)) for part, plan in self.all(Plan))

    @cached_property
    def hypotheses(self) -> dict[str, tuple[Part, Hypothesis]]:
        """The hypotheses by name."""
        return _first((node.name.text, (part, node)) for part, node in self.all(Hypothesis))

    @cached_property
    def delegates(self) -> dict[str, tuple[Part, Delegate]]:
        """The targets of DELEGATE, by name."""
        return _first((node.target.text, (part, node)) for part, node in self.all(Delegate))

    @cached_property
    def observed(self) -> dict[str, tuple[Part, Observation]]:
        """The observed paths."""
        return _first((node.path.text, (part, node)) for part, node in self.all(Observation))

    @cached_property
    def beliefs(self) -> dict[str, tuple[Part, BeliefEntry]]:
        """The declared beliefs by path."""
        return _first((node.path.text, (part, node)) for part, node in self.all(BeliefEntry))

    @cached_property
    def effects(self) -> dict[str, list[tuple[Part, Tool, EffectEntry]]]:
        """The paths that EFFECT and OUTCOME predict, with the tools that do."""
        found: dict[str, list[tuple[Part, Tool, EffectEntry]]] = {}
        for part, tool in self.all(Tool):
            for effect in effects_of(tool):
                found.setdefault(effect.path.text, []).append((part, tool, effect))
        return found

    @cached_property
    def sets(self) -> dict[str, list[tuple[Part, Assign]]]:
        """The paths that SET writes."""
        found: dict[str, list[tuple[Part, Assign]]] = {}
        for part, node in self.all(Assign):
            found.setdefault(node.target.text, []).append((part, node))
        return found

    @cached_property
    def outputs(self) -> set[str]:
        """What results of tools are called: `T.k`, `result.T.k`, `result.k`, `k`."""
        return {
            name
            for tool_name, (_, tool) in self.tools.items()
            for output in tool.outputs
            for name in output_names(tool_name, output.name.text)
        }

    @cached_property
    def oracle_fields(self) -> dict[str, list[OracleUse]]:
        """The fields that a model answers, by name, in the order of the text."""
        found: dict[str, list[OracleUse]] = {}
        for part in self.parts:
            for statement in (*part.all(Reason), *part.all(Judge)):
                fields = statement.produce if isinstance(statement, Reason) else statement.questions
                for each in fields:
                    found.setdefault(each.name.text, []).append(OracleUse(part, statement, each))
        return found

    @cached_property
    def rules(self) -> list[tuple[Part, Rule]]:
        """The rules of every POLICY."""
        return self.all(Rule)

    def rules_on(self, target: str) -> list[tuple[Part, Rule]]:
        """Return the rules that an action on `target` meets, those on `*` included."""
        found = self._rules_by_target.get(target)
        return found if found is not None else self._rules_on_all

    @cached_property
    def _rules_on_all(self) -> list[tuple[Part, Rule]]:
        return [(part, rule) for part, rule in self.rules if rule.target is None]

    @cached_property
    def _rules_by_target(self) -> dict[str, list[tuple[Part, Rule]]]:
        targets = [(rule.target.text if rule.target else None, (part, rule)) for part, rule in self.rules]
        found: dict[str, list[tuple[Part, Rule]]] = {}
        for target, _ in targets:
            if target is not None:
                found[target] = []
        for target, rule in targets:
            for name in found if target is None else (target,):
                found[name].append(rule)
        return found

    @cached_property
    def parameters_by_tool(self) -> dict[str, frozenset[str]]:
        """The names of the parameters of each tool."""
        return {name: part.keep(_parameter_names, tool) for name, (part, tool) in self.tools.items()}

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters of all tools."""
        return frozenset().union(*self.parameters_by_tool.values())

    @cached_property
    def denies_by_default(self) -> bool:
        """Whether DEFAULT DENY is what POLICY says of all that no rule decides."""
        return [default.verdict for _, default in self.all(PolicyDefault)][-1:] == ["DENY"]

    @cached_property
    def planner(self) -> tuple[Part, Planner] | None:
        """The planner, if there is one."""
        found = self.all(Planner)
        return found[0] if found else None

    @cached_property
    def reads(self) -> dict[str, list[tuple[Part, Node]]]:
        """Where each path is read, scenarios left out."""
        found: dict[str, list[tuple[Part, Node]]] = {}
        for part in self.parts:
            for text, path in part.facts.reads:
                found.setdefault(text, []).append((part, path))
        return found

    @cached_property
    def read_and_above(self) -> set[str]:
        """Every path that is read, and every path above one."""
        return {above for text in self.reads for above in prefixes(text)}

    def is_read(self, path: str) -> bool:
        """Tell whether a path is read: itself, something below it, or all that is above it."""
        return path in self.read_and_above or any(above in self.reads for above in prefixes(path))

    @cached_property
    def model_sees_all(self) -> bool:
        """Whether a model is shown every belief: a REASON without USING, or one that chooses plans."""
        return any(not reason.using for kind in (Reason, Judge) for _, reason in self.all(kind))

    @cached_property
    def buckets(self) -> set[str]:
        """The declared keys of memory, SHARED left out: they can be read by bare name."""
        return {
            path.text
            for _, memory in self.all(Memory)
            for path in (*memory.short_term, *memory.long_term, *memory.knowledge)
        }

    @cached_property
    def refreshed(self) -> set[str]:
        """Every path that can get another value while the program runs."""
        oracle = self.oracle_fields
        delegates = [(node.target.text, name) for _, node in self.all(Delegate) for name in expected_of(node)]
        return {
            *self.observed,
            *self.effects,
            *self.sets,
            *self.outputs,
            *self.explained,
            *oracle,
            *(f"reason.{name}" for name in oracle),
            *(name for _, name in delegates),
            *(f"{target}.{name}" for target, name in delegates),
        }

    @cached_property
    def defined(self) -> set[str]:
        """Every path that something in the program gives a value."""
        return {*self.refreshed, *self.beliefs, *self.buckets}

    @cached_property
    def defined_and_above(self) -> set[str]:
        """Every path that is defined, and every path above one."""
        return {above for text in self.defined for above in prefixes(text)}

    def is_defined(self, path: str) -> bool:
        """Tell whether something in the program gives `path` a value, or something above or below it."""
        return path in self.defined_and_above or any(above in self.defined for above in prefixes(path))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every single word that something, or the runtime, gives a value: what is a word with a meaning."""
        known = {*self.defined_and_above, *self.payload_keys, *self.loop_variables, *self.hypotheses}
        return frozenset(name for name in known if "." not in name) | LOCALS

    @cached_property
    def explained(self) -> set[str]:
        """The paths that EXPLAINS writes."""
        return {node.path.text for _, node in self.all(Explains)}

    @cached_property
    def boolean_parameters(self) -> set[str]:
        """The parameters of type Bool: guards see their arguments under these names."""
        return {
            parameter.name.text
            for _, tool in self.tools.values()
            for parameter in tool.inputs
            if parameter.type is not None and parameter.type.text.lower() in ("bool", "boolean")
        }

    @cached_property
    def boolean_outputs(self) -> set[str]:
        """What results of type Bool are called."""
        return {
            name
            for tool_name, (_, tool) in self.tools.items()
            for output in tool.outputs
            if output.type is not None and output.type.text.lower() in ("bool", "boolean")
            for name in output_names(tool_name, output.name.text)
        }

    @cached_property
    def layout(self) -> Layout:
        """How the agent's text is laid out, for fixes that add something."""
        policies = [  # what is added goes into the last one
            PolicyText(part.at(node), tuple(part.at(rule) for rule in node.rules))
            for part, node in self.all(Policy)[-1:]
        ]
        members = [part.at(part.node) for part in self.members]
        return Layout(self.source, self.agent.span, members, policies)

    @cached_property
    def payload_keys(self) -> set[str]:
        """The keys of payloads that messages of this agent and events of its scenarios carry."""
        entries = [entry.key.text for _, entry in self.all(PayloadEntry)]
        given = [
            effect.path.text
            for part, _ in self.scenarios
            for kind in (GivenEvent, GivenMessage)
            for node in part.all(kind)
            for effect in node.payload
        ]
        return {*entries, *given}

    @cached_property
    def loop_variables(self) -> set[str]:
        """The variables of FOREACH."""
        return {node.variable.text for _, node in self.all(ForEach)}

    def risk(self, tool: Tool) -> int:
        """Return the highest risk of a tool on the scale; LOW when it says none (§2.3, §0 row 31)."""
        ranks = [found for entry in tool.risk if (found := rank(entry.level.text)) is not None]
        return max(ranks, default=LOW)

    def is_risky(self, tool: Tool) -> bool:
        """Tell whether a tool is HIGH or above. UNSET is told by E011."""
        return HIGH <= self.risk(tool) < UNSET

    def oracle_field(self, path: str, parameters: Iterable[str] = ()) -> OracleUse | None:
        """Return the field that a path reads: `reason.f`, `judge.f…`, or a bare `f` that is nothing else.

        `parameters` are names that hide a bare one: the arguments of the action that a guard sees (§5.6).
        """
        first, _, rest = path.partition(".")
        if first in ("reason", "judge") and rest:
            name = rest.partition(".")[0]
        elif rest or first in parameters or first in self.observed or first in self.beliefs:
            return None
        else:
            name = first
        found = self.oracle_fields.get(name)
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Society:
    """All agents of a program."""

    agents: Sequence[Index]
    names: dict[str, Index] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", {index.name.lower(): index for index in reversed(self.agents)})


def see(part: Part, node: Node | Span, message: Message) -> Related:
    """Return a related place in the program."""
    return Related(part.place(node) if isinstance(node, Span) else part.at(node), message)


def parts_of(agent: Agent, known: dict[int, tuple[Member, Facts]]) -> list[Part]:
    """Return the members of an agent as parts; `known` keeps what was collected of each."""
    members = agent.members.as_read() if isinstance(agent.members, Moved) else [(m, 0) for m in agent.members]
    parts: list[Part] = []
    for member, distance in members:
        kept = known.get(id(member))
        if kept is None:
            kept = known[id(member)] = member, facts_of(member)
        parts.append(Part(member, distance, kept[1]))
    return parts


def _parameter_names(tool: Tool) -> frozenset[str]:
    return frozenset(parameters_of(tool))


def _first(pairs: Iterable[tuple[str, _V]]) -> dict[str, _V]:
    found: dict[str, _V] = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found


_V = TypeVar("_V")
