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

from agentl.host.registrations import HostWalk, Registration
from agentl.host.walk import walk_host
from agentl_grammar.lexer import BYTE_ORDER_MARK
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
    """What a host script offers.

    `error` is set, and all else empty, when it is not Python; `error_line`, counted from 1, is where.
    `complete` is False when it registers things in a way that only running it would tell.
    """

    source: Source
    tools: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    sensors: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    reconcilers: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    subagents: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    compensations: Mapping[str, HostFunction] = field(default_factory=dict[str, HostFunction])
    promises: Mapping[str, Promise] = field(default_factory=dict[str, Promise])
    complete: bool = True
    error: str | None = None
    error_line: int | None = None

    def promise(self, tool: str) -> Promise | None:
        """Return what the host promises for `tool`; None when, as far as can be read, it has no such tool."""
        return self.promises.get(tool, None if self.complete else Promise.SOMETIMES)


def read_host(source: Source) -> HostSource:
    """Read a host script. Never raises for what the script holds."""
    # editors do not show a byte order mark, and count without it
    source = Source(source.text.removeprefix(BYTE_ORDER_MARK), source.name)
    try:
        module = ast.parse(source.text)
    except SyntaxError as error:
        return HostSource(source, complete=False, error=error.msg, error_line=error.lineno)
    except (ValueError, RecursionError) as error:
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
        compensations=_functions(source, found.registrations, "compensation"),
        promises={name: _promise(name, found) for name in names},
        complete=found.complete,
    )


def _functions(source: Source, registrations: list[Registration], kind: str) -> dict[str, HostFunction]:
    found: dict[str, HostFunction] = {}
    for made in registrations:
        if made.kind == kind and made.name not in found:
            found[made.name] = HostFunction(made.name, span_in(source, made.node), made.parameters)
    return found


def _promise(name: str, found: HostWalk) -> Promise:
    own = [made for made in found.registrations if made.name == name]
    # a sub-agent may have the name of a tool: then the promise is that of the tool
    kind = "tool" if any(made.kind == "tool" for made in own) else "subagent"
    # the set of idempotent tools promises whatever a registration says, before or behind it
    sources = [
        _certainty(
            [made for made in own if made.kind.removeprefix("no ") in kinds], one_host=found.hosts <= 1
        )
        for kinds in ((kind,), (f"idempotent {kind}",), ("reconciler",))
    ]
    if {True} in sources[:2]:
        return Promise.IDEMPOTENT
    if sources[2] == {True}:
        return Promise.RECONCILABLE
    if any(True in source for source in sources) or not found.complete:
        return Promise.SOMETIMES
    return Promise.NONE


def _certainty(registrations: list[Registration], *, one_host: bool) -> set[bool]:
    """Return what may be so behind the last of the registrations: the promise is made, or it is not.

    What is always reached replaces what was said before, when there is one host that both can be about; else
    it adds to it.
    """
    said, is_first = {False}, True
    for made in registrations:
        promised = made.kind == "reconciler" or made.kind.startswith("idempotent ")
        now = {promised or made.idempotent} if made.idempotent is not None else {True, False}
        replaces = made.always and (one_host or is_first)
        said, is_first = (now, False) if replaces else (said | now, is_first)
    return said


def span_in(source: Source, node: ast.AST) -> Span:
    """Return where a node of the syntax tree of `source` stands; of a function, its name."""
    start = _offset(source, getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        start = source.text.find(node.name, start + len("def"))
        return Span(start, start + len(node.name))
    end_line, end_column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if end_line is None or end_column is None:
        return Span(start, start)
    return Span(start, _offset(source, end_line, end_column))


def _offset(source: Source, line: int, column: int) -> int:
    """Return a place in a text; ast counts lines from 1, and columns in bytes of UTF-8."""
    text = source.line(line - 1).encode() if line <= source.line_count else b""
    return source.offset(Position(line - 1, 0)) + len(text[:column].decode(errors="ignore"))
