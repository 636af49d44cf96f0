"""Statements as canonical text, indented by two spaces (language.md §2.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agentl_grammar.lexer import quote
from agentl_grammar.printer.expressions import (
    FIELD_OPTIONS,
    QUESTION_OPTIONS,
    any_token,
    call,
    domain,
    expression,
    is_word,
    name_list,
    number,
    path,
    word,
)
from agentl_grammar.tree import (
    Ask,
    Assign,
    Block,
    CallStatement,
    ChoiceOption,
    Delegate,
    Escalate,
    Expression,
    ForEach,
    If,
    Judge,
    Loop,
    MainLoop,
    Message,
    PayloadEntry,
    Phase,
    ProduceField,
    Question,
    Reason,
    Retry,
    Rollback,
    Statement,
    StringLiteral,
    Then,
    Trigger,
    Verify,
)

_CONTINUES = re.compile(r"[-(]|(?:AND|OR|IN)\b").match
_FIRST_WORD = re.compile(r"[A-Za-z_0-9]*").match


def optional(label: str, value: Any, write: Callable[[Any], str]) -> list[str]:
    """Return a field behind its label, nothing when it is None or empty."""
    return [] if value is None or value == () else [f"{label} {write(value)}"]


def quoted(node: StringLiteral) -> str:
    """Return a text between quotes."""
    return quote(node.value)


def indent(text: str) -> str:
    """Return `text` two columns further right."""
    return "\n".join(f"  {line}" for line in text.split("\n"))


def braces(items: Sequence[str]) -> str:
    """Return items in braces, one a line; a comma where the next one would continue an expression (§2.6)."""
    if not items:
        return "{ }"
    lines = [
        f"{item}," if _CONTINUES(following) else item
        for item, following in zip(items, (*items[1:], ""), strict=True)
    ]
    return "\n".join(("{", *map(indent, lines), "}"))


def inline(items: Iterable[str]) -> str:
    """Return items in braces on one line, with commas."""
    text = ", ".join(items)
    return f"{{ {text} }}" if text else "{ }"


def block(node: Block) -> str:
    """Return a statement list in braces."""
    return braces(statements(node))


def statements(node: Block) -> list[str]:
    """Return each statement of a block.

    The phase VERIFY gets a comma where it would take the next statement as its condition (§2.6, A6).
    """
    texts = [statement(item) for item in node.statements]
    return [
        f"{text}," if text == "VERIFY" and _starts_with_a_name(following) else text
        for text, following in zip(texts, [*texts[1:], ""], strict=False)
    ]


def _starts_with_a_name(text: str) -> bool:
    match = _FIRST_WORD(text)
    return bool(match) and is_word(match[0])


def branch(node: Block) -> str:
    """Return what stands behind THEN, ELSE or ON FAIL: one short statement bare, all else in braces."""
    if len(node.statements) == 1 and isinstance(node.statements[0], CallStatement | Trigger | Assign):
        return statement(node.statements[0])
    return block(node)


def statement(node: Statement) -> str:
    """Return a statement."""
    return _STATEMENTS[type(node)](node)


def _call(node: CallStatement) -> str:
    return call(path(node.target), node.arguments)


def _assign(node: Assign) -> str:
    return f"SET {path(node.target)} = {expression(node.value)}"


def _trigger(node: Trigger) -> str:
    return path(node.plan)


def _if(node: If) -> str:
    row = list(node.row())
    texts = [f"IF {expression(each.condition)} THEN {branch(each.then)}" for each in row]
    last = row[-1].otherwise
    return " ELSE ".join([*texts, branch(last)] if last else texts)


def _then(node: Then) -> str:
    return f"THEN {branch(node.branch)}"


def _foreach(node: ForEach) -> str:
    maximum = f" MAX {number(node.maximum)}" if node.maximum else ""
    return f"FOREACH {word(node.variable)} IN {expression(node.source)}{maximum} {block(node.body)}"


def _retry(node: Retry) -> str:
    return f"RETRY {number(node.count)}" if node.count else "RETRY"


def _rollback(_: Rollback) -> str:
    return "ROLLBACK"


def _escalate(_: Escalate) -> str:
    return "ESCALATE"


def _phase(node: Phase) -> str:
    return node.word.text


def loop(node: Loop | MainLoop) -> str:
    """Return a LOOP, a statement's or an agent's."""
    until = f" UNTIL {expression(node.until)}" if node.until else ""
    maximum = f" MAX {number(node.maximum)}" if node.maximum else ""
    return f"LOOP{until}{maximum} {block(node.body)}"


def _verify(node: Verify) -> str:
    condition = expression(node.condition)
    label = f" {quote(node.label.value)}" if node.label else ""
    # A condition that starts with a string would be read as the label.
    if node.on_fail is None and not (node.label is None and condition.startswith('"')):
        return f"VERIFY{label} {condition}"
    fields = [f"CONDITION {condition}", *optional("ON FAIL", node.on_fail, branch)]
    return f"VERIFY{label} {braces(fields)}"


def _task_and_using(node: Reason | Judge) -> list[str]:
    return [*optional("TASK", node.task, quoted), *optional("USING", node.using, name_list)]


def _reason(node: Reason) -> str:
    fields = _task_and_using(node)
    if node.produce:
        fields.append(f"PRODUCE {braces([produce_field(item) for item in node.produce])}")
    return f"REASON {braces(fields)}"


def _judge(node: Judge) -> str:
    return f"JUDGE {braces([*_task_and_using(node), *map(question, node.questions)])}"


def produce_field(node: ProduceField) -> str:
    """Return one field of PRODUCE."""
    kind = f": {word(node.type)}" if node.type else ""
    values = f" IN {domain(node.domain)}" if node.domain else ""
    return f"{word(node.name, FIELD_OPTIONS)}{kind}{values}{_default(node.default)}"


def _default(value: Expression | None) -> str:
    return f" DEFAULT {expression(value)}" if value else ""


def choice_option(node: ChoiceOption) -> str:
    """Return one answer of a CHOICE."""
    return f"{word(node.name)}: {quote(node.text.value)}"


def question(node: Question) -> str:
    """Return one question of JUDGE."""
    head = f"{word(node.name, QUESTION_OPTIONS)}: {node.kind} {quote(node.text.value)}"
    if node.kind == "CHOICE":
        head += f" {inline(map(choice_option, node.options))}"
    elif node.kind == "SCORE":
        head += f" [{', '.join(quote(level.value) for level in node.levels)}]"
    abstain = f" ABSTAIN BELOW {number(node.abstain_below)}" if node.abstain_below else ""
    return f"{head}{abstain}{_default(node.default)}"


def _ask(node: Ask) -> str:
    fields = [
        *optional("QUESTION", node.question, quoted),
        *optional("REASON", node.reason, any_token),
        *optional("TIMEOUT", node.timeout, number),
        *optional("DEFAULT", node.default, expression),
    ]
    return f"ASK {word(node.addressee)} {braces(fields)}"


def _delegate(node: Delegate) -> str:
    fields = [
        *optional("TASK", node.task, quoted),
        *optional("INPUT", node.inputs, name_list),
        *optional("EXPECT", node.expects, name_list),
    ]
    return f"DELEGATE {word(node.target)} {braces(fields)}"


def _message(node: Message) -> str:
    fields = [
        *optional("TO", node.to, word),
        *(["BROADCAST"] if node.broadcast else []),
        *optional("PAYLOAD", node.payload, lambda entries: inline(map(payload_entry, entries))),
    ]
    return f"MESSAGE {word(node.name)} {braces(fields)}"


def payload_entry(node: PayloadEntry) -> str:
    """Return one entry of PAYLOAD."""
    return f"{word(node.key)}: {expression(node.value)}"


_STATEMENTS: dict[type[Statement], Callable[[Any], str]] = {
    CallStatement: _call,
    Assign: _assign,
    Trigger: _trigger,
    If: _if,
    Then: _then,
    Verify: _verify,
    Reason: _reason,
    Judge: _judge,
    Ask: _ask,
    Delegate: _delegate,
    Message: _message,
    Loop: loop,
    ForEach: _foreach,
    Retry: _retry,
    Rollback: _rollback,
    Escalate: _escalate,
    Phase: _phase,
}
