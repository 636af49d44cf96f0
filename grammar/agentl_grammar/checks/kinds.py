"""The types of fields: a name that no type has is checked by nobody (§5.5)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.registry import Found, did_you_mean, nearest, renaming, said, warning
from agentl_grammar.problems import message_id
from agentl_grammar.tree import Field, InputField, ProduceField

TYPES = ("Number", "Float", "Int", "String", "Bool", "Boolean", "Symbol", "List", "Any")
"""The types of fields, as they are written."""
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


RULES = (type_that_nobody_knows,)
