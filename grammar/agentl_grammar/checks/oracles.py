"""REASON and JUDGE: what a model is shown, and what its word may decide (§5.7, §5.12)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from agentl_grammar.checks.contents import OracleUse, shows_all
from agentl_grammar.checks.guards import (
    ORDERS,
    Known,
    boolean_of,
    comparisons,
    parameters_seen,
    protecting_rules,
    truth,
    turned,
)
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, error, said, warning
from agentl_grammar.problems import Message, Related, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Expression,
    Judge,
    Node,
    NumberLiteral,
    Path,
    ProduceField,
    Question,
    Reason,
    Redaction,
    Rule,
    Tool,
)

_MOST_FIELDS = 8
_FEWEST = 2


@error("E017", Question)
def question_that_asks_nothing(index: Index) -> Iterator[Found]:
    """E017: a question of JUDGE without a text, without a choice, or with a threshold nothing can meet."""
    for part, question in index.own(Question):
        wrong = _empty_question(question)
        if wrong:
            node, message, hint = wrong
            yield Found(part.at(node), message, hint)


def _empty_question(question: Question) -> tuple[Node, Message, Message] | None:
    name = question.name.text
    texts = (question.text, *(option.text for option in question.options), *question.levels)
    empty = next((text for text in texts if not text.value.strip()), None)
    answers = [option.name.text for option in question.options] or [level.value for level in question.levels]
    count = len(set(answers))
    below = question.abstain_below
    if empty is not None:
        return (
            empty,
            said(message_id("this text of {name} is empty"), name=name),
            said(message_id("say what is asked, or what the answer means")),
        )
    if question.kind != "NOUL" and count < _FEWEST:
        return (
            question.name,
            said(message_id("{name} leaves no choice"), name=name),
            said(message_id("offer at least two answers")),
        )
    if below is not None and not 0 < below.value <= 1:
        return (
            below,
            said(message_id("ABSTAIN BELOW is a probability above 0, up to 1")),
            said(message_id("write 0.7, say, or 70%")),
        )
    return None


@warning("W129", Reason, Judge)
def model_shown_everything(index: Index) -> Iterator[Found]:
    """W129: REASON or JUDGE without USING, or with an empty one: the model is shown every belief."""
    for kind, word in ((Reason, "REASON"), (Judge, "JUDGE")):
        for part, node in index.own(kind):
            if shows_all(node):
                start = part.at(node).start
                yield Found(
                    part.at(node.using) if node.using else Span(start, start + len(word)),
                    said(_EMPTY_USING if node.using else _WITHOUT_USING),
                    said(message_id("list what it needs: USING {{ path, path }}")),
                )


_WITHOUT_USING = message_id("without USING the model is shown every belief")
_EMPTY_USING = message_id("an empty USING shows the model every belief")


@warning("W130", Reason, Judge)
def model_shown_a_secret(index: Index) -> Iterator[Found]:
    """W130: USING lists a path of NEVER SEND, something below it, or a parent: the value is cut out of it."""
    secrets = [(part, path) for part, rule in index.all(Redaction) for path in rule.paths]
    if not secrets:
        return
    for kind in (Reason, Judge):
        for part, node in index.own(kind):
            for path in node.using.paths if node.using else ():
                for home, secret in secrets:
                    if _covers(path.text, secret.text):
                        yield Found(
                            part.at(path),
                            said(
                                message_id("{path} is shown to the model without {secret}"),
                                path=path.text,
                                secret=secret.text,
                            ),
                            said(message_id("list only what may be shown")),
                            (see(home, secret, said(message_id("never sent"))),),
                        )


def _covers(used: str, secret: str) -> bool:
    return used == secret or secret.startswith(f"{used}.") or used.startswith(f"{secret}.")


@warning("W133", Reason)
def too_many_fields(index: Index) -> Iterator[Found]:
    """W133: a REASON that asks for more than eight fields at once."""
    for part, node in index.own(Reason):
        if len(node.produce) > _MOST_FIELDS:
            yield Found(
                part.at(node.produce[_MOST_FIELDS].name),
                said(
                    message_id("{count} fields in one REASON; beyond {most} models begin to forget some"),
                    count=len(node.produce),
                    most=_MOST_FIELDS,
                ),
                said(message_id("ask in two steps")),
            )


@warning("W115", Rule, Tool)
def order_without_a_domain(index: Index) -> Iterator[Found]:
    """W115: a guard of POLICY, or REQUIRES, orders a field of REASON that has no domain.

    Nothing then keeps the model from answering 1000 where 0 to 1 was meant. A field without a type, or of
    type Bool, String or List, is told as well: its order means nothing at all.
    """
    if not index.asks_models:
        return
    guards: list[tuple[Part, Expression, AbstractSet[str]]] = [
        (part, rule.guard.condition, parameters_seen(index, rule))
        for part, rule in index.own(Rule)
        if rule.guard
    ]
    guards += [(part, tool.requires, frozenset[str]()) for part, tool in index.own_tools() if tool.requires]
    for part, guard, parameters in guards:
        for node in comparisons(part, guard):
            if node.operator.text not in ORDERS:
                continue
            for side in (node.left, node.right):
                yield from _without_domain(index, part, side, parameters)


def _without_domain(
    index: Index, part: Part, side: Expression, parameters: AbstractSet[str]
) -> Iterator[Found]:
    for text in part.reads(side):
        use = index.oracle_source(text, parameters)
        if use and isinstance(use.field, ProduceField) and use.field.domain is None:
            yield Found(
                part.at(side),
                said(
                    message_id("{path} is ordered here, and nothing bounds what the model answers"), path=text
                ),
                said(
                    message_id("give the field a domain: {name}: Number IN [0, 1]"), name=use.field.name.text
                ),
                (_asked_here(use),),
            )


def _asked_here(use: OracleUse) -> Related:
    return see(use.part, use.field.name, said(message_id("the model is asked for it here")))


def _oracle_guards(index: Index) -> Iterator[tuple[Part, Rule, Expression, str, OracleUse]]:
    """Yield each read of an oracle field in a guard that forbids or asks, once a rule."""
    for part, rule, guard in protecting_rules(index) if index.asks_models else ():
        parameters = parameters_seen(index, rule)
        for text in dict.fromkeys(part.reads(guard)):
            use = index.oracle_field(text, parameters)
            if use:
                yield part, rule, guard, text, use


@warning("W134", Rule)
def default_that_opens_a_guard(index: Index) -> Iterator[Found]:
    """W134: a guard that forbids or asks reads a model's field without DEFAULT, or with one that opens it.

    Without DEFAULT a silent model blocks the action with no reason given; with a DEFAULT that makes the guard
    false, a silent model lets it through. So does one that is a limit for something else, `amount >
    reason.limit`, unless it is the end of the domain at which the guard holds most.
    """
    for part, rule, guard, text, use in _oracle_guards(index):
        told = (see(part, rule, said(message_id("the rule"))),)
        name = use.field.name.text
        if use.field.default is None:
            yield Found(
                use.part.at(use.field.name),
                said(message_id("a rule of POLICY reads {path}, which has no DEFAULT"), path=text),
                said(message_id("add a DEFAULT that makes the rule apply")),
                told,
            )
        elif _opens(
            part, guard, text, use, _defaults(index, part.reads(guard), parameters_seen(index, rule))
        ):
            yield Found(
                use.part.at(use.field.default),
                said(
                    message_id("when the model is silent, this DEFAULT of {name} opens a rule of POLICY"),
                    name=name,
                ),
                said(message_id("choose a DEFAULT that makes the rule apply")),
                told,
            )


def _opens(part: Part, guard: Expression, path: str, use: OracleUse, values: Known) -> bool:
    if truth(guard, values) is False:
        return True
    for node, positive in turned(guard):
        if node.operator.text not in ORDERS:
            continue
        for side, other, above in ((node.left, node.right, False), (node.right, node.left, True)):
            if not isinstance(side, Path) or side.text != path or not part.reads(other):
                continue
            if truth(node, values) is None:
                grows = (node.operator.text in (">", ">=")) != above  # the guard holds more, the higher it is
                return not _is_end(use, highest=grows == positive)
    return False


def _is_end(use: OracleUse, *, highest: bool) -> bool:
    """Tell whether the DEFAULT of a field is the lowest, or highest, number of its domain."""
    domain, default = use.field.domain if isinstance(use.field, ProduceField) else None, use.field.default
    ends = [item.value for item in domain.items if isinstance(item, NumberLiteral)] if domain else []
    if not ends or not isinstance(default, NumberLiteral):
        return False
    return default.value == (max(ends) if highest else min(ends))


def _defaults(index: Index, reads: list[str], parameters: AbstractSet[str]) -> Known:
    found: dict[str, Expression | bool] = {}
    for text in reads:
        use = index.oracle_field(text, parameters)
        if use and use.field.default is not None:
            made = boolean_of(use.field.default) if _is_boolean(use.field) else None
            found[text] = use.field.default if made is None else made
    return found


def _is_boolean(field: ProduceField | Question) -> bool:
    if isinstance(field, Question):
        return field.kind == "NOUL"
    return field.type is not None and field.type.text.lower() in ("bool", "boolean")


@warning("W136", Rule)
def unsure_answer_in_a_guard(index: Index) -> Iterator[Found]:
    """W136: a guard that forbids or asks reads a field of JUDGE, and nothing asks how sure the answer is."""
    for part, rule, guard, text, use in _oracle_guards(index):
        question = use.field
        if not isinstance(question, Question) or question.abstain_below is not None:
            continue
        target = rule.target.text if rule.target else None
        weighed = any(
            _weighs(home, each, question.name.text)
            for home, each in (index.rules_on(target) if target else index.rules)
        )
        if not weighed and not _is_weight(text):
            yield Found(
                use.part.at(question.name),
                said(message_id("a rule of POLICY trusts {path}, however unsure the model is"), path=text),
                said(message_id("add ABSTAIN BELOW, or a rule on judge.{name}.p"), name=question.name.text),
                (see(part, guard, said(message_id("the rule"))),),
            )


def _is_weight(path: str) -> bool:
    return path.startswith("judge.") and path.endswith((".p", ".confidence"))


def _weighs(part: Part, rule: Rule, name: str) -> bool:
    return rule.guard is not None and any(
        text in (f"judge.{name}.p", f"judge.{name}.confidence") for text in part.reads(rule.guard)
    )


RULES = (
    question_that_asks_nothing,
    order_without_a_domain,
    model_shown_everything,
    model_shown_a_secret,
    too_many_fields,
    default_that_opens_a_guard,
    unsure_answer_in_a_guard,
)
