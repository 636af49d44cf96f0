"""Reductions of statements (language.md §2.4); each method is a rule of agent.lark."""

# ruff: noqa: D102 (each method reduces the rule of agent.lark that has its name)

from __future__ import annotations

from typing import Literal

from agentl_grammar.builder.expressions import ExpressionRules
from agentl_grammar.builder.parts import Children, Fields, Part, name, nodes, number, stands, string
from agentl_grammar.lexer import Token
from agentl_grammar.problems import Message as ProblemMessage
from agentl_grammar.problems import Related, message_id
from agentl_grammar.tree import (
    Ask,
    Assign,
    Block,
    CallStatement,
    ChoiceOption,
    Delegate,
    Domain,
    Escalate,
    ForEach,
    If,
    Judge,
    Loop,
    Message,
    Name,
    NumberLiteral,
    PayloadEntry,
    Phase,
    ProduceField,
    Question,
    Reason,
    Retry,
    Rollback,
    StringLiteral,
    Then,
    Trigger,
    Verify,
)

_REPEATED = message_id("JUDGE asks for `{name}` twice")
_REPEATED_HINT = message_id("give one of the two questions another name")
_FIRST = message_id("the first one is here")


class StatementRules(ExpressionRules):
    """Statements and what stands inside them."""

    def part(self, kind: str, children: Children, value: object) -> Part:
        """Return a field of a block."""
        return Part(kind, value, self.span(children))

    def block(self, children: Children) -> Block:
        return self.statements(children, self.span(children))

    def call(self, children: Children) -> CallStatement:
        target, *arguments = nodes(children)
        self.check_arguments(arguments)
        return self.deepen(CallStatement(self.span(children), target, tuple(arguments)), arguments)

    def assign(self, children: Children) -> Assign:
        target, value = nodes(children)
        return self.deepen(Assign(self.span(children), target, value), (value,))

    def trigger(self, children: Children) -> Trigger:
        return Trigger(children[0].span, children[0])

    def if_statement(self, children: Children) -> If:
        condition, then, *otherwise = nodes(children)
        branches = [self.branch(branch) for branch in (then, *otherwise)]
        alternative = branches[1] if otherwise else None
        node = If(self.span(children), condition, branches[0], alternative)
        if otherwise and isinstance(otherwise[0], If):
            return self.lengthen(node, otherwise[0], (condition, branches[0]), 2)
        return self.deepen(node, (condition, *branches))

    def then(self, children: Children) -> Then:
        branch = self.branch(children[-1])
        return self.deepen(Then(self.span(children), branch), (branch,))

    def on_fail(self, children: Children) -> Part:
        return self.part("on_fail", children, self.branch(children[-1]))

    def verify(self, children: Children) -> Verify:
        condition, *rest = nodes(children)
        label = string(children[1]) if children[0].type == "_VERIFY_LABELLED" else None
        on_fail = rest[0].value if rest else None
        return self.deepen(Verify(self.span(children), label, condition, on_fail), (condition, on_fail))

    def task(self, children: Children) -> Part:
        return self.part("task", children, string(children[-1]))

    def using(self, children: Children) -> Part:
        return self.part("using", children, children[-1])

    def produce(self, children: Children) -> Part:
        return self.part("produce", children, tuple(nodes(children)))

    def default(self, children: Children) -> Part:
        return self.part("default", children, children[-1])

    def domain(self, children: Children) -> Domain:
        items: list[NumberLiteral | StringLiteral | Name] = []
        minus: Token | None = None
        for token in children[1:-1]:
            if token.type in ("NUMBER", "PERCENT", "TIMESPAN"):
                items.append(number(token, minus))
            elif token.type == "STRING":
                items.append(string(token))
            elif token.type not in ("_MINUS", "_COMMA"):
                items.append(name(token))
            minus = token if token.type == "_MINUS" else None
        return Domain(self.span(children), tuple(items))

    def produce_field(self, children: Children) -> ProduceField:
        fields = Fields(children)
        return ProduceField(
            self.span(children),
            name(children[0]),
            type_of(children),
            fields.last(Domain),
            fields.last("default"),
        )

    def reason(self, children: Children) -> Reason:
        fields = Fields(children)
        task = fields.last("task") or leading_string(children)
        return Reason(self.span(children), task, fields.last("using"), fields.last("produce") or ())

    def abstain(self, children: Children) -> Part:
        return self.part("abstain", children, number(children[-1]))

    def choice_option(self, children: Children) -> ChoiceOption:
        return ChoiceOption(self.span(children), name(children[0]), string(children[-1]))

    def question_noul(self, children: Children) -> Question:
        return self._question_node("NOUL", children)

    def question_choice(self, children: Children) -> Question:
        return self._question_node("CHOICE", children)

    def question_score(self, children: Children) -> Question:
        return self._question_node("SCORE", children)

    def _question_node(self, kind: Literal["NOUL", "CHOICE", "SCORE"], children: Children) -> Question:
        fields = Fields(children)
        text, *levels = (string(token) for token in children[1:] if is_string(token))
        options = tuple(fields.all(ChoiceOption))
        abstain, default = fields.last("abstain"), fields.last("default")
        span = self.span(children)
        return Question(span, name(children[0]), kind, text, options, tuple(levels), abstain, default)

    def judge(self, children: Children) -> Judge:
        fields = Fields(children)
        questions = [question for question in fields.all(Question) if stands(question)]
        first: dict[str, Name] = {}
        for question in questions:
            asked = first.setdefault(question.name.text, question.name)
            if asked is not question.name:
                related = Related(asked.span, ProblemMessage(_FIRST))
                message = ProblemMessage(_REPEATED, {"name": asked.text})
                self.report("S114", question.name.span, message, ProblemMessage(_REPEATED_HINT), related)
        task = fields.last("task") or leading_string(children)
        return Judge(self.span(children), task, fields.last("using"), tuple(questions))

    def ask_question(self, children: Children) -> Part:
        return self.part("question", children, string(children[-1]))

    def ask_reason(self, children: Children) -> Part:
        return self.part("reason", children, name(children[-1]))

    def timeout(self, children: Children) -> Part:
        return self.part("timeout", children, number(children[-1]))

    def ask(self, children: Children) -> Ask:
        fields = Fields(children)
        question, reason = fields.last("question"), fields.last("reason")
        timeout, default = fields.last("timeout"), fields.last("default")
        return Ask(self.span(children), name(children[1]), question, reason, timeout, default)

    def ask_short(self, children: Children) -> Ask:
        fields = Fields(children)
        timeout, default = fields.last("timeout"), fields.last("default")
        return Ask(self.span(children), name(children[1]), string(children[2]), None, timeout, default)

    def delegate_input(self, children: Children) -> Part:
        return self.part("inputs", children, children[-1])

    def delegate_expect(self, children: Children) -> Part:
        return self.part("expects", children, children[-1])

    def delegate(self, children: Children) -> Delegate:
        fields = Fields(children)
        task, inputs, expects = fields.last("task"), fields.last("inputs"), fields.last("expects")
        return Delegate(self.span(children), name(children[1]), task, inputs, expects)

    def to(self, children: Children) -> Part:
        return self.part("to", children, name(children[-1]))

    def broadcast(self, children: Children) -> Part:
        return self.part("broadcast", children, value=True)

    def payload(self, children: Children) -> Part:
        return self.part("payload", children, tuple(nodes(children)))

    def payload_entry(self, children: Children) -> PayloadEntry:
        return PayloadEntry(self.span(children), name(children[0]), children[-1])

    def message(self, children: Children) -> Message:
        fields = Fields(children)
        broadcast = bool(fields.last("broadcast"))
        payload = fields.last("payload") or ()
        return Message(self.span(children), name(children[1]), fields.last("to"), broadcast, payload)

    def until(self, children: Children) -> Part:
        return self.part("until", children, children[-1])

    def maximum(self, children: Children) -> Part:
        return self.part("maximum", children, number(children[-1]))

    def loop(self, children: Children) -> Loop:
        fields = Fields(children)
        until, body = fields.last("until"), children[-1]
        return self.deepen(Loop(self.span(children), until, fields.last("maximum"), body), (until, body))

    def foreach(self, children: Children) -> ForEach:
        source, body = children[3], children[-1]
        maximum = Fields(children).last("maximum")
        node = ForEach(self.span(children), name(children[1]), source, maximum, body)
        return self.deepen(node, (source, body))

    def retry(self, children: Children) -> Retry:
        return Retry(self.span(children), number(children[1]) if len(children) > 1 else None)

    def rollback(self, children: Children) -> Rollback:
        return Rollback(self.span(children))

    def escalate(self, children: Children) -> Escalate:
        return Escalate(self.span(children))

    def phase(self, children: Children) -> Phase:
        return Phase(self.span(children), name(children[0]))


def is_string(child: object) -> bool:
    """Tell whether `child` is a string token."""
    return isinstance(child, Token) and child.type == "STRING"


def leading_string(children: Children) -> StringLiteral | None:
    """Return the string between a keyword and its brace, if any."""
    return string(children[1]) if is_string(children[1]) else None


def type_of(children: Children) -> Name | None:
    """Return the type of `name: Type …`, if any."""
    typed = len(children) > 2 and isinstance(children[1], Token) and children[1].type == "_COLON"  # noqa: PLR2004
    return name(children[2]) if typed else None
