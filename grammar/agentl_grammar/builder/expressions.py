"""Reductions of names and expressions (language.md §2.1, §2.5); each method is a rule of agent.lark."""

# ruff: noqa: D102 (each method reduces the rule of agent.lark that has its name)

from __future__ import annotations

from agentl_grammar.builder.parts import Building, Children, name, nodes, number, string
from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message, Related, message_id
from agentl_grammar.tree import (
    Argument,
    Binary,
    DatetimeLiteral,
    Expression,
    FunctionCall,
    ListExpression,
    Name,
    NameList,
    NumberLiteral,
    Path,
    SharedPath,
    StringLiteral,
    Unary,
)

_REPEATED = message_id("the argument `{name}` is given twice")
_REPEATED_HINT = message_id("keep one of the two")
_FIRST = message_id("the first one is here")


# Operators that bind alike, and follow each other without parentheses.
_ALIKE = {"+": "sum", "-": "sum", "*": "product", "/": "product"}


def _binds_alike(one: Binary, other: Binary) -> bool:
    first, second = one.operator.text, other.operator.text
    return _ALIKE.get(first, first) == _ALIKE.get(second, second)


class ExpressionRules(Building):
    """Names and expressions."""

    def path(self, children: Children) -> Path:
        return Path(self.span(children), tuple(name(token) for token in children[::2]))

    bucket_path = path

    def name_list(self, children: Children) -> NameList:
        return NameList(self.span(children), tuple(nodes(children)))

    def number(self, children: Children) -> NumberLiteral:
        return number(children[0])

    def string(self, children: Children) -> StringLiteral:
        return string(children[0])

    def datetime(self, children: Children) -> DatetimeLiteral:
        return DatetimeLiteral(children[0].span, children[0].text)

    def parenthesized(self, children: Children) -> Expression:
        inner = children[1]
        self.wrap(inner, self.span(children))
        return inner

    def binary(self, children: Children) -> Binary:
        left, operator, right = children
        node = Binary(self.span(children), name(operator), left, right)
        if isinstance(left, Binary) and not self.is_wrapped(left) and _binds_alike(left, node):
            return self.lengthen(node, left, (right,))
        return self.deepen(node, (left, right))

    def unary(self, children: Children) -> Unary:
        operator, operand = children
        return self.deepen(Unary(self.span(children), name(operator), operand), (operand,))

    def list_expression(self, children: Children) -> ListExpression:
        items = nodes(children)
        return self.deepen(ListExpression(self.span(children), tuple(items)), items)

    def shared_path(self, children: Children) -> SharedPath:
        return SharedPath(self.span(children), tuple(name(token) for token in children[2::2]))

    def argument(self, children: Children) -> Argument:
        value = children[-1]
        label: Name | None = name(children[0]) if len(children) > 1 else None
        return self.deepen(Argument(self.span(children), label, value), (value,))

    def function_call(self, children: Children) -> FunctionCall:
        function, *arguments = nodes(children)
        self.check_arguments(arguments)
        return self.deepen(FunctionCall(self.span(children), function, tuple(arguments)), arguments)

    def confidence_call(self, children: Children) -> FunctionCall:
        keyword: Token = children[0]
        return self.function_call([Path(keyword.span, (name(keyword),)), *children[1:]])

    def check_arguments(self, arguments: list[Argument]) -> None:
        """Report every argument name that a call gives twice."""
        first: dict[str, Name] = {}
        for argument in arguments:
            label = argument.name
            if label is None:
                continue
            if label.text in first:
                related = Related(first[label.text].span, Message(_FIRST))
                message = Message(_REPEATED, {"name": label.text})
                self.report("S113", label.span, message, Message(_REPEATED_HINT), related)
            first.setdefault(label.text, label)
