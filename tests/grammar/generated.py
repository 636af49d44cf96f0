"""Programs, and their parts, that hypothesis makes; every kind of node occurs in them."""

from typing import Any

from hypothesis import strategies as st

from agentl_grammar import tree as t
from agentl_grammar.lexicon import PHASES, WORDS
from agentl_grammar.parser import parse
from agentl_grammar.source import Span

S = Span(0, 0)


def program(text: str) -> t.Program:
    result = parse(text)
    assert result.program is not None, result.problems
    return result.program


identifiers = st.from_regex(r"[a-z_][a-zA-Z0-9_]{0,4}", fullmatch=True).filter(lambda text: text not in WORDS)
strings = st.text(st.characters(codec="utf-8"), max_size=6)
any_words = st.one_of(identifiers, st.sampled_from(list(WORDS)), st.sampled_from(["1", "2.5", "07"]), strings)


def names(texts: st.SearchStrategy[str]) -> st.SearchStrategy[t.Name]:
    return texts.map(lambda text: t.Name(S, text))


def node(kind: type[Any], *parts: Any) -> st.SearchStrategy[Any]:
    # composite, because hypothesis spells out every other strategy in full, again and again
    @st.composite
    def build(draw: st.DrawFn) -> Any:
        return kind(S, *(draw(part) for part in parts))

    return build()


