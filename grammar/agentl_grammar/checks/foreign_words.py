"""Words and calls of other languages where a statement stands: they read as plans and tools not declared."""

from __future__ import annotations

import re

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.parts import Part
from agentl_grammar.checks.registry import Found, said
from agentl_grammar.lexicon import FUNCTIONS
from agentl_grammar.problems import Fix, Message, message_id
from agentl_grammar.source import Span
from agentl_grammar.tree import Node, Path, Trigger

_NO_PLAN = message_id("there is no plan {name}")
_ALONE = message_id("write {name} alone: its name is enough")
_SET = message_id("write SET {name} = …")
_WRITE = message_id("write `{text}`")
_CAPITALS = message_id("`{word}` is written in capitals: {wanted}")
_TIMES = message_id("remove `{word}`: the number says how often")
_FUNCTION = message_id("{name} is a function: it stands in a condition, or behind `=`")
_RAISE = message_id("write ESCALATE to hand over to a person, VERIFY <condition> for a plan that fails")
_LOG = message_id("remove it: the trace shows every step; what people are to read, a TOOL sends")
_SLEEP = message_id("nothing sleeps: write EVENT name {{ … }} for what is waited for")
_TELL = message_id("write MESSAGE <name> {{ TO <agent> PAYLOAD {{ … }} }}; a plan is started by its name")
_COUNT = message_id("write {name} = {name} + 1")
_BLOCK = message_id("put what belongs together in braces: {{ … }}")
_NO_PREFIX = message_id("a text has no `{word}` before it")
_NO_PREFIX_HINT = message_id("write the text alone: no value is put into it")
_INDEX = message_id("`[` behind a value does not belong to the language: nothing has an index")
_INDEX_HINT = message_id("go through a list with FOREACH item IN {name} {{ … }}")
_HINTS = {
    "RETURN": message_id("give the value a name with SET; other plans can read it"),
    "BREAK": message_id("write what ends the loop behind UNTIL: LOOP UNTIL <condition> {{ … }}"),
    "CONTINUE": message_id("put what is skipped at times behind IF <condition> THEN {{ … }}"),
    "PASS": message_id("remove it: a block may be empty, {{ }}"),
    "NOT": message_id("write IF NOT (<condition>) THEN {{ … }}"),
    "OTHERWISE": message_id("write ELSE"),
    "IF": message_id("write IF <condition> THEN {{ … }}"),
    **dict.fromkeys(
        ("REMEMBER", "SAVE"),
        message_id("write MEMORY {{ WRITE {{ WHEN <condition> STORE {{ path }} }} }} in AGENT"),
    ),
    **dict.fromkeys(
        ("READ", "FETCH"), message_id("write OBSERVE {name} in AGENT: it is read in every round")
    ),
    "DELETE": message_id("write SET {name} = none: nothing is removed"),
    **dict.fromkeys(("RAISE", "THROW", "STOP", "EXIT", "QUIT", "HALT", "ABORT"), _RAISE),
    **dict.fromkeys(("LOG", "PRINT", "ECHO"), _LOG),
    **dict.fromkeys(("WAIT", "SLEEP", "PAUSE"), _SLEEP),
    **dict.fromkeys(("EMIT", "PUBLISH", "FIRE"), _TELL),
    **dict.fromkeys(("INCREMENT", "INC"), _COUNT),
    **dict.fromkeys(("END", "ENDIF", "END_IF", "ENDFOR", "ENDLOOP", "FI", "DONE"), _BLOCK),
}
_HALVES = {"ROLL": "BACK"}
_SAME = {"NOOP": "PASS", "DEL": "DELETE", "UNSET": "DELETE", "REMOVE": "DELETE"}
_NO_NAMES = ("IF", "RETURN", "BREAK", "CONTINUE", "PASS", "RAISE", "THROW", "ENDIF", "END_IF")
_CALLS = {
    **dict.fromkeys(("PRINT", "LOG", "ECHO", "CONSOLE.LOG"), _LOG),
    **dict.fromkeys(("SLEEP", "WAIT", "TIME.SLEEP"), _SLEEP),
    **dict.fromkeys(("EXIT", "QUIT", "SYS.EXIT"), _RAISE),
    "EMIT": _TELL,
    **dict.fromkeys(("INPUT", "ASK"), message_id('write ASK <who> "…": the answer is read as `answer`')),
    **dict.fromkeys(
        ("LLM", "CHAT", "GENERATE", "LLM.INVOKE", "MODEL.INVOKE"),
        message_id('write REASON {{ TASK "…" PRODUCE {{ name: Type }} }}'),
    ),
}
_FUNCTIONS = {
    **dict.fromkeys(("COUNT", "SIZE", "LENGTH"), message_id("write len(…)")),
    **dict.fromkeys(
        ("NOW", "TODAY", "TIME"), message_id("no function reads the clock: OBSERVE a path for it")
    ),
    **dict.fromkeys(("ANY", "SOME"), message_id("write OR between the conditions")),
    **dict.fromkeys(("ALL", "EVERY"), message_id("write AND between the conditions")),
    **dict.fromkeys(("CONTAINS", "INCLUDES", "HAS"), message_id("write <value> IN <list>")),
    **dict.fromkeys(("STR", "INT", "FLOAT", "BOOL", "STRING", "NUMBER"), message_id("write the value alone")),
    **dict.fromkeys(
        ("EXISTS", "DEFINED", "KNOWN", "IS_NULL", "ISNULL"),
        message_id("write CONFIDENCE(<path>) > 0 for what is known"),
    ),
    **dict.fromkeys(("RANGE",), message_id("write LOOP MAX <number> {{ … }}")),
}
_STARTS = ("AWAIT", "CALL", "RUN", "DO", "INVOKE", "START", "EXEC", "PERFORM", "TRIGGER", "GOTO", "LAUNCH")
_GIVES = ("LET", "VAR", "CONST", "VAL", "DEFINE", "ASSIGN", "UPDATE")
_NEXT = re.compile(r"[ \t]+([A-Za-z_]\w*(?:\.\w+)*)[ \t]*(\(|=(?!=)|)")
# From where a word begins: from each of its letters on it would be read again.
_BEFORE = re.compile(r"(?<!\w)\d*+([A-Za-z_]\w*+)[ \t]++\Z")
_PREFIX = re.compile(r"(?<!\w)(f|r|b|u|rb|fr)\Z", re.IGNORECASE)
_STUCK = re.compile(r"(?<![\w.])\d*+([A-Za-z_]\w*+(?:\.\w++)*+)\Z")
_HOW_OFTEN = re.compile(r"RETRY[ \t]+\d+[ \t]+\Z")


