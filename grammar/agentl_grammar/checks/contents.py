"""What an agent declares and does, by kind and by name, computed once for all rules (language.md §2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from agentl_grammar.checks.asking import Answering, fact
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
from agentl_grammar.checks.parts import Facts, Part
from agentl_grammar.source import Source, Span
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
_P = TypeVar("_P")
_V = TypeVar("_V")
OracleField = ProduceField | Question


@dataclass(frozen=True, slots=True)
class OracleUse:
    """A field that a model answers, with the statement that asks for it."""

    part: Part
    statement: Reason | Judge
    field: OracleField


def shows_all(statement: Reason | Judge) -> bool:
    """Tell whether a model is shown every belief: without USING, and with an empty one."""
    return statement.using is None or not statement.using.paths


class Contents(Answering):
    """One agent. Lists keep the order of the text; of a name that is declared twice the first counts."""

    def __init__(
        self,
        agent: Agent,
        members: Sequence[Part],
        source: Source,
        host: HostFacts | None,
        received: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        """`received` are the keys of the messages that other agents send, each with the message's name."""
        super().__init__()
        self.agent = agent
        self.received = received
        self.name = agent.name.text
        self._source = source
        self.host = host
        self._members = members
        self._parts = [
            part
            for member in members
            if not isinstance(member.node, Scenario)
            for part in (member, *member.entries)
        ]
        self.focus: Part | None = None

    @property
    def source(self) -> Source:
        """The text that the agent is in."""
        self.use_all()
        return self._source

    def text_of(self, part: Part, span: Span) -> str:
        """Return what is written at a span of a member as it was read: it stays as long as the member."""
        return self._source.slice(part.place(span))

    @property
    def members(self) -> Sequence[Part]:
        """The members of the agent."""
        self.use_all()
        return self._members

    @property
    def parts(self) -> list[Part]:
        """What the members consist of, scenarios left out."""
        self.use_all()
        return self._parts

    def all(self, kind: type[_N]) -> list[tuple[Part, _N]]:
        """Return every node of a kind outside of scenarios, with its member."""
        return self.ask(Every.of(kind))

    def homes(self, *kinds: type[Node]) -> list[Part]:
        """Return the members outside of scenarios in which there is a node of one of these kinds."""
        found = dict.fromkeys(part for kind in kinds for part, _ in self.all(kind))
        return list(found) if len(kinds) == 1 else [part for part in self._parts if part in found]

    def own(self, kind: type[_N]) -> list[tuple[Part, _N]]:
        """Return the nodes of a kind that a rule is to look at, with their member."""
        focus = self.focus
        if focus is None:
            return self.all(kind)
        return [(focus, node) for node in focus.all(kind)] if kind in focus.facts.nodes else []

    def own_of(self, kinds: Collection[type[Node]]) -> Iterator[tuple[Part, Node]]:
        """Yield the nodes of several kinds that a rule is to look at, one kind after the other."""
        for kind in kinds if self.focus is None else self.focus.facts.nodes:
            if kind in kinds:
                yield from self.own(kind)

    def own_tools(self) -> Iterator[tuple[Part, Tool]]:
        """Yield the tools that a rule is to look at: of those of one name, the first."""
        for part, tool in self.own(Tool):
            if self.tools[tool.name.text][1] is tool:
                yield part, tool

    def own_scenarios(self) -> list[tuple[Part, Scenario]]:
        """Return the scenarios that a rule is to look at, with their parts."""
        if self.focus is None:
            return self.scenarios
        return [(self.focus, self.focus.node)] if isinstance(self.focus.node, Scenario) else []

    @fact
    def scenarios(self) -> list[tuple[Part, Scenario]]:
        """The scenarios with their parts."""
        return [(part, part.node) for part in self.members if isinstance(part.node, Scenario)]

    @fact
    def tools(self) -> Mapping[str, tuple[Part, Tool]]:
        """The tools by name."""
        return _first((tool.name.text, (part, tool)) for part, tool in self.all(Tool))

    @fact
    def plans(self) -> Mapping[str, tuple[Part, Plan]]:
        """The plans by name."""
        return _first((plan.name.text, (part, plan)) for part, plan in self.all(Plan))

    @fact
    def hypotheses(self) -> Mapping[str, tuple[Part, Hypothesis]]:
        """The hypotheses by name."""
        return _first((node.name.text, (part, node)) for part, node in self.all(Hypothesis))

    @fact
    def delegates(self) -> Mapping[str, tuple[Part, Delegate]]:
        """The targets of DELEGATE, by name."""
        return _first((node.target.text, (part, node)) for part, node in self.all(Delegate))

    @fact
    def observed(self) -> Mapping[str, tuple[Part, Observation]]:
        """The observed paths."""
        return _first((node.path.text, (part, node)) for part, node in self.all(Observation))

    @fact
    def observed_and_above(self) -> AbstractSet[str]:
        """Every observed path, and every path above one."""
        return frozenset[str]().union(*map(prefixes, self.observed))

    def is_observed(self, path: str) -> bool:
        """Tell whether a path is observed: itself, something below it, or all that is above it."""
        return path in self.observed_and_above or any(above in self.observed for above in prefixes(path))

    @fact
    def beliefs(self) -> Mapping[str, tuple[Part, BeliefEntry]]:
        """The declared beliefs by path."""
        return _first((node.path.text, (part, node)) for part, node in self.all(BeliefEntry))

    @fact
    def effects(self) -> Mapping[str, list[tuple[Part, Tool, EffectEntry]]]:
        """The paths that EFFECT and OUTCOME predict, with the tools that do."""
        found: dict[str, list[tuple[Part, Tool, EffectEntry]]] = {}
        for part, tool in self.all(Tool):
            for effect in effects_of(tool):
                found.setdefault(effect.path.text, []).append((part, tool, effect))
        return found

    @fact
    def sets(self) -> Mapping[str, list[tuple[Part, Assign]]]:
        """The paths that SET writes."""
        found: dict[str, list[tuple[Part, Assign]]] = {}
        for part, node in self.all(Assign):
            found.setdefault(node.target.text, []).append((part, node))
        return found

    @fact
    def outputs(self) -> AbstractSet[str]:
        """What results of tools are called: `T.k`, `result.T.k`, `result.k`, `k`."""
        return set[str]().union(*(part.keep(_output_names, tool) for part, tool in self.tools.values()))

    @fact
    def oracle_fields(self) -> Mapping[str, list[OracleUse]]:
        """The fields that a model answers, by name, in the order of the text."""
        found: dict[str, list[OracleUse]] = {}
        for part in self.homes(Reason, Judge):
            for statement in (*part.all(Reason), *part.all(Judge)):
                fields = statement.produce if isinstance(statement, Reason) else statement.questions
                for each in fields:
                    found.setdefault(each.name.text, []).append(OracleUse(part, statement, each))
        return found

    @fact
    def asks_models(self) -> bool:
        """Whether a model answers anything at all."""
        return bool(self.oracle_fields)

    @property
    def rules(self) -> list[tuple[Part, Rule]]:
        """The rules of every POLICY."""
        return self.all(Rule)

    def rules_on(self, target: str) -> list[tuple[Part, Rule]]:
        """Return the rules that an action on `target` meets, those on `*` included."""
        found = self._rules_by_target.get(target)
        return found if found is not None else self._rules_on_all

    @fact
    def _rules_on_all(self) -> list[tuple[Part, Rule]]:
        return [(part, rule) for part, rule in self.rules if rule.target is None]

    @fact
    def _rules_by_target(self) -> dict[str, list[tuple[Part, Rule]]]:
        found: dict[str, list[tuple[Part, Rule]]] = {
            rule.target.text: [] for _, rule in self.rules if rule.target is not None
        }
        for home, rule in self.rules:
            for name in found if rule.target is None else (rule.target.text,):
                found[name].append((home, rule))
        return found

    @fact
    def parameters_by_tool(self) -> Mapping[str, frozenset[str]]:
        """The names of the parameters of each tool."""
        return {name: part.keep(_parameter_names, tool) for name, (part, tool) in self.tools.items()}

    @fact
    def parameters(self) -> AbstractSet[str]:
        """The names of all parameters of all tools."""
        return frozenset[str]().union(*self.parameters_by_tool.values())

    @fact
    def denies_by_default(self) -> bool:
        """Whether DEFAULT DENY is what POLICY says of all that no rule decides."""
        return [default.verdict for _, default in self.all(PolicyDefault)][-1:] == ["DENY"]

    @fact
    def planner(self) -> tuple[Part, Planner] | None:
        """The planner, if there is one."""
        found = self.all(Planner)
        return found[0] if found else None

    @fact
    def buckets(self) -> AbstractSet[str]:
        """The declared keys of memory, SHARED left out: they can be read by bare name."""
        return {
            path.text
            for _, memory in self.all(Memory)
            for path in (*memory.short_term, *memory.long_term, *memory.knowledge)
        }

    @fact
    def explained(self) -> AbstractSet[str]:
        """The paths that EXPLAINS writes."""
        return {node.path.text for _, node in self.all(Explains)}

    @fact
    def boolean_parameters(self) -> AbstractSet[str]:
        """The parameters of type Bool: guards see their arguments under these names."""
        return {
            parameter.name.text
            for _, tool in self.tools.values()
            for parameter in tool.inputs
            if parameter.type is not None and parameter.type.text.lower() in ("bool", "boolean")
        }

    @fact
    def boolean_outputs(self) -> AbstractSet[str]:
        """What results of type Bool are called."""
        return {
            name
            for tool_name, (_, tool) in self.tools.items()
            for output in tool.outputs
            if output.type is not None and output.type.text.lower() in ("bool", "boolean")
            for name in output_names(tool_name, output.name.text)
        }

    @fact
    def loop_variables(self) -> AbstractSet[str]:
        """The variables of FOREACH."""
        return {node.variable.text for _, node in self.all(ForEach)}

    def risk(self, tool: Tool) -> int:
        """Return the highest risk of a tool on the scale; LOW when it says none (§2.3, §0 row 31)."""
        ranks = [found for entry in tool.risk if (found := rank(entry.level.text)) is not None]
        return max(ranks, default=LOW)

    def is_risky(self, tool: Tool) -> bool:
        """Tell whether a tool is HIGH or above. UNSET is told by E011."""
        return HIGH <= self.risk(tool) < UNSET