def some(item: Any, smallest: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(item, min_size=smallest, max_size=3).map(tuple)


def maybe(item: Any) -> st.SearchStrategy[Any]:
    return st.none() | item


def quantity(text: str) -> t.NumberLiteral:
    (goal,) = program(f"AGENT t {{ GOAL {{ TARGET {text} }} }}").agents[0].of(t.Goal)
    literal = goal.targets[0]
    assert isinstance(literal, t.NumberLiteral)
    return literal


nothing = st.just(())
none = st.none()
word = names(any_words)
identifier = names(identifiers)
path = st.tuples(identifier, some(word)).map(lambda p: t.Path(S, (p[0], *p[1])))
bucket = some(word, 1).map(lambda segments: t.Path(S, segments))
name_list = node(t.NameList, some(path))
plain = st.sampled_from(["0", "1", "2.50", "12"]).map(quantity)
duration = st.sampled_from(["3s", "2min", "1.5h", "10ms"]).map(quantity)
numeric = plain | duration | st.sampled_from(["5%", "99.9%"]).map(quantity)
string = node(t.StringLiteral, strings)
datetime = node(t.DatetimeLiteral, st.sampled_from(["2026-01-02", "2026-01-02T03:04", "2026-01-02T03:04:05"]))
operators = "OR AND == != > >= < <= IN + - * /"


def binary(inner: Any) -> Any:
    return node(t.Binary, names(st.sampled_from(operators.split(" "))), inner, inner)


def arguments(inner: Any) -> Any:
    argument = node(t.Argument, maybe(identifier), inner)
    return st.lists(argument, max_size=3, unique_by=lambda a: a.name.text if a.name else id(a)).map(tuple)


leaf = st.one_of(path, path, numeric, string, datetime, node(t.SharedPath, some(word, 1)))
confidence = st.just(t.Path(S, (t.Name(S, "CONFIDENCE"),)))
expression = st.recursive(
    leaf,
    lambda inner: st.one_of(
        binary(inner),
        binary(inner),
        node(t.Unary, names(st.sampled_from(["NOT", "-"])), inner),
        node(t.ListExpression, some(inner)),
        node(t.FunctionCall, path | confidence, arguments(inner)),
    ),
    max_leaves=6,
)

field_word = names(any_words.filter(lambda text: text not in ("BIND", "ATTESTS", "IN", "DEFAULT")))
negative = st.sampled_from(["3", "2.5"]).map(
    lambda text: t.NumberLiteral(S, -quantity(text).value, "number", f"-{text}")
)
domain = node(t.Domain, some(numeric | string | negative | names(identifiers | st.sampled_from(list(WORDS)))))
produce = node(t.ProduceField, word, maybe(word), maybe(domain), maybe(expression))
reason = node(t.Reason, maybe(string), maybe(name_list), some(produce))
option = node(t.ChoiceOption, word, string)
answer = (maybe(numeric), maybe(expression))
questions = st.one_of(
    node(t.Question, word, st.just("NOUL"), string, nothing, nothing, *answer),
    node(t.Question, word, st.just("CHOICE"), string, some(option), nothing, *answer),
    node(t.Question, word, st.just("SCORE"), string, nothing, some(string), *answer),
)
judge = node(
    t.Judge,
    maybe(string),
    maybe(name_list),
    st.lists(questions, min_size=1, max_size=3, unique_by=lambda q: q.name.text).map(tuple),
)
simple = st.one_of(
    node(t.CallStatement, path, arguments(expression)),
    node(t.Assign, path, expression),
    node(t.Trigger, path),
    reason,
    judge,
    node(t.Ask, word, maybe(string), maybe(word), maybe(numeric), maybe(expression)),
    node(t.Delegate, word, maybe(string), maybe(name_list), maybe(name_list)),
    node(t.Message, word, maybe(word), st.booleans(), some(node(t.PayloadEntry, word, expression))),
    node(t.Retry, maybe(plain)),
    node(t.Rollback),
    node(t.Escalate),
    node(t.Phase, names(st.sampled_from(PHASES))),
    node(t.Verify, maybe(string), expression, none),
)


def block(statement: Any, smallest: int = 0) -> Any:
    return node(t.Block, some(statement, smallest))


statement = st.recursive(
    simple,
    lambda inner: st.one_of(
        node(t.If, expression, block(inner), maybe(block(inner))),
        node(t.Then, block(inner)),
        node(t.Verify, maybe(string), expression, block(inner)),
        node(t.Loop, maybe(expression), maybe(plain), block(inner)),
        node(t.ForEach, word, expression, maybe(plain), block(inner)),
    ),
    max_leaves=4,
)
rule_if = node(t.If, expression, block(simple), maybe(block(simple)))
effects = some(node(t.EffectEntry, path, expression, st.booleans()))
unknown = node(t.OnUnknown, st.just("ESCALATE"), none) | node(t.OnUnknown, st.just("DEGRADE"), expression)
risk = node(t.RiskEntry, none, word).map(lambda entry: (entry,)) | some(node(t.RiskEntry, word, word))
fields = some(node(t.Field, field_word, maybe(word)))
inputs = some(node(t.InputField, field_word, maybe(word), maybe(path), maybe(word)))
short = node(t.InputField, field_word, maybe(word), none, none)
outcome = node(t.ToolOutcome, word, maybe(numeric), effects)
tool = node(
    t.Tool, word, maybe(string), inputs, fields, some(path), risk, maybe(expression), effects, some(outcome),
    maybe(plain), maybe(duration),
)  # fmt: skip
short_tool = node(t.Tool, word, none, some(short), *[nothing] * 3, none, *[nothing] * 2, none, none)
guard = node(t.Guard, expression)
rule = node(t.Rule, st.sampled_from(["NEVER", "DENY", "ALLOW", "REQUIRE"]), maybe(path), maybe(guard))
rules = st.one_of(
    rule, node(t.PolicyDefault, st.sampled_from(["ALLOW", "DENY"])), node(t.Redaction, some(path, 1))
)
write = node(t.MemoryWrite, maybe(expression), maybe(name_list), maybe(bucket))
steps = some(node(t.Step, word, block(statement)), 1)
groups = some(word)
evidence = st.one_of(
    node(t.Evidence, expression, maybe(numeric), maybe(numeric), groups, st.just(value=False)),
    node(t.Evidence, expression, none, none, nothing, st.just(value=True)),
)
prior_from = node(t.PriorFrom, bucket, maybe(expression))
value = plain | negative
expect = node(t.Expect, some(expression, 1)) | st.one_of(
    node(t.ExpectTrace, st.sampled_from(["CALL", "NEVER CALL", "BLOCKED", "EVENT"]), path),
    node(t.ExpectTrace, st.just("NO ERROR"), none),
)
given_items = st.one_of(
    node(t.Given, effects), node(t.GivenEvent, path, effects), node(t.GivenMessage, path, word, effects)
)


def goal(parts: tuple[Any, ...]) -> t.Goal:
    label, mode, condition, targets, weight = parts
    return t.Goal(S, label, mode if condition else "MAINTAIN", condition, targets, weight)


modes = st.sampled_from(["MAINTAIN", "ACHIEVE"])
goals = st.tuples(maybe(identifier), modes, maybe(expression), some(expression), maybe(plain)).map(goal)
belief = node(t.BeliefEntry, path, expression, maybe(numeric), maybe(word), maybe(word))
many = st.one_of(
    node(t.Version, strings),
    node(t.Description, string),
    goals,
    node(t.Belief, some(belief)),
    node(t.Observe, some(node(t.Observation, path, maybe(expression), maybe(unknown)))),
    tool,
    node(t.ToolList, some(short_tool)),
    node(t.Policy, some(rules)),
    node(t.Plan, word, maybe(expression), steps),
    node(t.EventHandler, path, maybe(expression), block(statement)),
    node(t.MessageHandler, word, maybe(expression), block(statement)),
    node(
        t.Hypothesis, word, maybe(string), maybe(numeric), maybe(prior_from), maybe(numeric), maybe(numeric),
        some(evidence), maybe(node(t.Explains, path, maybe(expression))),
    ),
    node(t.Scenario, word, some(given_items), some(expect, 1), maybe(numeric)),
)  # fmt: skip
single = st.one_of(
    node(t.Memory, *[some(path)] * 4, some(write)),
    node(t.VerifyFailHandler, block(statement)),
    node(t.Decide, some(rule_if), maybe(reason)),
    node(
        t.Planner,
        some(expression),
        *[maybe(plain)] * 2,
        *[maybe(numeric)] * 2,
        maybe(duration),
        maybe(numeric),
    ),
    node(t.Utility, some(node(t.UtilityEntry, expression, value))),
    node(t.MainLoop, maybe(expression), maybe(plain), block(statement)),
)


@st.composite
def programs(draw: st.DrawFn) -> t.Program:
    agents: list[t.Agent] = []
    for _ in range(draw(st.integers(min_value=1, max_value=2))):
        members = [*draw(some(many)), *draw(st.lists(single, max_size=2, unique_by=type))]
        agents.append(t.Agent(S, draw(word), tuple(members)))
    return t.Program(S, tuple(agents))