def foreign_trigger(index: Index, part: Part, trigger: Trigger) -> Found | None:
    """Return what is written here for a name alone that is a word of other languages; None if it is none."""
    name, span = trigger.plan.text, trigger.plan.span
    word = _SAME.get(name.upper(), name.upper())
    before, behind = _line(index, part, span)
    following = _NEXT.match(behind)
    if _is_denied(before):
        return _found(part, trigger.plan, said(_WRITE, text=f"NOT {name}"))
    if word == "TIMES" and _HOW_OFTEN.search(before):
        blank = len(before) - len(before.rstrip())
        return _found(part, trigger.plan, said(_TIMES, word=name), (Span(span.start - blank, span.end), ""))
    if following and _HALVES.get(word) == following[1].upper():
        return _found(part, trigger.plan, said(_WRITE, text=word + _HALVES[word]))
    if word in _STARTS and following and following[2] != "=":
        known = following[1] in (index.tools if following[2] else index.plans)
        away = Span(span.start, span.end + following.start(1))
        text = f"{following[1]}(…)" if following[2] else following[1]
        return _found(part, trigger.plan, said(_ALONE, name=text), *([(away, "")] if known else []))
    if word in _GIVES and following and following[2] == "=":
        return _found(part, trigger.plan, said(_SET, name=following[1]), (span, "SET"))
    # Small letters alone may well be the name of a plan that is to come.
    hint = _HINTS.get(word) if following or name.isupper() or word in _NO_NAMES else None
    owner = following[1] if following else "<path>"
    return _found(part, trigger.plan, said(hint, name=owner)) if hint else None


def _is_denied(before: str) -> bool:
    """Tell whether a text ends with `= not`: as a name it is the value, and what follows a statement."""
    word = _BEFORE.search(before)
    return bool(word) and word[1].upper() == "NOT" and before[: word.start()].rstrip().endswith("=")


def is_behind_foreign(index: Index, part: Part, node: Node) -> bool:
    """Tell whether a word of another language stands before a node on its line: that one is told."""
    line, _ = _line(index, part, node.span)
    before = _BEFORE.search(line)
    if not before or before[1] in index.plans or _is_denied(line):
        return False
    word = _SAME.get(before[1].upper(), before[1].upper())
    return word in _HINTS or word in _STARTS or _HALVES.get(word) == index.text_of(part, node.span).upper()


def foreign_call(name: str) -> Message | None:
    """Return what is written here for a call that other languages have; None if nothing is known of it."""
    if name in FUNCTIONS:
        return said(_FUNCTION, name=name)
    hint = _CALLS.get(name.upper())
    return said(hint) if hint else None


def foreign_function(name: str) -> Message | None:
    """Return what is written here for a function that other languages have; None if it is none."""
    hint = _FUNCTIONS.get(name.upper())
    return said(hint) if hint else None


def stuck(index: Index, part: Part, argument: Node) -> tuple[Message, Message] | None:
    """Return what is said of an argument that belongs to the one before: f"…", orders[0] and not x."""
    before, _ = _line(index, part, argument.span)
    prefix = _PREFIX.search(before)
    written = index.text_of(part, argument.span)
    if prefix and written.startswith('"'):
        return said(_NO_PREFIX, word=prefix[1]), said(_NO_PREFIX_HINT)
    if _is_denied(before):
        return said(_CAPITALS, word="not", wanted="NOT"), said(_WRITE, text=f"NOT {written}")
    owner = _STUCK.search(before)
    if owner and written.startswith("["):
        return said(_INDEX), said(_INDEX_HINT, name=owner[1])
    return None


def _found(part: Part, name: Path, hint: Message, *replacements: tuple[Span, str]) -> Found:
    fixes = (Fix(hint, tuple((part.place(old), new) for old, new in replacements)),) if replacements else ()
    return Found(part.at(name), said(_NO_PLAN, name=name.text), hint, fixes=fixes)


def _line(index: Index, part: Part, span: Span) -> tuple[str, str]:
    """Return what stands before and behind a span on its line, within its member."""
    whole = part.node.span
    before = index.text_of(part, Span(whole.start, span.start)).rpartition("\n")[2]
    return before, index.text_of(part, Span(span.end, whole.end)).partition("\n")[0]
