"""What a path in an expression means (language.md §3.8, §8.4): whose names its segments are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentl_grammar.source import Span
from agentl_grammar.symbols.declarations import Known
from agentl_grammar.symbols.names import EVERYWHERE, Kind, Use
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
_OF_BELIEF = frozenset({"confidence", "dirty"})
_OWN_REASON = frozenset({"degraded", "missing"})


@dataclass(frozen=True, slots=True)
class Within:
    """What is around an expression: its tool's arguments, loops' variables → scope, the payload at hand."""

    tool: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    payload: str | None = None


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

    def bucket(self, segments: tuple[Name, ...], span: Span, *, declares: bool = False) -> Use:
        """Return a use of a memory bucket; those of SHARED belong to the whole program."""
        kind = segments[0].text.upper()
        name = f"{kind}.{_text(segments[1:]) or 'records'}"
        return Use(Kind.BUCKET, name, "" if kind == "SHARED" else self.agent, span, declares)

    def actor(self, name: Name) -> Use:
        """Return what the addressee of work or of a message is: an agent here, or one that the host has."""
        kind = Kind.AGENT if self.known.has(Kind.AGENT, name.text) else Kind.SUBAGENT
        return self.use(kind, name.text, name.span)

    def action(self, path: Path, default: Kind = Kind.TOOL) -> Use:
        """Return what a call, a trigger or a rule names."""
        kinds = (default, *(kind for kind in (Kind.TOOL, Kind.PLAN) if kind is not default))
        kind = next((kind for kind in kinds if self.known.has(kind, path.text)), default)
        if kind is Kind.TOOL and not self.known.has(Kind.TOOL, path.text) and self._is_actor(path.text):
            return self.actor(Name(path.span, path.text))
        return self.use(kind, path.text, path.span)

    def read(self, path: Path, within: Within) -> list[Use]:
        """Return the names in a path that is read."""
        parts = path.segments
        first = parts[0].text
        if first in within.variables:
            return [Use(Kind.VARIABLE, first, within.variables[first], parts[0].span, declares=False)]
        if within.tool is not None and (found := self._argument(path, within.tool)):
            return found
        if self.known.has(Kind.BELIEF, path.text):
            return [self.use(Kind.BELIEF, path.text, path.span)]
        if self.known.has(Kind.PATH, path.text):
            return [self.use(Kind.PATH, path.text, path.span)]
        if first in FACTS and not self.known.has(Kind.PATH, first) and not self.known.has(Kind.BELIEF, first):
            return [self.use(Kind.FACT, path.text, path.span), *self._inside_fact(parts, within)]
        known = self._published(path) or self._remembered(path) or self._untrusted(path, within)
        return known or [self._state(path)]

    def _is_actor(self, name: str) -> bool:
        return self.known.has(Kind.SUBAGENT, name)

    def _argument(self, path: Path, tool: str) -> list[Use]:
        parts = path.segments
        if self.known.has(Kind.PARAMETER, parts[0].text, tool):
            return [self.words(Kind.PARAMETER, parts[:1], of=tool)]
        if [part.text for part in parts[:2]] == ["action", "args"] and len(parts) > 2:  # noqa: PLR2004 (action.args.NAME)
            fact = self.use(Kind.FACT, path.text, path.span)
            return [fact, self.words(Kind.PARAMETER, parts[2:3], of=tool)]
        return []

    # ------------------------------------------------------------------------------------------------ facts

    def _inside_fact(self, parts: tuple[Name, ...], within: Within) -> list[Use]:
        """Return the names of the program inside a fact that begins with a word of the runtime."""
        rest = parts[1:]
        if not rest:
            return []
        word = parts[0].text
        if word in _FIRST_NAMES:
            own = word in ("reason", "judge") and rest[0].text in _OWN_REASON
            return [] if own else [self.words(_FIRST_NAMES[word], rest[:1])]
        if word == "payload" and within.payload is not None:
            return [Use(Kind.PAYLOAD, rest[0].text, within.payload, rest[0].span, declares=False)]
        if word == "scenario":
            return [self.words(Kind.TOOL, rest[1:])] if rest[0].text == "outcome" and len(rest) > 1 else []
        if word == "shared":
            return [Use(Kind.BUCKET, f"SHARED.{rest[0].text}", "", rest[0].span, declares=False)]
        return self._result(rest) if word == "result" else self._middle(word, rest)

    def _middle(self, word: str, rest: tuple[Name, ...]) -> list[Use]:
        """Return the name in the middle of `tools.T.in_doubt` and `sensors.P.available`."""
        # A GIVEN names the path of a sensor alone.
        whole = word == "sensors" and self._is_state(_text(rest))
        parts = rest if whole else rest[:-1] or rest
        if word == "tools":
            return [self._tool_or_actor(parts)]
        return [self.words(self._kind_of_state(parts), parts)] if word == "sensors" else []

    def _result(self, rest: tuple[Name, ...]) -> list[Use]:
        if self.known.has(Kind.TOOL, rest[0].text):
            return self._of_tool(rest)
        tool = self.known.tool_giving(rest[0].text)
        return [self.words(Kind.OUTPUT, rest[:1], of=tool)] if tool is not None else []

    def _of_tool(self, parts: tuple[Name, ...]) -> list[Use]:
        """Return a tool, and what it gives when that is named too."""
        tool = parts[0].text
        found = [self.words(Kind.TOOL, parts[:1])]
        if len(parts) > 1 and self.known.has(Kind.OUTPUT, parts[1].text, tool):
            found.append(self.words(Kind.OUTPUT, parts[1:2], of=tool))
        return found

    def _tool_or_actor(self, parts: tuple[Name, ...]) -> Use:
        name = Name(parts[0].span.to(parts[-1].span), _text(parts))
        if not self.known.has(Kind.TOOL, name.text) and self._is_actor(name.text):
            return self.actor(name)
        return self.words(Kind.TOOL, parts)

    def _published(self, path: Path) -> list[Use]:
        """Return the names in a fact that begins with one: H.posterior, T.K, A.K, P.dirty."""
        parts = path.segments
        first = parts[0].text
        fact = self.use(Kind.FACT, path.text, path.span)
        if len(parts) == 1:
            return []
        if self.known.has(Kind.HYPOTHESIS, first):
            return [fact, self.words(Kind.HYPOTHESIS, parts[:1])]
        if self.known.has(Kind.TOOL, first):
            return [fact, *self._of_tool(parts)]
        if self._is_actor(first):
            return [fact, self.actor(parts[0]), self._field(parts[1:]) or self.words(Kind.FIELD, parts[1:2])]
        before = parts[:-1]
        if parts[-1].text in _OF_BELIEF and self._is_state(_text(before)):
            return [fact, self.words(self._kind_of_state(before), before)]
        return []

    # ------------------------------------------------------------------------- bare names, and the state

    def _remembered(self, path: Path) -> list[Use]:
        """Return the memory that a path reads, or reads a part of, by its key alone."""
        for length in range(len(path.segments), 0, -1):
            parts = path.segments[:length]
            if self._is_state(_text(parts)):
                return []
            if bucket := self.known.bucket_of(_text(parts)):
                span = parts[0].span.to(parts[-1].span)
                return [Use(Kind.BUCKET, f"{bucket}.{_text(parts)}", self.agent, span, declares=False)]
        return []

    def _untrusted(self, path: Path, within: Within) -> list[Use]:
        """Return what a bare name from outside means: a key of the payload, a field, an output."""
        first = path.segments[:1]
        name = first[0].text
        if self._is_state(name):
            return []
        if named := self._field(path.segments):
            return [named]
        if within.payload is not None and self.known.has(Kind.PAYLOAD, name, within.payload):
            return [Use(Kind.PAYLOAD, name, within.payload, first[0].span, declares=False)]
        tool = self.known.tool_giving(name)
        return [self.words(Kind.OUTPUT, first, of=tool)] if tool is not None else []

    def _field(self, parts: tuple[Name, ...]) -> Use | None:
        """Return the longest field that a path begins with, if any is declared: its name may have points."""
        lengths = range(len(parts), 0, -1)
        found = (parts[:length] for length in lengths if self.known.has(Kind.FIELD, _text(parts[:length])))
        return next((self.words(Kind.FIELD, named) for named in found), None)

    def _state(self, path: Path) -> Use:
        """Return the longest part of a path that the program knows, else all of it."""
        for length in range(len(path.segments) - 1, 0, -1):
            parts = path.segments[:length]
            if self._is_state(_text(parts)):
                return self.words(self._kind_of_state(parts), parts)
        return self.use(Kind.PATH, path.text, path.span)

    def _is_state(self, name: str) -> bool:
        return self.known.has(Kind.PATH, name) or self.known.has(Kind.BELIEF, name)

    def _kind_of_state(self, parts: tuple[Name, ...]) -> Kind:
        return Kind.BELIEF if self.known.has(Kind.BELIEF, _text(parts)) else Kind.PATH


def _text(parts: tuple[Name, ...]) -> str:
    return ".".join(part.text for part in parts)
