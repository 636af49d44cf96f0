"""The types of fields and the levels of risk: a word that is none is checked by nobody (§3.5, §5.5)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.naming import HIGH, rank
from agentl_grammar.checks.registry import Found, did_you_mean, nearest, renaming, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import Field, InputField, ProduceField, Tool

TYPES = ("Number", "Float", "Int", "String", "Bool", "Boolean", "Symbol", "List", "Any")
"""The types of fields, as they are written."""
LEVELS = ("LOW", "MEDIUM", "HIGH", "CRITICAL")
"""The levels of risk that are written most."""
_KNOWN = frozenset(name.lower() for name in TYPES)


@warning("W144", InputField, Field, ProduceField)
def type_that_nobody_knows(index: Index) -> Iterator[Found]:
    """W144: a type that is none: whatever is given or answered there passes, as with Any."""
    for part, field in (*index.own(InputField), *index.own(Field), *index.own(ProduceField)):
        if field.type is None or field.type.text.lower() in _KNOWN:
            continue
        span, near = part.at(field.type), nearest(field.type.text, TYPES)
        yield Found(
            span,
            said(message_id("there is no type {name}: any value passes here"), name=field.type.text),
            did_you_mean(near, said(message_id("write one of {names}"), names=", ".join(TYPES))),
            fixes=renaming(span, field.type.text, near),
        )


@warning("W157", Tool)
def level_that_nobody_knows(index: Index) -> Iterator[Found]:
    """W157: a RISK that is no level: it stands in no order with HIGH, and the tool counts as not risky."""
    for part, tool in index.own(Tool):
        for entry in tool.risk:
            word = entry.level.text
            if rank(word) is not None:
                continue
            span, near = part.at(entry.level), nearest(word.upper(), LEVELS)
            is_low = near is not None and (rank(near) or 0) < HIGH
            yield Found(
                span,
                said(
                    message_id("there is no level of risk {name}: nobody takes the tool for risky"), name=word
                ),
                did_you_mean(near, said(message_id("write one of {names}"), names=", ".join(LEVELS))),
                fixes=renaming(span, word.upper(), near, opens=is_low),
            )


RULES = (type_that_nobody_knows, level_that_nobody_knows)
