"""What came of a scenario, as data: text and JSON are made of it where it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentl.trace import Trace
from agentl.values import Value
from agentl_grammar.problems import Message
from agentl_grammar.source import Span

Kind = Literal["check", "given", "expectation", "assertion", "stimulus", "error", "simulation"]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One reason why a scenario failed.

    `span` is the part of the program that was not fulfilled, `tick` when that was decided (None before the
    run), `values` what the expectation read then. `notes` tell what led to it, and `rule` is the place of the
    rule of the POLICY that decided, if one did. `code` is that of a static problem.
    """

    kind: Kind
    message: Message
    span: Span
    tick: int | None = None
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    notes: tuple[Message, ...] = ()
    rule: Span | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """A scenario that was run; `ticks` is how many it took, `trace` None when it could not begin."""

    agent: str
    name: str
    span: Span
    ticks: int
    shortfalls: tuple[Shortfall, ...]
    trace: Trace | None = None

    @property
    def passed(self) -> bool:
        """Tell whether everything was as expected."""
        return not self.shortfalls
