"""The label of an expression: the sources of all it reads (language.md §6.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from agentl.provenance import DECLARED, RUNTIME, Label, of, union
from agentl_grammar.tree import (
    Binary,
    Expression,
    FunctionCall,
    ListExpression,
    Path,
    SharedPath,
    Unary,
)

POSTERIORS = frozenset({"P", "PROBABILITY", "POSTERIOR"})
EPISTEMIC = POSTERIORS | {"CONFIDENCE", "UNCERTAINTY"}
PROVENANCE = frozenset({"ORIGIN", "UNTRUSTED", "TRUSTED", "LLM_DERIVED", "ATTESTED"})
_DECLARED, _RUNTIME = of(DECLARED), of(RUNTIME)


def label_of(expression: Expression, label_of_path: Callable[[str], Label]) -> Label:
    """Return the label of `expression`: both sides of an operator count, even if one side decided."""
    return label_read(*read_by(expression), label_of_path)


def read_by(expression: Expression) -> tuple[Label, tuple[str, ...]]:
    """Return what the label of `expression` always holds, and the paths whose labels are added.

    Both stand in the text of the program: whoever asks every tick keeps them.
    """
    parts = list(_parts(expression))
    paths = dict.fromkeys(part for part in parts if isinstance(part, str))
    return union(*(part for part in parts if not isinstance(part, str))), tuple(paths)


def label_read(always: Label, paths: Iterable[str], label_of_path: Callable[[str], Label]) -> Label:
    """Return the label of an expression of which `read_by` told these two."""
    for path in paths:
        label = label_of_path(path)
        if not label <= always:
            always |= label
    return always


def _parts(expression: Expression) -> Iterator[Label | str]:
    """Yield labels, and paths of which the label is asked later."""
    match expression:
        case Path():
            yield expression.text
        case SharedPath():
            yield ".".join(("SHARED", *(segment.text for segment in expression.segments)))
        case Binary():
            yield from _parts(expression.left)
            yield from _parts(expression.right)
        case Unary():
            yield from _parts(expression.operand)
        case ListExpression():
            yield _DECLARED
            for item in expression.items:
                yield from _parts(item)
        case FunctionCall():
            yield from _call_parts(expression)
        case _:
            yield _DECLARED


def _call_parts(call: FunctionCall) -> Iterator[Label | str]:
    name = call.function.text
    if name in PROVENANCE:
        yield _RUNTIME
        return
    yield _RUNTIME if name in EPISTEMIC else _DECLARED
    for argument in call.arguments:
        if name in POSTERIORS and isinstance(argument.value, Path):
            yield f"{argument.value.text}.posterior"
        else:
            yield from _parts(argument.value)
