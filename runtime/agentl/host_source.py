"""The host script read as a syntax tree, never imported (editor.md "Host-aware without running it").

What a script registers is found by following it as it would run: module level, `build()`, and the helper
functions that they call. A registration below an `if` that not every branch makes is *sometimes* true, and so
is all that stands behind an early `return`. What cannot be read (names computed at run time, hosts made
elsewhere) makes the picture incomplete.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agentl.host_walk import Registration, walk_host
from agentl_grammar.source import Position, Source, Span


class Promise(StrEnum):
    """What the host promises for a tool. SOMETIMES: it depends on how the script runs."""

    IDEMPOTENT = "idempotent"
    RECONCILABLE = "reconcilable"
    NONE = "none"
    SOMETIMES = "sometimes"


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A function that the script registers. `span` covers its name, `parameters` are its own, in order."""

    name: str
    span: Span
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HostSource:
    """What a host script offers. `error` is set, and all else empty, when it is not Python.

    `complete` is False when it registers things in a way that only running it would tell.
    """

    source: Source
    tools: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    sensors: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    reconcilers: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    subagents: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    promises: Mapping[str, Promise] = field(default_factory=dict[str, Promise])
    complete: bool = True
    error: str | None = None

    def promise(self, tool: str) -> Promise | None:
        """Return what the host promises for `tool`; None when, as far as can be read, it has no such tool."""
        return self.promises.get(tool, None if self.complete else Promise.SOMETIMES)


def read_host(source: Source) -> HostSource:
    """Read a host script. Never raises for what the script holds."""
    try:
        module = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError) as error:
        return HostSource(source, complete=False, error=str(error))
    try:
        found = walk_host(module)
    except RecursionError as error:
        return HostSource(source, complete=False, error=str(error))
    names = {made.name for made in found.registrations if made.kind in ("tool", "subagent")}
    return HostSource(
        source,
        tools=_functions(source, found.registrations, "tool"),
        sensors=_functions(source, found.registrations, "sensor"),
        reconcilers=_functions(source, found.registrations, "reconciler"),
        subagents=_functions(source, found.registrations, "subagent"),
        promises={name: _promise(name, found.registrations, complete=found.complete) for name in names},
        complete=found.complete,
    )


def _functions(source: Source, registrations: list[Registration], kind: str) -> dict[str, HostFunction]:
    found: dict[str, HostFunction] = {}
    for made in registrations:
        if made.kind == kind and made.name not in found:
            found[made.name] = HostFunction(made.name, _span(source, made.node), made.parameters)
    return found


def _promise(name: str, registrations: list[Registration], *, complete: bool) -> Promise:
    own = [made for made in registrations if made.name == name]
    idempotent = _certainty([made for made in own if made.kind in ("tool", "subagent", "idempotent")])
    reconciled = [made for made in own if made.kind == "reconciler"]
    if idempotent == "always":
        return Promise.IDEMPOTENT
    if any(made.always for made in reconciled):
        return Promise.RECONCILABLE
    if idempotent == "sometimes" or reconciled or not complete:
        return Promise.SOMETIMES
    return Promise.NONE


def _certainty(registrations: list[Registration]) -> str:
    """Tell whether a tool is always, sometimes or never idempotent.

    A later, certain `idempotent_tools.add` promises whatever the registration said.
    """
    if any(made.kind == "idempotent" and made.always for made in registrations):
        return "always"
    said = {made.idempotent for made in registrations if made.kind != "idempotent"}
    if said == {True}:
        return "always"
    maybe = None in said or True in said or any(made.kind == "idempotent" for made in registrations)
    return "sometimes" if maybe else "never"


def _span(source: Source, node: ast.AST) -> Span:
    """Return where a node stands; for a function, its name."""
    line = getattr(node, "lineno", 1) - 1
    # ast counts columns in UTF-8 bytes
    text = source.line(line).encode() if line < source.line_count else b""
    column = len(text[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
    start = source.offset(Position(line, 0)) + column
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        start = source.text.find(node.name, start + len("def"))
        return Span(start, start + len(node.name))
    return Span(start, start + len(ast.get_source_segment(source.text, node) or ""))
