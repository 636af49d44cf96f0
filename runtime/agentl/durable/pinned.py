"""The text that a run began with: kept with it, and never taken for what it is not (durability.md §4)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from agentl.durable import refusals
from agentl.durable.records import Header
from agentl.durable.stores import Store

if TYPE_CHECKING:
    from agentl_grammar.tree import Program


def text_digest(text: str) -> str:
    """Return the digest of a text as the header has it: of its bytes in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pinned_text(store: Store, header: Header) -> str:
    """Return the text that a run began with, byte by byte. Raises DurableError R206.

    Where the header does not have its digest, the text is right that means what the run means.
    """
    text = store.pinned(header.program)
    if header.text is None:
        pinned_program(store, header)
    if text is None or text_digest(text) != (header.text or text_digest(text)):
        raise refusals.no_source(store.name, header.program)
    return text


def pinned_program(store: Store, header: Header) -> Program:
    """Return the program that a run began with; its comments and layout do not count. Raises R206."""
    from agentl_grammar.digest import program_digest  # noqa: PLC0415  # who only looks loads no parser
    from agentl_grammar.parser import parse  # noqa: PLC0415

    text = store.pinned(header.program)
    program = None if text is None else parse(text).program
    if program is None or program_digest(program) != header.program:
        raise refusals.no_source(store.name, header.program)
    return program
