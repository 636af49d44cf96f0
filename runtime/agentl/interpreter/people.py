"""ASK, ESCALATE, and what counts as an approval (language.md §5.8, §5.13)."""

from __future__ import annotations

from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Ask, Failed, Lapsed
from agentl.provenance import DECLARED, EXTERNAL, HUMAN, NOTHING, Label, of, secrets, unmarked
from agentl.values import UNDEFINED, Symbol, Value
from agentl_grammar.tree import Ask as AskStatement
from agentl_grammar.tree import Escalate, Node

NO_ANSWER = Symbol("no_answer")
OPERATOR = "operator"
_APPROVALS = frozenset(
    {"yes", "y", "true", "ok", "approve", "approved", "oui", "accord", "accepte", "accepté"}
)


def is_approval(answer: Value) -> bool:
    """Tell whether `answer` approves: True, or one of the words of language.md §5.8. All else refuses."""
    if isinstance(answer, str | Symbol):
        return str(answer).strip().lower() in _APPROVALS
    return answer is True


def ask(core: Core, statement: AskStatement) -> Steps[None]:
    """Ask a person; without an answer DEFAULT is taken, else `no_answer`."""
    addressee = statement.addressee.text
    question = "" if statement.question is None else statement.question.value
    crossing = Ask(
        agent=core.name,
        tick=core.state.tick,
        site=core.site_of(statement),
        addressee=addressee,
        question=question,
        reason=None if statement.reason is None else statement.reason.text,
        timeout=None if statement.timeout is None else float(statement.timeout.value),
    )
    answer, label = yield from _put(core, crossing)
    if answer is None:
        answer = NO_ANSWER
        if statement.default is not None:
            default = core.value_or_undefined(statement.default)
            answer = NO_ANSWER if default is UNDEFINED else default
            label |= core.label_of(statement.default)
        core.trace.emit("ask.unanswered", addressee=addressee, question=question, answer=answer)
    else:
        label |= secrets(core.protected, f"answer.{addressee}")
    core.put_answer("answer", answer, label)
    core.put_answer(f"answer.{addressee}", answer, label)


def escalate_statement(core: Core, statement: Escalate) -> Steps[None]:
    """ESCALATE: ask the operator what to do."""
    yield from escalate(core, f"The agent {core.name} asks for help. What should be done?", statement)


def escalate(core: Core, question: str, node: Node) -> Steps[None]:
    """Ask the operator a fixed question and bind the reply to `answer` (§0 ⚠18)."""
    crossing = Ask(
        agent=core.name,
        tick=core.state.tick,
        site=core.site_of(node),
        addressee=OPERATOR,
        question=question,
    )
    answer, label = yield from _put(core, crossing)
    if answer is None:
        answer = NO_ANSWER
        core.trace.emit("ask.unanswered", addressee=OPERATOR, question=question, answer=answer)
    core.put_answer("answer", answer, label)


def _put(core: Core, crossing: Ask) -> Steps[tuple[Value, Label]]:
    """Put a question; return the answer, None when there is none, or none in time, and whose that is."""
    addressee, question = crossing.addressee, crossing.question
    outcome = yield from core.cross(crossing)
    if isinstance(outcome, Failed):
        failure = outcome.failure
        core.trace.emit("ask.failed", addressee=addressee, error=failure.class_name, message=failure.message)
    if isinstance(outcome, Lapsed):
        core.trace.emit("ask.expired", addressee=addressee, question=question, seconds=crossing.timeout)
    answer, marked = unmarked(outcome.value if isinstance(outcome, Answered) else None)
    source = of(EXTERNAL) if marked else NOTHING
    if answer is None or answer is UNDEFINED or answer == NO_ANSWER:
        return None, of(DECLARED) | source
    core.person_spoke(outcome)
    core.trace.emit("ask.answered", addressee=addressee, question=question, answer=answer)
    return answer, of(HUMAN) | source
