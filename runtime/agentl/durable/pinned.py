"""The program that a run began with: its text is kept with the run (durability.md §4)."""

from __future__ import annotations

from agentl.durable import header as head
from agentl.durable import refusals
from agentl.durable.records import Header
from agentl.durable.stores import Store
from agentl_grammar.parser import parse
from agentl_grammar.tree import Program


def pinned_program(store: Store, header: Header) -> Program:
    """Return the program that a run began with. Raises DurableError R206."""
    return _pinned(store, header)[1]


def pinned_text(store: Store, header: Header) -> str:
    """Return the text that a run began with. Raises DurableError R206."""
    return _pinned(store, header)[0]


def _pinned(store: Store, header: Header) -> tuple[str, Program]:
    source = store.pinned(header.program)
    program = None if source is None else parse(source).program
    if source is None or program is None or head.changed(header, program):
        raise refusals.no_source(store.name, header.program)
    return source, program
