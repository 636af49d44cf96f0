"""What a program knows: paths that nobody reads, refreshes or defines, and conditions that mislead (§3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentl_grammar.checks.conditions import CONDITION_FIELDS, conditions_in, constant_words
from agentl_grammar.checks.guards import COMPARING, of_nothing
from agentl_grammar.checks.index import Index, see
from agentl_grammar.checks.misread import is_misspelt_likelihood
from agentl_grammar.checks.naming import prefixes, related_paths
from agentl_grammar.checks.near_paths import misspelt_by_meant, misspelt_paths
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, did_you_mean, hint, nearest, renaming, said, warning
from agentl_grammar.problems import Fix, Message, Related, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import (
    Assign,
    BeliefEntry,
    Binary,
    Decide,
    EventHandler,
    Expression,
    MessageHandler,
    Observation,
    Observe,
    Path,
    Plan,
    Question,
    Unary,
)

_FACTS = frozenset(
    [
        "goal",
        "goals",
        "sensors",
        "tools",
        "last_action",
        "planner",
        "hypotheses",
        "hypothesis",
        "reason",
        "judge",
        "run",
        "budget",
        "shared",
        "payload",
        "event",
        "message",
        "action",
        "operator",
        "result",
        "answer",
    ]
)
_BOOLEAN_FACTS = (
    "satisfied",
    "available",
    "in_doubt",
    "blocked",
    "degraded",
    "exhausted",
    "resumed",
    "supported",
    "capped",
    "dirty",
)


@warning("W103", Observation, unnecessary=True)
def observed_for_nothing(index: Index) -> Iterator[Found]:
    """W103: an observed path that nothing reads.

    Reading something below it counts, as does a list above it, or a fact of its sensor
    (`sensors.P.available`); covering an EFFECT that is not INTERNAL counts (the sensor audits it), and so
    does a REASON without USING, which is shown every belief.
    """
    if index.model_sees_all:
        return
    audited = [
        text for text, uses in index.effects.items() if not all(entry.internal for _, _, entry in uses)
    ]
    for part, node in index.own(Observation):
        text = node.path.text
        if index.observed[text][1] is not node:
            continue
        asked = index.is_read(text) or index.is_read(f"sensors.{text}")
        if not asked and not any(related_paths(text, effect) for effect in audited):
            misspelt = index.ask(misspelt_by_meant)
            hint = said(message_id("leave it out, or read it where it matters"))
            if text in misspelt:
                hint = said(message_id("did you mean it where {path} stands?"), path=misspelt[text])
            yield Found(
                part.at(node.path),
                said(message_id("nothing reads {path}"), path=text),
                hint,
                fixes=() if text in misspelt else _without(index, part, node),
            )


def _without(index: Index, part: Part, node: Observation) -> tuple[Fix, ...]:
    """Return the fix that leaves an entry out, with its comma.

    There is none where it is the only one, where its silence calls a person, or where a scenario needs it.
    """
    entries = next((block.entries for block in part.all(Observe)), ())
    if len(entries) < 2:  # noqa: PLR2004 (an empty OBSERVE would be left)
        return ()
    calls = node.on_unknown is not None and node.on_unknown.action == "ESCALATE"
    if calls or any(related_paths(node.path.text, path) for path in index.ask(_in_scenarios)):
        return ()
    cut = _with_comma(index.source.text, part.at(node))
    return (Fix(said(message_id("Leave {path} out"), path=node.path.text), ((cut, ""),)),)


def _in_scenarios(index: Index) -> frozenset[str]:
    """Return the paths that scenarios give or expect."""
    facts = [part.facts for part, _ in index.scenarios]
    read = (text for each in facts for text in each.texts)
    return frozenset(read).union(path.text for each in facts for path in each.named)


def _with_comma(text: str, span: Span) -> Span:
    """Return what goes with an entry: the comma behind it, else the one before, and its line or blanks."""
    behind = re.compile(r"[ \t]*,").match(text, span.end)
    end = behind.end() if behind else span.end
    before = text[: span.start]
    start = len(before.rstrip(" \t"))
    if re.compile(r"[ \t]*(?=[\r\n])").match(text, end) and before[:start].endswith("\n"):
        start = len(before[:start].removesuffix("\n").removesuffix("\r"))
    if not behind and before[:start].endswith(","):
        start -= 1
    return Span(start, end)


@warning("W104", BeliefEntry)
def belief_that_grows_old(index: Index) -> Iterator[Found]:
    """W104: a belief that is read, and that nothing can ever refresh.

    Refreshed means observed, set, predicted by an EFFECT, explained by a hypothesis, or answered by a model,
    tool or sub-agent. A belief that names its SOURCE is taken for a constant of the author.
    """
    for part, node in index.own(BeliefEntry):
        text = node.path.text
        if (
            node.source is None
            and index.beliefs[text][1] is node
            and index.is_read(text)
            and not index.is_refreshed(text)
        ):
            yield Found(
                part.at(node.path),
                said(message_id("{path} is read, and nothing ever refreshes it"), path=text),
                said(message_id("observe or set it; of a constant, say where it is from: SOURCE …")),
            )


def _sides(node: Binary) -> Iterator[tuple[Path, Expression]]:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, Path) and len(one.segments) > 1:
            yield one, other


def _true_of_nothing(guard: Expression, *, negated: bool = False) -> Iterator[tuple[Binary, bool]]:
    """Yield the comparisons of a guard that an undefined path makes it true by, and whether NOT does it.

    Those are `!=`, and under NOT all others: of nothing they are false.
    """
    if isinstance(guard, Unary) and guard.operator.text == "NOT":
        yield from _true_of_nothing(guard.operand, negated=not negated)
    elif isinstance(guard, Binary):
        operator = guard.operator.text
        if operator in ("AND", "OR"):
            yield from _true_of_nothing(guard.left, negated=negated)
            yield from _true_of_nothing(guard.right, negated=negated)
        elif operator in COMPARING and (operator == "!=") != negated:
            yield guard, negated


def _starting_guards(index: Index) -> Iterator[tuple[Part, Expression]]:
    for kind in (Plan, EventHandler, MessageHandler):
        for part, node in index.own(kind):
            if node.when is not None:
                yield part, node.when
    for part, decide in index.own(Decide):
        for rule in decide.rules:
            yield part, rule.condition


@warning("W135", Plan, EventHandler, MessageHandler, Decide)
def true_before_anything_happened(index: Index) -> Iterator[Found]:
    """W135: a guard that starts something compares a dotted path by `!=`, and nothing has surely defined it.

    `!=` with an undefined path is true, and so is NOT with any other comparison. That is wanted in "not yet"
    guards, `sent.flag != yes` beside `SET sent.flag = yes`: a value that the program sets itself is left
    alone. Observed and believed paths and the facts of the runtime are defined; and where another part of the
    guard is false as long as the path is undefined, the guard is too.
    """
    for part, node, negated, path in _undefined_starts(index):
        text = path.text
        near = (
            None if index.is_defined(text) else nearest(text, {*index.observed, *index.beliefs, *index.sets})
        )
        yield Found(
            part.at(node),
            _undefined_at_first(index, text, negated=negated),
            did_you_mean(
                near, said(message_id("start it as a belief, or ask for the value you want with =="))
            ),
            fixes=renaming(part.at(path), text, near),
        )


def _undefined_starts(index: Index) -> Iterator[tuple[Part, Binary, bool, Path]]:
    """Yield the comparisons that start something while their path is undefined, and whether NOT does it."""
    for part, guard in _starting_guards(index):
        for node, negated in _true_of_nothing(guard):
            for path, other in _sides(node):
                guaranteed = _is_guaranteed(index, path.text) or _is_set_to(index, path.text, other)
                if not guaranteed and of_nothing(guard, path.text) is not False:
                    yield part, node, negated, path


@warning("W161", Path)
def misspelt_path(index: Index) -> Iterator[Found]:
    """W161: a path that is read, that nothing gives a value, and that is one slip away from one with a value.

    Silent where W135 tells it.
    """
    meant = index.ask(misspelt_paths)
    dotted = ((part, path) for part, path in index.own(Path) if len(path.segments) > 1)
    found = [(part, path) for part, path in dotted if path.text in meant]
    told = {id(path) for _, _, _, path in _undefined_starts(index)} if found else ()
    for part, path in found:
        if id(path) not in told:
            span, near = part.at(path), meant[path.text]
            yield Found(
                span,
                said(message_id("nothing gives {path} a value"), path=path.text),
                did_you_mean(near, said(message_id("observe it, or leave it out"))),
                fixes=renaming(span, path.text, near, opens=True),
            )


def _undefined_at_first(index: Index, path: str, *, negated: bool) -> Message:
    if negated:
        return said(message_id("NOT makes this true as long as nothing has defined {path}"), path=path)
    if index.is_defined(path):
        return said(message_id("{path} != … is true as long as nothing has defined {path}"), path=path)
    return said(message_id("nothing in the program defines {path}, so {path} != … is always true"), path=path)


def _is_guaranteed(index: Index, path: str) -> bool:
    first = path.split(".", maxsplit=1)[0]
    known = (index.beliefs, index.hypotheses, index.loop_variables, index.buckets)
    observed = any(
        above in index.observed and index.observed[above][1].when is None for above in prefixes(path)
    )
    return (
        first in _FACTS - {"result", "reason", "judge", "answer"}
        or observed
        or any(above in names for names in known for above in prefixes(path))
        or path.endswith(".dirty")
    )


def _is_set_to(index: Index, path: str, value: Expression) -> bool:
    return any(node.value == value for _, node in index.sets.get(path, ()))


@hint("W137", *CONDITION_FIELDS)
def bare_condition(index: Index) -> Iterator[Found]:
    """W137: a bare symbol or path as a condition: nearly any value counts as true, even the symbol `no`.

    Silent on what is a boolean for certain: the facts of the runtime, fields of type Bool, NOUL questions,
    and single words and paths that the program sets to true or false only. There is no fix: what it is to be
    compared with is known to the author only, and a guess could open a guard.
    """
    for part, _, condition in conditions_in(index):
        for path in _bare(condition):
            if path.text in ("true", "false") or is_misspelt_likelihood(path.text):
                continue
            if "." not in path.text and id(path) in constant_words(index, part, condition):
                continue
            if not _is_boolean(index, path.text):
                yield Found(
                    part.at(path),
                    said(message_id("{path} alone counts as true whatever it is, even `no`"), path=path.text),
                    said(message_id("compare it: {path} == yes"), path=path.text),
                )


def _bare(condition: Expression) -> Iterator[Path]:
    if isinstance(condition, Path):
        yield condition
    elif isinstance(condition, Unary) and condition.operator.text == "NOT":
        yield from _bare(condition.operand)
    elif isinstance(condition, Binary) and condition.operator.text in ("AND", "OR"):
        yield from _bare(condition.left)
        yield from _bare(condition.right)


def _is_boolean(index: Index, path: str) -> bool:
    first, last = path.split(".", maxsplit=1)[0], path.rsplit(".", maxsplit=1)[-1]
    if (
        path == "still_failed"
        or path in index.switches
        or (last in _BOOLEAN_FACTS and (first in _FACTS or first in index.hypotheses or last == "dirty"))
    ):
        return True
    use = index.oracle_field(path)
    if use is not None:
        field = use.field
        return (
            field.kind == "NOUL"
            if isinstance(field, Question)
            else _is_bool(field.type.text if field.type else "")
        )
    return path.removeprefix("action.args.") in index.boolean_parameters or path in index.boolean_outputs


def _is_bool(type_name: str) -> bool:
    return type_name.lower() in ("bool", "boolean")


@warning("W138", Assign)
def set_that_hides(index: Index) -> Iterator[Found]:
    """W138: SET of an observed path, one an EFFECT predicts, or a part of it: it hides what comes later.

    A declared belief is set itself, so there nothing is hidden.
    """
    for part, node in index.own(Assign):
        text = node.target.text
        told = None if text in index.beliefs else _hidden_by(index, text)
        if told is not None:
            yield Found(
                part.at(node),
                said(message_id("SET {path} hides what is later observed or predicted there"), path=text),
                said(message_id("set another name, or declare {path} in BELIEF"), path=text),
                (told,),
            )


def _hidden_by(index: Index, path: str) -> Related | None:
    """Return where the path that is set, or one above it, gets its value from the world."""
    for above in prefixes(path):
        if above in index.observed:
            return see(*index.observed[above], said(message_id("observed here")))
        if above in index.effects:
            home, _, entry = index.effects[above][0]
            return see(home, entry, said(message_id("predicted here")))
    return None


RULES = (
    observed_for_nothing,
    belief_that_grows_old,
    true_before_anything_happened,
    misspelt_path,
    bare_condition,
    set_that_hides,
)
