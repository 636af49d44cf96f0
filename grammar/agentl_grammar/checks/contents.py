"""What an agent declares and does, by kind and by name, computed once for all rules (language.md §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

from agentl_grammar.checks.host import HostFacts
from agentl_grammar.checks.naming import (
    HIGH,
    LOW,
    UNSET,
    effects_of,
    output_names,
    parameters_of,
    prefixes,
    rank,
)
from agentl_grammar.checks.parts import Part
from agentl_grammar.source import Source
from agentl_grammar.tree import (
    Agent,
    Assign,
    BeliefEntry,
    Delegate,
    EffectEntry,
    Explains,
    ForEach,
    Hypothesis,
    Judge,
    Memory,
    Node,
    Observation,
    Plan,
    Planner,
    PolicyDefault,
    ProduceField,
    Question,
    Reason,
    Rule,
    Scenario,
    Tool,
)

_N = TypeVar("_N", bound=Node)
OracleField = ProduceField | Question


@dataclass(frozen=True, slots=True)
class OracleUse:
    """A field that a model answers, with the statement that asks for it."""

    part: Part
    statement: Reason | Judge
    field: OracleField


class Contents:
    """One agent. Lists keep the order of the text; of a name that is declared twice the first counts."""

    def __init__(
        self,
        agent: Agent,
        parts: Sequence[Part],
        source: Source,
        host: HostFacts | None,
        received: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        """`received` are the keys of the messages that other agents send, each with the message's name."""
        self.agent = agent
        self.received = received
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

    def homes(self, *kinds: type[Node]) -> list[Part]:
        """Return the members outside of scenarios in which there is a node of one of these kinds."""
        return [part for part in self.parts if not part.facts.nodes.keys().isdisjoint(kinds)]

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
    def observed_and_above(self) -> frozenset[str]:
        """Every observed path, and every path above one."""
        return frozenset[str]().union(*map(prefixes, self.observed))

    def is_observed(self, path: str) -> bool:
        """Tell whether a path is observed: itself, something below it, or all that is above it."""
        return path in self.observed_and_above or any(above in self.observed for above in prefixes(path))

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
        return set[str]().union(*(part.keep(_output_names, tool) for part, tool in self.tools.values()))

    @cached_property
    def oracle_fields(self) -> dict[str, list[OracleUse]]:
        """The fields that a model answers, by name, in the order of the text."""
        found: dict[str, list[OracleUse]] = {}
        for part in self.homes(Reason, Judge):
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
        found: dict[str, list[tuple[Part, Rule]]] = {
            rule.target.text: [] for _, rule in self.rules if rule.target is not None
        }
        for home, rule in self.rules:
            for name in found if rule.target is None else (rule.target.text,):
                found[name].append((home, rule))
        return found

    @cached_property
    def parameters_by_tool(self) -> dict[str, frozenset[str]]:
        """The names of the parameters of each tool."""
        return {name: part.keep(_parameter_names, tool) for name, (part, tool) in self.tools.items()}

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters of all tools."""
        return frozenset[str]().union(*self.parameters_by_tool.values())

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
    def buckets(self) -> set[str]:
        """The declared keys of memory, SHARED left out: they can be read by bare name."""
        return {
            path.text
            for _, memory in self.all(Memory)
            for path in (*memory.short_term, *memory.long_term, *memory.knowledge)
        }

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


def _output_names(tool: Tool) -> list[str]:
    return [name for output in tool.outputs for name in output_names(tool.name.text, output.name.text)]


def _parameter_names(tool: Tool) -> frozenset[str]:
    return frozenset(parameters_of(tool))


def _first(pairs: Iterable[tuple[str, _V]]) -> dict[str, _V]:
    found: dict[str, _V] = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found


_V = TypeVar("_V")