@dataclass(frozen=True, slots=True)
class Every:
    """A fact: every node of a kind outside of scenarios, with its member."""

    kind: type[Node]

    def __call__(self, contents: Contents) -> list[Any]:
        """Return the nodes, in the order of the text."""
        homes = (part for part in contents.parts if self.kind in part.facts.nodes)
        return [(part, node) for part in homes for node in part.all(self.kind)]

    @staticmethod
    @cache
    def of(kind: type[Node]) -> Every:
        """Return the one of a kind."""
        return Every(kind)


@dataclass(frozen=True, slots=True)
class Joined(Generic[_P, _V]):
    """A fact: what all members say together, scenarios left out; of each is told from it alone."""

    of_part: Callable[[Facts], _P]
    join: Callable[[Iterable[_P]], _V]

    def __call__(self, contents: Contents) -> _V:
        """Return what is made of what the members say."""
        return self.join(part.keep_of_all(self.of_part) for part in contents.parts)

    def tells(self, parts: Iterable[Part]) -> list[_P]:
        """Return what some members say."""
        return [part.keep_of_all(self.of_part) for part in parts]


def _output_names(tool: Tool) -> list[str]:
    return [name for output in tool.outputs for name in output_names(tool.name.text, output.name.text)]


def _parameter_names(tool: Tool) -> frozenset[str]:
    return frozenset(parameters_of(tool))


def _first(pairs: Iterable[tuple[str, _V]]) -> dict[str, _V]:
    found: dict[str, _V] = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found
