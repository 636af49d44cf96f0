"""What a path in an expression means (language.md §3.8, §8.4): whose names its segments are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from agentl_grammar.source import Span
from agentl_grammar.symbols.declarations import Known
from agentl_grammar.symbols.names import ANY, EVERYWHERE, Kind, Use
from agentl_grammar.tree import Name, Path

FACTS = frozenset(
    {"goal", "goals", "sensors", "tools", "result", "last_action", "planner", "hypothesis", "hypotheses"}
    | {"reason", "judge", "confidence", "answer", "payload", "event", "message", "still_failed", "shared"}
    | {"run", "budget", "action", "operator", "llm", "scenario"}
)
"""First words of what the runtime publishes (§8.4), or a scenario gives in its place (§5.18)."""
_FIRST_NAMES = {
    "goals": Kind.GOAL,
    "hypothesis": Kind.HYPOTHESIS,
    "reason": Kind.FIELD,
    "judge": Kind.FIELD,
    "answer": Kind.ADDRESSEE,
}
_OF_HYPOTHESIS = frozenset({"prior", "posterior", "supported", "bits", "capped"})
_OF_BELIEF = frozenset({"confidence", "dirty"})
_OWN_REASON = frozenset({"degraded", "missing"})


@dataclass(frozen=True, slots=True)
class Within:
    """What is around an expression: a tool's arguments, loops' variables → scope, the payload at hand.

    `keys` are those of the payload that are read by name alone though nothing here sends them.
    The tool is ANY in a rule on all of them. `elements` tells that the variables of loops elsewhere are meant
    too: POLICY and REQUIRES ask about each element, and a SCENARIO gives what it has.
    """

    tool: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    payload: str | None = None
    keys: frozenset[str] = frozenset()
    elements: bool = False


class Meaning:
    """Tells what paths mean in one agent."""

    def __init__(self, agent: str, known: Known) -> None:
        self.agent = agent
        self.known = known

    def use(self, kind: Kind, name: str, span: Span, *, declares: bool = False, of: str = "") -> Use:
        """Return a use of a name of this agent; `of` is the tool or plan that the name belongs to."""
        scope = "" if kind in EVERYWHERE else f"{self.agent}/{of}" if of else self.agent
        return Use(kind, name, scope, span, declares)

    def words(self, kind: Kind, segments: tuple[Name, ...], *, of: str = "") -> Use:
        """Return a use of the name that some segments of a path are."""
        span = segments[0].span.to(segments[-1].span)
        return self.use(kind, _text(segments), span, of=of)

    def of_any(self, kind: Kind, parts: tuple[Name, ...], owners: list[str]) -> Use:
        """Return a use of what one of `owners` has, or of what several have at once."""
        return self.words(kind, parts, of=owners[0] if len(owners) == 1 else ANY)

    def bucket(self, bucket: str, key: tuple[Name, ...], span: Span, *, declares: bool = False) -> Use:
        """Return a use of a key of the memory, `records` where none is written; what is SHARED all share."""
        scope = bucket if bucket == "SHARED" else f"{self.agent}/{bucket}"
        return Use(Kind.BUCKET, _text(key) or "records", scope, span, declares, written=bool(key))

    def bucket_path(self, path: Path, *, declares: bool = False) -> Use:
        """Return a use of the key of the memory that a path with its bucket names."""
        first, key = path.segments[0], path.segments[1:]
        span = key[0].span.to(key[-1].span) if key else first.span
        return self.bucket(first.text.upper(), key, span, declares=declares)

    def recipient(self, name: Name) -> Use:
        """Return the agent that a message is for, in this file or in another one."""
        return self.use(Kind.AGENT, self.known.agent_called(name.text), name.span)

    def actor(self, name: Name) -> Use:
        """Return who is delegated to: a tool with its contract, an agent here, or one that the host has."""
        kinds = (Kind.TOOL, Kind.AGENT)
        kind = next((kind for kind in kinds if self.known.has(kind, name.text)), Kind.SUBAGENT)
        return self.use(kind, name.text, name.span)

    def action(self, name: Path | Name, default: Kind = Kind.TOOL) -> Use:
        """Return what a call, a trigger or a rule names."""
        kinds = (default, *(kind for kind in (Kind.TOOL, Kind.PLAN) if kind is not default))
        kind = next((kind for kind in kinds if self.known.has(kind, name.text)), default)
        if kind is Kind.TOOL and self._is_actor(name.text):
            return self.actor(Name(name.span, name.text))
        return self.use(kind, name.text, name.span)

    def read(self, path: Path, within: Within) -> list[Use]:
        """Return the names in a path that is read."""
        parts = path.segments
        first = parts[0].text
        if first in within.variables:
            return [Use(Kind.VARIABLE, first, within.variables[first], parts[0].span, declares=False)]
        if within.tool is not None and (found := self._argument(path, within.tool)):
            return found
        if self._is_state(path.text):
            state = self.words(self._kind_of_state(parts), parts)
            return [state, *self._field(parts)] if len(parts) == 1 else [state]
        if first in FACTS and not self._is_state(first):
            inside = self._inside_fact(parts, within) if len(parts) > 1 else self._field(parts)
            return [self.use(Kind.FACT, path.text, path.span), *inside]
        known = self._published(path) or self._remembered(path) or self._untrusted(path, within)
        return known or [self._state(path)]

    def state_called(self, name: Name) -> list[Use]:
        """Return the state that is read by a name, if there is any: a field of that name hides it."""
        return [self.words(self._kind_of_state((name,)), (name,))] if self._is_state(name.text) else []

    def _is_actor(self, name: str) -> bool:
        return self.known.has(Kind.SUBAGENT, name)

    def _argument(self, path: Path, tool: str) -> list[Use]:
        parts = path.segments
        named = parts[2:] if [part.text for part in parts[:2]] == ["action", "args"] else ()
        if named:
            return [self.use(Kind.FACT, path.text, path.span), self._named_argument(named, tool)]
        tools = self._tools_with(parts[0], tool)
        if not tools or (len(parts) > 1 and self._is_state(path.text)):
            return []
        found = [self.of_any(Kind.PARAMETER, parts[:1], tools)]
        # Of a tool without the parameter, the name reads the state.
        return [*found, self._state(path)] if tool is ANY and self._state_in(path) else found

    def _named_argument(self, parts: tuple[Name, ...], tool: str) -> Use:
        """Return what `action.args` is asked for: a sub-agent is given paths, as they are called."""
        tools = self._tools_with(parts[0], tool)
        handed = Path(parts[0].span.to(parts[-1].span), parts)
        if not tools and self._is_actor(tool) and self._state_in(handed):
            return self._state(handed)
        return self.of_any(Kind.PARAMETER, parts[:1], tools or [tool])

    def _tools_with(self, name: Name, tool: str) -> list[str]:
        if tool is ANY:
            return self.known.owners(Kind.PARAMETER, name.text)
        return [tool] if self.known.has(Kind.PARAMETER, name.text, tool) else []

    # ------------------------------------------------------------------------------------------------ facts

    def _inside_fact(self, parts: tuple[Name, ...], within: Within) -> list[Use]:
        """Return the names of the program inside a fact that begins with a word of the runtime."""
        word = parts[0].text
        rest = parts[1:]
        if word in _FIRST_NAMES:
            own = word in ("reason", "judge") and rest[0].text in _OWN_REASON
            return [] if own else self._first_of(_FIRST_NAMES[word], rest)
        if word == "payload":
            return self._payload(rest, within)
        if word == "scenario":
            return [self.words(Kind.TOOL, rest[1:])] if rest[0].text == "outcome" and len(rest) > 1 else []
        if word == "shared":
            return [self.bucket("SHARED", rest[:1], rest[0].span)]
        return self._result(rest) if word == "result" else self._middle(word, rest)

    def _payload(self, parts: tuple[Name, ...], within: Within) -> list[Use]:
        """Return the key of the payload at hand; where none is, of the one that the agent handles with it."""
        for some in self._beginnings(parts):
            key = _text(some)
            scope = within.payload if within.payload is not None else self.known.payload_with(key)
            if scope is not None and (len(some) == 1 or self.known.has(Kind.PAYLOAD, key, scope)):
                return [Use(Kind.PAYLOAD, key, scope, some[0].span.to(some[-1].span), declares=False)]
        return []

    def _middle(self, word: str, rest: tuple[Name, ...]) -> list[Use]:
        """Return the name in the middle of `tools.T.in_doubt` and `sensors.P.available`."""
        # A GIVEN names the path of a sensor alone.
        whole = word == "sensors" and self._is_state(_text(rest))
        parts = rest if whole else rest[:-1] or rest
        if word == "tools":
            return [self._tool_or_actor(parts)]
        return [self.words(self._kind_of_state(parts), parts)] if word == "sensors" else []

    def _result(self, rest: tuple[Name, ...]) -> list[Use]:
        return self._given(rest, (Kind.TOOL,)) or self._first_of(Kind.TOOL, rest) or self._output(rest)

    def _given(self, parts: tuple[Name, ...], kinds: tuple[Kind, ...]) -> list[Use]:
        """Return the tool or sub-agent that a path begins with, and what it gives: both may have points."""
        for giver in self._beginnings(parts):
            of = _text(giver)
            if any(self.known.has(kind, of) for kind in kinds):
                for key in self._beginnings(parts[len(giver) :]):
                    if self.known.has(Kind.OUTPUT, _text(key), of):
                        return [self._tool_or_actor(giver), self.words(Kind.OUTPUT, key, of=of)]
        return []

    def _first_of(self, kind: Kind, parts: tuple[Name, ...]) -> list[Use]:
        """Return the longest declared name of a kind that a path begins with, if there is any."""
        known = (some for some in self._beginnings(parts) if self.known.has(kind, _text(some)))
        return [self.words(kind, some) for some in islice(known, 1)]

    def _output(self, parts: tuple[Name, ...]) -> list[Use]:
        """Return what a path begins with that a tool or a sub-agent gives, or that several do."""
        for some in self._beginnings(parts):
            if owners := self.known.owners(Kind.OUTPUT, _text(some)):
                return [self.of_any(Kind.OUTPUT, some, owners)]
        return []

    def _tool_or_actor(self, parts: tuple[Name, ...]) -> Use:
        name = Name(parts[0].span.to(parts[-1].span), _text(parts))
        return self.actor(name) if self._is_actor(name.text) else self.words(Kind.TOOL, parts)

    def _published(self, path: Path) -> list[Use]:
        """Return the names in a fact that begins with one: H.posterior, T.K, A.K, P.dirty."""
        parts = path.segments
        fact = self.use(Kind.FACT, path.text, path.span)
        if len(parts) == 1:
            return []
        for some in self._beginnings(parts[:-1]):
            if parts[len(some)].text in _OF_HYPOTHESIS and self.known.has(Kind.HYPOTHESIS, _text(some)):
                return [fact, self.words(Kind.HYPOTHESIS, some)]
        # Of what it gives nothing else is told by its name: `note.due` is no fact of a tool `note`.
        if named := self._given(parts, (Kind.TOOL, Kind.SUBAGENT)):
            return [fact, *named]
        before = parts[:-1]
        if parts[-1].text in _OF_BELIEF and self._is_state(_text(before)):
            return [fact, self.words(self._kind_of_state(before), before)]
        return []

    # ------------------------------------------------------------------------- bare names, and the state

    def _remembered(self, path: Path) -> list[Use]:
        """Return the memory that a path reads, or reads a part of, by its key alone."""
        for parts in self._beginnings(path.segments):
            if self._is_state(_text(parts)):
                return []
            if bucket := self.known.bucket_of(_text(parts)):
                return [self.bucket(bucket, parts, parts[0].span.to(parts[-1].span))]
        return []

    def _untrusted(self, path: Path, within: Within) -> list[Use]:
        """Return what a bare name from outside means: an element, a field, a payload key, an output."""
        parts = path.segments
        if self._is_state(parts[0].text):
            return []
        if within.elements and self.known.has(Kind.VARIABLE, parts[0].text):
            return [self.words(Kind.VARIABLE, parts[:1], of=ANY)]
        if field := self._field(parts):
            return field
        key = self._payload(parts, within)
        # What is read by name alone is a key of the payload only when something is known to bring it.
        sent = [use for use in key if self.known.has(Kind.PAYLOAD, use.name, use.scope)]
        named = [use for use in key if len(parts) == 1 and use.name in within.keys]
        return sent or named or self._output(parts)

    def _field(self, parts: tuple[Name, ...]) -> list[Use]:
        """Return the field of a REASON or JUDGE that a path begins with."""
        return self._first_of(Kind.FIELD, parts)

    def _state(self, path: Path) -> Use:
        """Return the longest part of a path that the program knows, else all of it."""
        parts = self._state_in(path) or path.segments
        return self.words(self._kind_of_state(parts), parts)

    def _state_in(self, path: Path) -> tuple[Name, ...]:
        known = (parts for parts in self._beginnings(path.segments) if self._is_state(_text(parts)))
        return next(known, ())

    def _beginnings(self, parts: tuple[Name, ...]) -> Iterator[tuple[Name, ...]]:
        """Yield what a path begins with, the longest that may be a name first."""
        yield from (parts[:length] for length in range(min(len(parts), self.known.longest), 0, -1))

    def _is_state(self, name: str) -> bool:
        return self.known.has(Kind.PATH, name) or self.known.has(Kind.BELIEF, name)

    def _kind_of_state(self, parts: tuple[Name, ...]) -> Kind:
        return Kind.BELIEF if self.known.has(Kind.BELIEF, _text(parts)) else Kind.PATH


def _text(parts: tuple[Name, ...]) -> str:
    return ".".join(part.text for part in parts)
