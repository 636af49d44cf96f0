"""The label of an expression: the sources of all it reads (language.md §6.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    return union(*_labels(expression, label_of_path))


def _labels(expression: Expression, label_of_path: Callable[[str], Label]) -> Iterator[Label]:
    match expression:
        case Path():
            yield label_of_path(expression.text)
        case SharedPath():
            yield label_of_path(".".join(("SHARED", *(segment.text for segment in expression.segments))))
        case Binary():
            yield from _labels(expression.left, label_of_path)
            yield from _labels(expression.right, label_of_path)
        case Unary():
            yield from _labels(expression.operand, label_of_path)
        case ListExpression():
            yield _DECLARED
            for item in expression.items:
                yield from _labels(item, label_of_path)
        case FunctionCall():
            yield from _call_labels(expression, label_of_path)
        case _:
            yield _DECLARED


def _call_labels(call: FunctionCall, label_of_path: Callable[[str], Label]) -> Iterator[Label]:
    name = call.function.text
    if name in PROVENANCE:
        yield _RUNTIME
        return
    yield _RUNTIME if name in EPISTEMIC else _DECLARED
    for argument in call.arguments:
        if name in POSTERIORS and isinstance(argument.value, Path):
            yield label_of_path(f"{argument.value.text}.posterior")
        else:
            yield from _labels(argument.value, label_of_path)
