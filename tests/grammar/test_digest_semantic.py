"""Every kind of node × every edit that it can have gives another digest.

EDITS lists them by hand: a new kind of node, or a new edit of one, fails here until somebody looked at it.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, NamedTuple

import pytest
from edits import ROOT

from agentl_grammar import tree as t
from agentl_grammar.digest import declarations, program_digest, unordered_digest
from agentl_grammar.parser import parse
from agentl_grammar.tree.shift import Moved

# rename: another word; literal: another value, or another expression; insert, delete: one more, one less;
# swap: two change places. What is below a node is edited where it is listed itself.
EDITS = {
    "Agent": "rename insert delete swap",
    "Argument": "rename literal insert delete",
    "Ask": "rename literal insert delete",
    "Assign": "rename literal",
    "Belief": "insert delete swap",
    "BeliefEntry": "rename literal insert delete",
    "Binary": "rename literal swap",
    "Block": "insert delete swap",
    "CallStatement": "rename insert delete swap",
    "ChoiceOption": "rename literal",
    "DatetimeLiteral": "literal",
    "Decide": "insert delete swap",
    "Delegate": "rename literal insert delete",
    "Description": "literal",
    "Domain": "insert delete swap",
    "EffectEntry": "rename literal",
    "Escalate": "",
    "EventHandler": "rename literal insert delete",
    "Evidence": "rename literal insert delete swap",
    "Expect": "insert delete swap",
    "ExpectTrace": "rename insert delete",
    "Explains": "rename literal insert delete",
    "Field": "rename insert delete",
    "ForEach": "rename literal insert delete",
    "FunctionCall": "rename insert delete swap",
    "Given": "insert delete swap",
    "GivenEvent": "rename insert delete swap",
    "GivenMessage": "rename insert delete swap",
    "Goal": "rename literal insert delete swap",
    "Guard": "literal",
    "Hypothesis": "rename literal insert delete swap",
    "If": "rename literal insert delete",
    "InputField": "rename insert delete",
    "Judge": "literal insert delete swap",
    "ListExpression": "insert delete swap",
    "Loop": "literal insert delete",
    "MainLoop": "rename literal delete",
    "Memory": "insert delete swap",
    "MemoryWrite": "rename literal insert delete",
    "Message": "rename literal insert delete swap",
    "MessageHandler": "rename literal insert delete",
    "Name": "rename",
    "NameList": "insert delete swap",
    "NumberLiteral": "rename literal",
    "Observation": "rename literal insert delete",
    "Observe": "insert delete swap",
    "OnUnknown": "rename literal insert delete",
    "Path": "insert delete swap",
    "PayloadEntry": "rename literal",
    "Phase": "rename",
    "Plan": "rename literal insert delete swap",
    "Planner": "literal insert delete swap",
    "Policy": "insert delete swap",
    "PolicyDefault": "rename",
    "PriorFrom": "rename literal delete",
    "ProduceField": "rename literal insert delete",
    "Program": "insert delete swap",
    "Question": "rename literal insert delete swap",
    "Reason": "literal insert delete swap",
    "Redaction": "insert delete swap",
    "Retry": "literal insert delete",
    "RiskEntry": "rename insert delete",
    "Rollback": "",
    "Rule": "rename literal insert delete",
    "Scenario": "rename literal insert delete swap",
    "SharedPath": "insert delete swap",
    "Step": "rename literal",
    "StringLiteral": "literal",
    "Then": "literal",
    "Tool": "rename literal insert delete swap",
    "ToolList": "insert delete swap",
    "ToolOutcome": "rename literal insert delete swap",
    "Trigger": "rename",
    "Unary": "rename literal",
    "Utility": "insert delete swap",
    "UtilityEntry": "rename literal",
    "Verify": "rename literal insert delete",
    "VerifyFailHandler": "literal",
    "Version": "rename",
}
SAMPLES = ("samples/payments.agent", "samples/greenhouse.agent", "rare.agent")
MORE = """
AGENT more {
  VERSION 1
  DESCRIPTION "one"
  BELIEF { a = 1 UPDATED 2026-02-02 SOURCE s CONFIDENCE 0.5
           b = 2 UPDATED 2027-03-03 SOURCE r CONFIDENCE 0.6 }
  OBSERVE { a ON UNKNOWN ESCALATE  b WHEN x ON UNKNOWN DEGRADE 1  c WHEN y ON UNKNOWN DEGRADE 2 }
  PLAN all { RETRY a.b = 2 VERIFY x == 2027-12-31 DELEGATE d { TASK "other" } FOREACH x IN y { }
             REASON { } ROLLBACK }
  PLAN two { f(a.b(1, 2)) VERIFY "l" { x ON FAIL { ESCALATE } } JUDGE "t" { USING { z } q NOUL "?" }
             LOOP { } SET u -x }
  POLICY { DEFAULT ALLOW  NEVER SEND a, b  REQUIRE APPROVAL FOR * }
  TOOL t { OUTPUT { p: Int  q }  OUTCOME o WITH 0.1 { a = 1  b = 2 INTERNAL } }
  TOOL { a(x: Int, y) b }
  EVENT e { THEN { a } }
  ON MESSAGE m { WHEN x  b }
  ON VERIFY.FAIL { ESCALATE }
  DECIDE { REASON "why" { } }
  HYPOTHESIS h { PRIOR 0.2 PRIOR FROM SHARED.x WHERE y  THRESHOLD 0.8
                 EVIDENCE { GROUP g { GROUP i { x } } } EXPLAINS z = 1 }
  PLANNER { ACHIEVE x ACHIEVE y MAX_DEPTH 3 MAX_NODES 9 APPROVAL_COST 1
            TARGET_CONFIDENCE 0.5 DEADLINE 9s TIME_WEIGHT 2 }
  UTILITY { x VALUE 1, y VALUE 2 }
  MEMORY { SHORT_TERM { a, b } KNOWLEDGE { c, d } SHARED { e, f }
           WRITE { WHEN z STORE y INTO x } WRITE { STORE q } }
  SCENARIO s {
    GIVEN EVENT other.one { a = 1  b = 2 }
    GIVEN MESSAGE another FROM somebody { a = 1  b = 2 }
    EXPECT { x, y }
  }
}
"""
SILENT = (t.Version, t.Description)
IN_SCENARIOS = {"Scenario", "Given", "GivenEvent", "GivenMessage", "Expect", "ExpectTrace"}
_UNTOLD = {"span", "description"}


class Edit(NamedTuple):
    """A node after an edit; the kind of node that was edited may be one below it."""

    kind: str
    edit: str
    slot: str
    node: Any
    place: str = ""


def whole() -> t.Program:
    texts = [(ROOT / "tests" / "grammar" / name).read_text(encoding="utf-8") for name in SAMPLES]
    program = parse("\n".join([*texts, MORE])).program
    assert program is not None
    return program


PROGRAM = whole()
SEEN: dict[tuple[str, str], list[Any]] = {}
for _node in t.walk(PROGRAM):
    for _slot in fields(_node):
        _value = getattr(_node, _slot.name)
        _values = list(_value) if isinstance(_value, tuple | Moved) else [_value]
        SEEN.setdefault((type(_node).__name__, _slot.name), []).extend(v for v in _values if v is not None)


def others(node: Any, slot: str, value: Any) -> Iterator[Any]:
    """Yield values that stand in this field elsewhere."""
    return (each for each in SEEN.get((type(node).__name__, slot), ()) if each != value)


def edits(node: Any) -> Iterator[Edit]:
    """Yield a node after each edit of itself."""
    kind = type(node).__name__
    for slot in fields(node):
        name, value = slot.name, getattr(node, slot.name)
        if name in _UNTOLD or (isinstance(node, t.NumberLiteral) and name == "text"):
            continue
        for edit, new in _values_after(node, name, value, optional="None" in str(slot.type)):
            yield Edit(kind, edit, name, replace(node, **{name: new}))
    if isinstance(node, t.Binary) and node.left != node.right:
        yield Edit(kind, "swap", "left", replace(node, left=node.right, right=node.left))


def _values_after(node: Any, name: str, value: Any, *, optional: bool) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple | Moved):
        items = tuple(value)
        at = sum(isinstance(item, SILENT) for item in items[:2])
        extra = items[at] if items else next(others(node, name, None), None)
        if extra is not None:
            yield "insert", (*items, extra)
        if items:
            yield "delete", (*items[:at], *items[at + 1 :])
        if len(items) > at + 1 and items[at] != items[at + 1]:
            yield "swap", (*items[:at], items[at + 1], items[at], *items[at + 2 :])
        return
    if isinstance(value, bool | int | float):
        yield "literal", not value if isinstance(value, bool) else value + 1
    elif value is None:
        for other in list(others(node, name, None))[:1]:
            yield "insert", other
    else:
        word = isinstance(value, str | t.Name | t.Path)
        literal = isinstance(node, t.StringLiteral | t.DatetimeLiteral)
        for other in list(others(node, name, value))[:1]:
            yield "rename" if word and not literal else "literal", other
        if optional:
            yield "delete", None


def programs(node: Any, place: str = "") -> Iterator[Edit]:
    """Yield `node` after each edit of it or of something in it; `place` tells what it lies in."""
    place = "scenario" if isinstance(node, t.Scenario) else "silent" if isinstance(node, SILENT) else place
    yield from (each._replace(place=place) for each in edits(node))
    for slot in fields(node):
        value = getattr(node, slot.name)
        if isinstance(value, t.Node):
            for each in programs(value, "silent" if slot.name in _UNTOLD else place):
                yield each._replace(node=replace(node, **{slot.name: each.node}))
        elif isinstance(value, tuple | Moved):
            items = tuple(value)
            for at, item in enumerate(items):
                if isinstance(item, t.Node):
                    for each in programs(item, place):
                        new = (*items[:at], each.node, *items[at + 1 :])
                        yield each._replace(node=replace(node, **{slot.name: new}))


def chosen() -> dict[tuple[str, str, str, str], list[t.Program]]:
    """Return at most two programs after each edit of each field of each kind."""
    found: dict[tuple[str, str, str, str], list[t.Program]] = {}
    for each in programs(PROGRAM):
        key = (each.kind, each.edit, each.slot, each.place)
        if len(found.setdefault(key, [])) < 2:
            found[key].append(each.node)
    return found


def kinds() -> set[str]:
    named = {name: getattr(t, name) for name in t.__all__}
    nodes = {name for name, kind in named.items() if isinstance(kind, type) and issubclass(kind, t.Node)}
    return nodes - {"Node"}


def every_digest(program: t.Program) -> tuple[str, list[str]]:
    """Return the digest of a program, and those of all declarations, SCENARIO included."""
    return program_digest(program), [
        declaration.digest for agent in program.agents for declaration in declarations(agent).values()
    ]


CHOSEN = chosen()
BEFORE = every_digest(PROGRAM)


def test_every_kind_of_node_of_the_tree_is_listed():
    assert set(EDITS) == kinds()


def test_every_kind_has_the_edits_that_are_listed_and_only_a_bare_word_has_none():
    found: dict[str, set[str]] = {kind: set() for kind in kinds()}
    for kind, edit, _, _ in CHOSEN:
        found[kind].add(edit)
    assert {kind: set(listed.split()) for kind, listed in EDITS.items()} == found
    assert {kind for kind, listed in EDITS.items() if not listed} == {"Rollback", "Escalate"}


@pytest.mark.parametrize("kind", sorted(EDITS))
def test_every_edit_of_a_kind_gives_another_digest(kind: str):
    for key, edited in CHOSEN.items():
        if key[0] != kind or key[3]:
            continue
        for program in edited:
            assert program_digest(program) != BEFORE[0], key


def test_version_and_description_are_silent():
    seen: set[str] = set()
    for (kind, edit, slot, place), edited in CHOSEN.items():
        for program in edited if place == "silent" else ():
            assert every_digest(program) == BEFORE, (kind, edit, slot)
            seen.add(kind)
    assert seen == {"Version", "Description", "StringLiteral"}


def test_an_edit_in_a_scenario_changes_the_digest_of_the_scenario_alone():
    seen: set[str] = set()
    for key, edited in CHOSEN.items():
        for program in edited if key[3] == "scenario" and key[:2] != ("Scenario", "rename") else ():
            whole, parts = every_digest(program)
            assert whole == BEFORE[0], key
            assert sum(one != other for one, other in zip(parts, BEFORE[1], strict=True)) == 1, key
            seen.add(key[0])
    assert seen >= IN_SCENARIOS


def test_another_order_is_told_from_another_content():
    before = unordered_digest(PROGRAM.agents)
    for (kind, edit, slot, place), edited in CHOSEN.items():
        for program in edited[:1] if kind != "Binary" and not place else ():
            assert (unordered_digest(program.agents) == before) == (edit == "swap"), (kind, edit, slot)
