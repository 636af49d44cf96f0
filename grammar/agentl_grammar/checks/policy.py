"""POLICY: what no rule covers, and guards that do not say what they seem to say (§5.6, §5.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise

from agentl_grammar.checks.guards import (
    comparisons,
    parameters_seen,
    protecting_rules,
    risk_known,
    truth,
    turned,
    unordered,
)
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.insertion import rule_fix
from agentl_grammar.checks.naming import prefixes
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, nearest, renaming, said, warning
from agentl_grammar.problems import Fix, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Binary,
    Expression,
    FunctionCall,
    ListExpression,
    NumberLiteral,
    Observation,
    Path,
    Policy,
    Rule,
    StringLiteral,
    Tool,
)

_ENDS_A_LINE = re.compile(r"\n\s*\Z").search


@warning("W101", Tool)
def risky_without_rule(index: Index) -> Iterator[Found]:
    """W101: a HIGH or CRITICAL tool that no rule mentions. A rule on `*` mentions every tool."""
    for part, tool in index.own_tools():
        name = tool.name.text
        if index.is_risky(tool) and not index.rules_on(name):
            rule = f"REQUIRE APPROVAL FOR {name}"
            yield Found(
                part.at(tool.name),
                said(message_id("{tool} is risky, and no rule of POLICY mentions it"), tool=name),
                said(message_id("say when it may be called: NEVER, ALLOW, or {rule}"), rule=rule),
                fixes=rule_fix(index.layout, name, part.at(tool), rule),
            )


@warning("W120", Tool)
def risky_without_approval(index: Index) -> Iterator[Found]:
    """W120: a HIGH or CRITICAL tool that can be called without a person's approval.

    Silent where REQUIRE APPROVAL has no guard, or one that its risk alone makes true, where NEVER or DENY
    without a guard stand in the way, where DEFAULT DENY meets no ALLOW, and where W101 has said that there is
    no rule at all.
    """
    for part, tool in index.own_tools():
        name = tool.name.text
        rules = index.rules_on(name)
        if not index.is_risky(tool) or not rules or not _can_be_allowed(index, rules):
            continue
        if not any(_always_asks(rule, tool) for _, rule in rules):
            rule = f"REQUIRE APPROVAL FOR {name}"
            some = [(home, each) for home, each in rules if each.kind == "REQUIRE"]
            yield Found(
                part.at(tool.name),
                said(message_id("{tool} is risky, and can be called without approval"), tool=name),
                said(message_id("add {rule}, without a guard"), rule=rule),
                tuple(
                    see(home, each, said(message_id("asks only while this guard holds")))
                    for home, each in some
                ),
                rule_fix(index.layout, name, part.at(tool), rule),
            )


def _can_be_allowed(index: Index, rules: list[tuple[Part, Rule]]) -> bool:
    return not index.denies_by_default or any(rule.kind == "ALLOW" for _, rule in rules)


def _always_asks(rule: Rule, tool: Tool) -> bool:
    if rule.kind == "ALLOW":
        return False
    if rule.guard is None:
        return True
    return rule.kind == "REQUIRE" and truth(rule.guard.condition, risk_known(tool)) is True


@warning("W128", Rule)
def bare_word_that_nothing_sets(index: Index) -> Iterator[Found]:
    """W128: a guard that forbids or asks compares a single word that nothing sets: the word is a constant.

    `NEVER pay WHEN blocked == yes` compares the two words, which are not the same: the rule never applies. A
    near word is a fix only where the rule can then apply to more, and never to less.
    """
    known = index.words
    for part, rule, guard in protecting_rules(index):
        parameters = parameters_seen(index, rule)
        false = {id(node) for node, is_so in turned(guard) if is_so and node.operator.text in ("==", "IN")}
        for node in comparisons(part, guard):
            left = node.left
            if not isinstance(left, Path) or len(left.segments) > 1:
                continue
            if left.text in known or left.text in parameters or _is_asked(node, known, parameters):
                continue
            span = part.at(left)
            near = nearest(left.text, known | parameters)
            otherwise = said(
                message_id("use the path of a fact (a.{word}): unknown, it protects"), word=left.text
            )
            if left.text in index.payload_keys:
                otherwise = said(message_id("write payload.{name}"), name=left.text)
            yield Found(
                span,
                said(message_id("nothing sets {word}, so this compares the word itself"), word=left.text),
                did_you_mean(near, otherwise),
                fixes=renaming(span, left.text, near)
                if id(node) in false and _never_equals(left.text, node.right, known | parameters)
                else (),
            )


def _never_equals(word: str, right: Expression, known: AbstractSet[str]) -> bool:
    """Tell whether a constant word is surely no value of the right side, so that comparing them is false."""
    match right:
        case ListExpression():
            return all(_never_equals(word, item, known) for item in right.items)
        case Path():
            return len(right.segments) == 1 and right.text not in known and right.text != word
        case StringLiteral():
            return right.value != word
        case _:
            return isinstance(right, NumberLiteral)


def _is_asked(node: Binary, *known: AbstractSet[str]) -> bool:
    """Tell whether the right side is what is asked, as in `HIGH <= action.risk`, `LLM IN ORIGIN(amount)`."""
    right = node.right
    if isinstance(right, FunctionCall):
        return node.operator.text == "IN"
    return isinstance(right, Path) and (
        len(right.segments) > 1 or any(right.text in names for names in known)
    )


_Read = tuple[Part, Observation, Part, Rule, Expression]


def _in_guards(index: Index) -> dict[str, list[tuple[Part, Rule, Expression]]]:
    """Return the observed paths that guards which forbid or ask read, each with the rules and guards."""
    found: dict[str, list[tuple[Part, Rule, Expression]]] = {}
    observed = index.observed
    for home, rule, guard in protecting_rules(index):
        for text in dict.fromkeys(home.reads(guard)):
            names = [name for name in prefixes(text) if name in observed]
            if names and text not in parameters_seen(index, rule):
                for name in names:
                    found.setdefault(name, []).append((home, rule, guard))
    return found


def _observed_in_guards(index: Index, asked: Callable[[Observation], bool]) -> Iterator[_Read]:
    """Yield of each observed path that is `asked` about the rules that read it in a guard."""
    for part, observation in index.own(Observation):
        name = observation.path.text
        if asked(observation) and index.observed[name][1] is observation:
            for read in index.ask(_in_guards).get(name, ()):
                yield part, observation, *read


def _once(reads: Iterable[_Read]) -> Iterable[_Read]:
    """Return of each observed path what the first rule says."""
    first: dict[int, _Read] = {}
    for read in reads:
        first.setdefault(id(read[1]), read)
    return first.values()


@warning("W131", Observation)
def guard_on_a_mute_sensor(index: Index) -> Iterator[Found]:
    """W131: a guard that forbids or asks reads an observed path without ON UNKNOWN.

    While the sensor is mute the guard is unknown and protects, silently, for as long as nobody is told.
    """
    mute = _observed_in_guards(index, lambda observation: observation.on_unknown is None)
    for part, observation, home, rule, _ in _once(mute):
        name = observation.path.text
        end = part.at(observation).end
        title = said(message_id("Tell a person when {path} is mute"), path=name)
        yield Found(
            part.at(observation.path),
            said(message_id("while {path} is mute, a rule of POLICY is undecided"), path=name),
            said(message_id("say what is to happen then: ON UNKNOWN ESCALATE")),
            (see(home, rule, said(message_id("this rule then applies, and nobody is told"))),),
            (Fix(title, ((Span(end, end), " ON UNKNOWN ESCALATE"),)),),
        )


@warning("W132", Observation)
def guard_on_a_fallback(index: Index) -> Iterator[Found]:
    """W132: a guard that forbids or asks reads an observed path with DEGRADE: a made-up value decides.

    Silent where the value protects as much as the unknown would: it makes what the guard says of it true, or
    leaves it unknown, as a word does that stands in no order with a number.
    """
    opened = (
        (part, observation, home, rule, guard)
        for part, observation, home, rule, guard in _observed_in_guards(index, _falls_back)
        if not _protects(home, guard, observation)
    )
    for part, observation, home, rule, _ in _once(opened):
        unknown = observation.on_unknown or observation
        yield Found(
            part.at(unknown),
            said(
                message_id("while {path} is mute, this value decides about a rule of POLICY"),
                path=observation.path.text,
            ),
            said(message_id("write ON UNKNOWN ESCALATE: what is unknown protects")),
            (see(home, rule, said(message_id("the rule"))),),
            (Fix(said(message_id("Escalate instead")), ((part.at(unknown), "ON UNKNOWN ESCALATE"),)),),
        )


def _falls_back(observation: Observation) -> bool:
    return observation.on_unknown is not None and observation.on_unknown.action == "DEGRADE"


def _protects(home: Part, guard: Expression, observation: Observation) -> bool:
    """Tell whether everything that a guard asks of an observed path holds with the value it falls back to."""
    value = observation.on_unknown.fallback if observation.on_unknown else None
    if value is None:
        return False
    name = observation.path.text
    match guard:
        case Binary() if guard.operator.text in ("AND", "OR"):
            return _protects(home, guard.left, observation) and _protects(home, guard.right, observation)
        case _:
            asked = any(name in prefixes(text) for text in home.reads(guard))
            known = {name: value}
            return not asked or truth(guard, known) is True or unordered(guard, known)


@warning("W154", Policy)
def guard_before_a_rule(index: Index) -> Iterator[Found]:
    """W154: a guard begins a line on which another rule follows, and is that of the rule above.

    Silent on a guard that has its line to itself.
    """
    for part, policy in index.own(Policy):
        text, begin = index.text_of(part, policy.span), policy.span.start
        for rule, following in pairwise(policy.rules):
            guard = rule.guard if isinstance(rule, Rule) else None
            if guard is None or text.find("\n", guard.span.end - begin, following.span.start - begin) >= 0:
                continue
            if _ENDS_A_LINE(text[rule.span.start - begin : guard.span.start - begin]):
                word = text[following.span.start - begin : following.span.end - begin].split(maxsplit=1)[0]
                yield Found(
                    part.at(guard),
                    said(
                        message_id("this guard belongs to the rule above it, not to the {word} behind it"),
                        word=word,
                    ),
                    said(message_id("write a guard behind its rule, on the line where the rule ends")),
                )


RULES = (
    guard_before_a_rule,
    risky_without_rule,
    risky_without_approval,
    bare_word_that_nothing_sets,
    guard_on_a_mute_sensor,
    guard_on_a_fallback,
)
