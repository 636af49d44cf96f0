"""What could stand at a place, in the words of the language: never the name of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentl_grammar.lexer import END, OPERATORS
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Message, message_id
from agentl_grammar.syntax_errors.place import CLOSER_TEXTS, Place

_KEYWORDS = {f"_{word}": word for word in WORDS} | {"_VERIFY_LABELLED": "VERIFY", "_ON_UNKNOWN": "ON UNKNOWN"}
_ANY_CASE = {"_CALL": "CALL", "_BLOCKED": "BLOCKED", "_NO": "NO ERROR", "_ERROR": "ERROR"}
_SPELLINGS = {terminal: text for text, terminal in OPERATORS.items()}
# So many reserved words at once mean that any word may stand here.
MANY = 100


def _terminals(words: str) -> frozenset[str]:
    return frozenset(f"_{word}" for word in words.split())


STATEMENT = _terminals("SET IF THEN REASON JUDGE ASK DELEGATE MESSAGE LOOP FOREACH RETRY ROLLBACK ESCALATE")
PHASES = _terminals(
    "RECEIVE OBSERVE UPDATE_BELIEFS UPDATE_HYPOTHESES EVALUATE_GOALS SELECT_PLAN SYNTHESIZE DECIDE EXECUTE "
    "ACT VERIFY VERIFY_LABELLED UPDATE_MEMORY"
)
MEMBERS = _terminals(
    "VERSION DESCRIPTION GOAL BELIEF OBSERVE MEMORY TOOL POLICY PLAN EVENT ON DECIDE HYPOTHESIS PLANNER "
    "UTILITY LOOP SCENARIO"
)
NUMBERS = frozenset(("NUMBER", "PERCENT", "TIMESPAN"))
EXPRESSION = (
    NUMBERS | {"NAME", "STRING", "DATETIME"} | _terminals("LPAR LBRACKET MINUS NOT CONFIDENCE SHARED")
)
# What may stand before the `{` of a block.
OPTIONS = _terminals("LBRACE MESSAGE EVENT COLON EQ DOT WHEN UNTIL MAX WITH LPAR")
COMPARISONS = frozenset(("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "_IN"))
CONTINUATIONS = COMPARISONS | _terminals("AND OR PLUS MINUS STAR SLASH LPAR")
_RULES = _terminals("ALLOW DENY NEVER REQUIRE")
SEPARATORS = _terminals("COLON EQ")

_STATEMENT = message_id("a statement")
_EXPRESSION = message_id("an expression")
_MEMBER = message_id(
    "a member of AGENT: GOAL, OBSERVE, BELIEF, MEMORY, TOOL, POLICY, PLAN, EVENT, DECIDE, LOOP, …"
)
_RULE = message_id("a rule: ALLOW, DENY, NEVER, REQUIRE APPROVAL FOR or DEFAULT")
_GUARD = message_id("a guard: IF or WHEN")
_NAME = message_id("a name")
_LEVEL = message_id("a level: LOW, MEDIUM, HIGH or CRITICAL")
_QUANTITY = message_id("a number")
_PLAIN_NUMBER = message_id("a plain number, without a unit or `%`")
_DURATION = message_id("a duration such as 10s or 5min")
_TEXT = message_id("a text in double quotes")
_OPERATOR = message_id("an operator")
_TARGET = message_id("a tool's name or `*`")
_FIELD = message_id("a field of {head}: {words}")
_CLOSER = message_id("`{closer}` to close {title}, opened on line {line}")
_WORD = message_id("{word}")
_PUNCTUATION = message_id("`{text}`")
_COMMA = message_id("{left}, {right}")
_OR = message_id("{left} or {right}")
_END = message_id("the end of the text")


def expected(place: Place) -> Message:
    """Return what could stand at `place`, such as `a guard: IF or WHEN`."""
    return _join(list(_phrases(place)))


def keywords(terminals: Iterable[str]) -> list[str]:
    """Return the reserved words among `terminals`, in the order of the lexicon."""
    found = set(terminals)
    return list(dict.fromkeys(word for terminal, word in _KEYWORDS.items() if terminal in found))


def only_word(place: Place) -> str | None:
    """Return the terminal of the one reserved word, or the point, that can stand at `place`, if it is one."""
    words = place.accepts - {"_DOT"} or place.accepts
    if len(words) == 1 and words <= {*_KEYWORDS, "_DOT"}:
        return next(iter(words))
    left = place.accepts - CONTINUATIONS - SEPARATORS - {"_DOT"}
    return next(iter(left)) if len(left) == 1 and left <= set(_KEYWORDS) else None


def spelling(terminal: str) -> str:
    """Return how a terminal of `only_word` is written."""
    return _KEYWORDS.get(terminal) or _SPELLINGS[terminal]


def candidates(place: Place) -> list[str]:
    """Return the words, reserved or not, that `place` could be meant to be."""
    return [*keywords(place.accepts), *(terminal[1:] for terminal in _ANY_CASE if terminal in place.accepts)]


def joined(words: Iterable[str]) -> Message:
    """Return the sentence part `A, B or C`."""
    return _join([Message(_WORD, {"word": word}) for word in words])


def _join(parts: list[Message]) -> Message:
    if not parts:
        return Message(_EXPRESSION)
    joined = parts[0]
    for part in parts[1:-1]:
        joined = Message(_COMMA, {"left": joined, "right": part})
    return Message(_OR, {"left": joined, "right": parts[-1]}) if len(parts) > 1 else joined


def _phrases(place: Place) -> Iterator[Message]:
    accepts = place.accepts
    left = set(accepts)
    if left > SEPARATORS:
        left -= SEPARATORS
    if len(keywords(accepts)) >= MANY:
        yield Message(_LEVEL if _is_risk(place) else _NAME)
        left -= {"_LBRACE"} if _is_risk(place) else set()
        left -= set(_KEYWORDS) | EXPRESSION | set(_ANY_CASE)
    yield from _groups(left)
    left -= {END} | (CONTINUATIONS if left - CONTINUATIONS - {"_DOT", "_COMMA"} - SEPARATORS else set())
    yield from _words(place, left)
    yield from _rest(place, left)


def _is_risk(place: Place) -> bool:
    before = place.tokens[max(0, place.index - 2) : place.index]
    kinds = [token.type for token in before if token.type not in SEPARATORS]
    return place.head == "TOOL" and kinds[-1:] == ["_RISK"]


_VERSION = frozenset(("NUMBER", "STRING", "DATETIME"))
# What must all be acceptable, what the phrase then stands for, the phrase. Those before take their terminals.
_GROUPS: tuple[tuple[frozenset[str], frozenset[str], str], ...] = (
    (_terminals("GOAL TOOL POLICY"), MEMBERS, _MEMBER),
    (_RULES, _RULES | {"_DEFAULT"}, _RULE),
    (frozenset(("NUMBER", "_LPAR")), EXPRESSION, _EXPRESSION),
    (frozenset(("_STAR", "NAME")), frozenset(("_STAR", "NAME")), _TARGET),
    (_VERSION, _VERSION - {"STRING"}, _QUANTITY),
    (NUMBERS, NUMBERS, _QUANTITY),
    (frozenset(("NUMBER",)), frozenset(("NUMBER", "_MINUS")), _PLAIN_NUMBER),
    (frozenset(("TIMESPAN",)), frozenset(("TIMESPAN",)), _DURATION),
    (frozenset(("STRING",)), frozenset(("STRING",)), _TEXT),
    (frozenset(("NAME",)), frozenset(("NAME",)), _NAME),
)


def _groups(left: set[str]) -> Iterator[Message]:
    """Yield the phrases that stand for many terminals at once, and take those out of `left`."""
    if left >= _terminals("IF WHEN") and not left >= STATEMENT:
        yield _take(left, _terminals("IF WHEN"), _GUARD)
    if left >= STATEMENT - {"_THEN"}:
        names = ("NAME",) if "_NOT" not in left else ()
        yield _take(left, STATEMENT | PHASES | frozenset(names), _STATEMENT)
    for wanted, taken, phrase in _GROUPS:
        if left >= wanted and (phrase != _TARGET or not _is_operand(left)):
            yield _take(left, taken, phrase)
    if left >= _terminals("STAR SLASH") and not left - CONTINUATIONS - {"_DOT"}:
        yield _take(left, CONTINUATIONS | {"_DOT"}, _OPERATOR)


def _is_operand(left: set[str]) -> bool:
    """Tell whether `*` multiplies here."""
    return "_SLASH" in left


def _take(left: set[str], terminals: frozenset[str], phrase: str) -> Message:
    left -= terminals
    return Message(phrase)


def _words(place: Place, left: set[str]) -> Iterator[Message]:
    words = keywords(left)
    left -= set(_KEYWORDS)
    closes = place.inner is not None and place.inner.closer in place.accepts
    if len(words) > 1 and closes and place.head not in ("", "(", "AGENT"):
        yield Message(_FIELD, {"head": place.head, "words": ", ".join(words)})
    else:
        yield from (Message(_WORD, {"word": word}) for word in words)
    yield from (Message(_WORD, {"word": word}) for terminal, word in _ANY_CASE.items() if terminal in left)


def _rest(place: Place, left: set[str]) -> Iterator[Message]:
    inner = place.inner
    if inner and inner.closer in left:
        left.discard(inner.closer)
        if inner.written:
            closer = CLOSER_TEXTS[inner.closer]
            yield Message(_CLOSER, {"closer": closer, "title": inner.title, "line": place.line(inner.token)})
        left -= {"_DOT", "_COMMA"} | SEPARATORS
    if len(left) > 1 or len(keywords(place.accepts)) > 1:
        left.discard("_COMMA")
    punctuation = [text for terminal, text in _SPELLINGS.items() if terminal in left]
    if "." in punctuation and (len(left) > 1 or len(place.accepts) > 1):
        punctuation.remove(".")
    yield from (Message(_PUNCTUATION, {"text": text}) for text in punctuation)
    if not left and END in place.accepts:
        yield Message(_END)
