"""The contract of a tool: types, coercions, and what a result must hold (language.md §5.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from agentl.secret import Secret
from agentl.values import Symbol, Value, is_finite_number, rank
from agentl.vocabulary import ActionKind
from agentl_grammar.checks.naming import parameters_of
from agentl_grammar.tree import Argument, Field, InputField, Tool

DEFAULT_RISK = "LOW"
_BOOLEAN_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


class ContractError(Exception):
    """A value breaks the contract of its tool: `key` names it, `reason` says what was due."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason


def _number(value: Value) -> Value:
    return value if is_finite_number(value) else None


def _integer(value: Value) -> Value:
    return int(value) if is_finite_number(value) and value == int(value) else None


def _string(value: Value) -> Value:
    if isinstance(value, Secret):  # opened only where the host is called, into a text
        return value
    return value.text if isinstance(value, Symbol) else value if isinstance(value, str) else None


def _boolean(value: Value) -> Value:
    if isinstance(value, Symbol):
        return _BOOLEAN_WORDS.get(value.text.lower())
    return value if isinstance(value, bool) else None


def _symbol(value: Value) -> Value:
    return value if isinstance(value, Symbol) else Symbol(value) if isinstance(value, str) else None


def _list(value: Value) -> Value:
    return value if isinstance(value, list | tuple) else None  # pyright: ignore[reportUnknownVariableType]


_TYPES: dict[str, Callable[[Value], Value]] = {
    "number": _number,
    "float": _number,
    "int": _integer,
    "string": _string,
    "bool": _boolean,
    "boolean": _boolean,
    "symbol": _symbol,
    "list": _list,
}


def coerce(field: InputField | Field, value: Value) -> Value:
    """Return `value` as the declared type of `field` has it; an unknown type accepts all.

    Raises ContractError.
    """
    convert = None if field.type is None else _TYPES.get(field.type.text.lower())
    if field.type is None or convert is None:
        return value
    converted = convert(value)
    if converted is None:
        raise ContractError(field.name.text, f"{field.type.text} expected")
    return converted


def accept(fields: Sequence[InputField | Field], values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the declared fields, coerced, in their order; every one is mandatory. Raises ContractError."""
    accepted: dict[str, Value] = {}
    for field in fields:
        name = field.name.text
        if name not in values:
            raise ContractError(name, "missing")
        accepted[name] = coerce(field, values[name])
    return accepted


def check_output(fields: Sequence[Field], result: Value) -> tuple[dict[str, Value], list[str]]:
    """Return the declared outputs of a result, and the keys that are not declared. Raises ContractError."""
    if not fields:
        return {}, []
    if not isinstance(result, dict):
        raise ContractError("result", "a dict expected")
    held = cast("dict[Value, Value]", result)
    declared = {field.name.text for field in fields}
    undeclared = [str(key) for key in held if key not in declared]
    return accept(fields, {key: held[key] for key in declared & held.keys()}), undeclared


def check_shape(kind: ActionKind, fields: Sequence[Field], result: Value) -> None:
    """Raise ContractError when the host could not have answered an action so."""
    if kind == "delegate" and result is not None and not isinstance(result, dict):
        raise ContractError("result", "a dict expected")
    check_output(fields, result)


def check_input(tool: Tool, arguments: Mapping[str, Value]) -> dict[str, Value]:
    """Return the arguments as the tool takes them; a tool without INPUT takes anything.

    Raises ContractError.
    """
    if not tool.inputs:
        return dict(arguments)
    declared = parameters_of(tool)
    for name in arguments:
        if name not in declared:
            raise ContractError(name, "not declared")
    return accept(tool.inputs, arguments)


def name_arguments(tool: Tool | None, arguments: Sequence[Argument]) -> list[tuple[str, Argument]]:
    """Return each argument with its name; positional ones take those of INPUT, else arg0, arg1 by place.

    Raises ContractError when two take the same name.
    """
    inputs = parameters_of(tool) if tool is not None else []
    named: dict[str, Argument] = {}
    position = 0
    for argument in arguments:
        if argument.name is not None:
            name = argument.name.text
        else:
            name = inputs[position] if position < len(inputs) else f"arg{position}"
            position += 1
        if name in named:
            raise ContractError(name, "given twice")
        named[name] = argument
    return list(named.items())


def risk_of(tool: Tool) -> str:
    """Return the RISK of a tool, in capitals; in a block the highest word of the scale wins (§0 ⚠31)."""
    levels = [entry.level.text.upper() for entry in tool.risk]
    return max(levels, key=_rank, default=DEFAULT_RISK)


def _rank(level: str) -> int:
    place = rank(level)
    return -1 if place is None else place
