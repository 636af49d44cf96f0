"""Words and numbers that are read as items of their own where a list takes any name (§2.3, §2.4).

Fields, paths, tools and conditions stand side by side without commas, so that a misspelt or foreign option of
one is the name of the next. It is told where the two stand on one line with nothing between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.kinds import TYPES
from agentl_grammar.checks.naming import effects_of
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, renaming, said, warning
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.near import is_slip
from agentl_grammar.tree import (
    Belief,
    BeliefEntry,
    Delegate,
    EffectEntry,
    Expect,
    Expression,
    Field,
    Goal,
    Hypothesis,
    InputField,
    Memory,
    NameList,
    Node,
    NumberLiteral,
    Observe,
    Path,
    ProduceField,
    Reason,
    Scenario,
    Tool,
    ToolList,
)

_RANGE = frozenset(("BETWEEN", "RANGE", "MIN", "MAX", "MINIMUM", "MAXIMUM", "FROM", "TO", "AND"))
_MARKS = "OPTIONAL REQUIRED NULLABLE NULL NOT MANDATORY UNIQUE READONLY CONST DEFAULTS AS OF IS ALIAS"
_FOREIGN = _RANGE.union(_MARKS.split())
_OF_TOOL = ("INPUT", "OUTPUT", "SIDE_EFFECT", "RISK", "REQUIRES", "EFFECT", "OUTCOME", "COST", "DURATION")
_STRANGE_TOOLS = frozenset((*_OF_TOOL, *TYPES, "LOW", "MEDIUM", "HIGH", "CRITICAL"))
_BUCKETS = ("SHORT_TERM", "LONG_TERM", "KNOWLEDGE", "SHARED", "WRITE")
_OF_EVIDENCE = ("LIKELIHOOD", "GIVEN_NOT")
_BEHIND_BRACES = ("WITHIN", "WEIGHT")
# What stands behind EXPECT itself, and not in its braces.
_EXPECTED = frozenset(("CALL", "BLOCKED", "NO"))
_SHORTEST = 2

_FIELD = message_id("{word} is read as a field of its own")
_PATH = message_id("{word} is read as a path of its own")
_TOOL = message_id("{word} is read as a tool of its own")
_CONDITION = message_id("{word} is read as a condition of its own")
_MEANT = message_id("did you mean {name}?")
_BEHIND = message_id("write {name} behind the braces")
_TYPE = message_id("write `:` between the name of a field and its type, a comma between two fields")
_BOUNDS = message_id("write the least and the greatest value in brackets: {name}: Number IN [0, 1]")
_NO_MARK = message_id("remove it: a field has a name and a type; a comma stands before what is a field")
_NO_WORD = message_id("remove it, or write a comma before it if it is one more")
_WHOLE_TOOL = message_id("write TOOL {name} {{ … }} for a tool that has more than parameters")
_LIKELIHOOD = message_id("write LIKELIHOOD before a number; alone it is evidence that always holds")
_EXPECT = message_id("write it behind EXPECT itself, without braces: EXPECT {what}")
_ALWAYS = message_id("remove it, or compare it: a number alone always holds")


class _Item(NamedTuple):
    """An item of a row: the word that it begins with, and its value if it may have one without `=`.

    One that is `alone` is nothing more.
    """

    node: Node
    word: Node
    text: str
    alone: bool = True
    value: Node | None = None


class _Row(NamedTuple):
    """Items side by side, the options that may stand behind one, and words that are no name of one."""

    items: Sequence[_Item]
    read_as: str
    options: tuple[str, ...] = ()
    strange: frozenset[str] = _FOREIGN


@warning(
    "W151", Tool, ToolList, Reason, NameList, Delegate, Memory, Observe, Belief, Goal, Hypothesis, Scenario
)
def word_read_as_an_item(index: Index) -> Iterator[Found]:
    """W151: an option misspelt, or of another language, is read as one more field, path, tool or condition.

    Silent where a comma or a line end stands before the word: it is meant as an item there.
    """
    for part, row in chain(_fields(index), _paths(index), _valued(index), _conditions(index)):
        yield from _of_row(index, part, row)


def _fields(index: Index) -> Iterator[tuple[Part, _Row]]:
    for part, tool in index.own(Tool):
        inputs = [_Item(each, each.name, each.name.text, _is_bare(each)) for each in tool.inputs]
        outputs = [_Item(each, each.name, each.name.text, _is_bare(each)) for each in tool.outputs]
        yield part, _Row(inputs, _FIELD, ("BIND", "ATTESTS"))
        yield part, _Row(outputs, _FIELD)
    for part, reason in index.own(Reason):
        fields = [_Item(each, each.name, each.name.text, _is_bare(each)) for each in reason.produce]
        yield part, _Row(fields, _FIELD, ("IN", "DEFAULT"))
    for part, tools in index.own(ToolList):
        items = [_Item(each, each.name, each.name.text, not each.inputs) for each in tools.tools]
        yield part, _Row(items, _TOOL, _OF_TOOL, _STRANGE_TOOLS)


def _is_bare(field: InputField | Field | ProduceField) -> bool:
    """Tell whether a field is a name and nothing more."""
    if field.type is not None:
        return False
    if isinstance(field, InputField):
        return field.bind is None and field.attests is None
    return not isinstance(field, ProduceField) or field.domain is None


def _paths(index: Index) -> Iterator[tuple[Part, _Row]]:
    for part, names in index.own(NameList):
        yield part, _row_of(names.paths)
    for part, tool in index.own(Tool):
        yield part, _row_of(tool.side_effects)
    for part, delegate in index.own(Delegate):
        yield part, _row_of(delegate.expects.paths if delegate.expects else ())
    for part, memory in index.own(Memory):
        kept = (*memory.short_term, *memory.long_term, *memory.knowledge, *memory.shared)
        yield part, _row_of(sorted(kept, key=lambda path: path.span.start), _BUCKETS)
    for part, observe in index.own(Observe):
        items = [
            _Item(each, each.path, each.path.text, each.when is None and each.on_unknown is None)
            for each in observe.entries
        ]
        yield part, _Row(items, _PATH, ("WHEN", "ON", "UNKNOWN", "DEGRADE", "ESCALATE"))


def _row_of(paths: Iterable[Path], options: tuple[str, ...] = ()) -> _Row:
    return _Row([_Item(path, path, path.text) for path in paths], _PATH, options)


def _valued(index: Index) -> Iterator[tuple[Part, _Row]]:
    for part, belief in index.own(Belief):
        yield part, _row_of_values(belief.entries, ("CONFIDENCE", "SOURCE", "UPDATED"))
    for part, tool in index.own(Tool):
        yield part, _row_of_values(effects_of(tool), ("INTERNAL",))


def _row_of_values(entries: Iterable[BeliefEntry | EffectEntry], options: tuple[str, ...]) -> _Row:
    items = [_Item(each, each.path, each.path.text, value=each.value) for each in entries]
    return _Row(items, _PATH, options, frozenset())


def _conditions(index: Index) -> Iterator[tuple[Part, _Row]]:
    for part, node in index.own(Hypothesis):
        yield (
            part,
            _row_of_conditions([each.condition for each in node.evidence], _OF_EVIDENCE),
        )
    for part, goal in index.own(Goal):
        yield part, _row_of_conditions(goal.targets, ("WEIGHT",))
    for part, _ in index.own_scenarios():
        for expected in part.all(Expect):
            yield part, _row_of_conditions(expected.conditions, ("WITHIN",), _EXPECTED)


def _row_of_conditions(
    conditions: Iterable[Expression], options: tuple[str, ...], strange: frozenset[str] = frozenset()
) -> _Row:
    return _Row([_condition(each) for each in conditions], _CONDITION, options, strange)


def _condition(node: Expression) -> _Item:
    text = node.text if isinstance(node, Path | NumberLiteral) else ""
    return _Item(node, node, text, alone=bool(text))


def _of_row(index: Index, part: Part, row: _Row) -> Iterator[Found]:
    """Yield what is misread in a row; what stands alone behind it, on its line, belongs to it."""
    run: list[_Item] = []
    behind = before = None
    for item in row.items:
        strange = item.alone and _is_strange(row, item)
        beside = before is not None and (strange or run) and _is_beside(index, part, before, item)
        if run and beside and item.alone:
            run.append(item)
        elif run:
            yield _told(part, row, behind, run)
            run = []
        if not run and strange and (beside or _never_a_name(row, item)) and _is_written(index, part, item):
            run, behind = [item], before
        before = item
    if run:
        yield _told(part, row, behind, run)


def _is_strange(row: _Row, item: _Item) -> bool:
    text = item.text
    if text in row.strange or _never_a_name(row, item) or _option(row, text):
        return True
    return row.read_as == _FIELD and (text.isdigit() or text in WORDS)


def _never_a_name(row: _Row, item: _Item) -> bool:
    """Tell whether an item is none wherever it stands: a number as a condition, a type as a field."""
    condition = row.read_as == _CONDITION
    number = condition and (isinstance(item.node, NumberLiteral) or item.text in row.strange)
    return number or (row.read_as == _FIELD and item.text in TYPES)


def is_misspelt_likelihood(word: str) -> bool:
    """Tell whether a word in capitals is a slip for LIKELIHOOD or GIVEN_NOT."""
    return word.isupper() and any(is_slip(word, option) for option in _OF_EVIDENCE)


def _option(row: _Row, text: str) -> str | None:
    """Return the option that a word is but for its case, or in capitals for a slip."""
    if text.upper() in row.options:
        return text.upper()
    if not text.isupper() or len(text) < _SHORTEST:
        return None
    return next((option for option in row.options if is_slip(text, option)), None)


def _is_beside(index: Index, part: Part, before: _Item, item: _Item) -> bool:
    """Tell whether an item stands on the line of the one before, with nothing between the two."""
    between = index.text_of(part, Span(before.node.span.end, item.node.span.start))
    return between.isspace() and "\n" not in between


def _is_written(index: Index, part: Part, item: _Item) -> bool:
    """Tell whether a word stands without quotes, and its value without `=` or `:`."""
    if index.text_of(part, item.word.span).startswith('"'):
        return False
    if item.value is None:
        return True
    return index.text_of(part, Span(item.word.span.end, item.value.span.start)).isspace()


def _told(part: Part, row: _Row, before: _Item | None, run: list[_Item]) -> Found:
    first, span = run[0], part.at(run[0].node).to(part.at(run[-1].node))
    message, option = said(row.read_as, word=first.text), _option(row, first.text)
    if option and row.read_as != _TOOL and option not in _BEHIND_BRACES:
        fixes = renaming(part.at(first.word), first.text, option, opens=True)
        return Found(span, message, said(_MEANT, name=option), fixes=fixes)
    if option in _BEHIND_BRACES:
        return Found(span, message, said(_BEHIND, name=option))
    what = " ".join(item.text for item in run)
    return Found(span, message, said(_hint(row, first.text), name=before.text if before else "", what=what))


def _hint(row: _Row, word: str) -> str:
    if row.read_as == _FIELD:
        ranged = "IN" in row.options and (word in _RANGE or word.isdigit())
        return _TYPE if word in TYPES else _BOUNDS if ranged else _NO_MARK
    if word in _EXPECTED and row.strange is _EXPECTED:
        return _EXPECT
    if row.read_as == _CONDITION:
        return _LIKELIHOOD if row.options == _OF_EVIDENCE else _ALWAYS
    return _WHOLE_TOOL if row.read_as == _TOOL else _NO_WORD


RULES = (word_read_as_an_item,)
