"""What is wrong with a place where the text is no token at all (language.md §1)."""

from __future__ import annotations

import dataclasses
import re
import unicodedata

from agentl_grammar.lexer import LexicalProblem, Token
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, Problem, Severity, message_id
from agentl_grammar.source import Source, Span
from agentl_grammar.syntax_errors.expectations import COMPARISONS
from agentl_grammar.syntax_errors.negation import negated_sign
from agentl_grammar.syntax_errors.place import delete, insert, replace
from agentl_grammar.syntax_errors.surroundings import closing_quote, meaning, opened_in, prose_end

_STRING = message_id('this text is not closed: its last `"` is missing')
_STRING_HINT = message_id('end it with `"`; inside a text write `\\"` for a quote and `\\\\` for a backslash')
_COMMENT = message_id("this comment is not closed: its `*/` is missing")
_COMMENT_HINT = message_id("end it with `*/`; comments do not nest")
_CHARACTER = message_id("{character} does not belong to the language")
_CHARACTER_HINT = message_id("remove it; it can only stand in a text or a comment")
_UNSEEN_HINT = message_id("remove it: it cannot be seen and says nothing")
_LETTER_HINT = message_id(
    "names are made of a-z, A-Z, 0-9 and `_`; any letter can stand in a text in double quotes"
)
_INSTEAD_HINT = message_id("write `{text}` instead")
_SPACE_HINT = message_id("write an ordinary space instead")
_QUOTE_HINT = message_id("texts stand in double quotes")
_PERCENT_HINT = message_id("`%` must follow its number at once: {number}%")
_SHARE_HINT = message_id("`%` must follow its number at once, such as 30%")
_REMAINDER_HINT = message_id("no sign gives what is left of a division: let a TOOL say it")
_BACKTICK_HINT = message_id("a text stands in double quotes, a name in none")
_TYPE_HINT = message_id("remove it: no sign stands behind a type")
_NEWLINE_HINT = message_id("statements need no `;`: remove it")

_VALUE_HINT = message_id("write the value in its place")
_BEFORE_VALUE = COMPARISONS | {"_EQ", "_COLON", "_PLUS", "_MINUS", "_STAR", "_SLASH", "_AND", "_OR", "_NOT"}
# Words that begin what is no value; the others are one, or begin one.
_VALUES = {"NOT", "CONFIDENCE", "SHARED", "ALLOW", "DENY", "ESCALATE", "DEGRADE", "FROM"}
_WORD = "|".join(WORDS.keys() - _VALUES)
_NO_VALUE = re.compile(
    rf"[ \t]*(?:[\r\n,)\]}}]|\Z|[ \t](?:(?:{_WORD})(?!\w)|[\w.]+[ \t]*(?:=(?!=)|\()))"
).match
# A statement, or nothing more, follows on the line; what is reckoned or joined goes on with none of these.
_ENDS = re.compile(r"[ \t]*(?:[\r\n}#]|//|/\*|\Z|(?!(?:AND|OR|IN|NOT)\b)[A-Za-z])").match
_NO_SIGN_HINT = message_id("remove it, or write what it stands for in words and operators of the language")
_NOT_EQUAL_HINT = message_id("write `!=` for a comparison that must not hold, NOT before a condition")

# A value before a sign: a word that is none of the language, a number, a text or a closing bracket.
_BETWEEN = re.compile(rf"(?:(?<![\w.])(?!(?:{'|'.join(WORDS)})\b)\w[\w.]*|[\")\]])[ \t]+\Z").search

_NAMED_BEHIND = re.compile(r"[ \t]*([A-Za-z_][\w.]*)").match
_NO_MEMBER_HINT = message_id("write NOT before the whole comparison: NOT {name} IN …")
_NO_MEMBER = "\u2209"
_PATH = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)\s*\Z").search
# Ends of lines elsewhere, where they are white space.
_ENDS_OF_LINES = "\v\f\x85\u2028\u2029"

_SHOWN = message_id("`{character}`")
_NUMBERED = message_id("the character {point}")
_NAMED = message_id("a {name} ({point})")
_SHOWN_AND_NAMED = message_id("`{character}` ({name}, {point})")
# A comparison cut in two by blanks.
_NOT_EQUAL = re.compile(r"![ \t]+=(?!=)").match
# A quote of another kind, which a text may end with, and what may stand behind it then.
_CURLY = re.compile("[\u201c\u201d]").finditer
# A text that is compared, and one more condition behind it.
_COMPARED = re.compile(r"(?:[=!<>]=|[<>]|\bIN)\Z").search
_ANOTHER = re.compile(r"[ \t](?:AND|OR)[ \t][^\"\r\n]{0,200}(?:[<>=(]|\bIN\b)").search
_NUMBER, _LONGEST = re.compile(r"[\d.]+\Z").search, 40
# A text in single quotes goes on behind an apostrophe between two letters, and behind a doubled one.
_APOSTROPHES = re.compile(r"(?:[^'\\\r\n]|\\[^\r\n]|''|(?<=\w)'(?=\w))*+'(?![\w'])").match
_QUOTED = re.compile(r"\\[^\r\n]|''|\"").finditer
_INSIDE = {"''": "'", "\\'": "'", '"': '\\"'}
_AT_END = re.compile(r"[\s)\]},]*").fullmatch
_NAMES = {"no-break space": "non-breaking space"}

_INSTEAD = {
    "'": '"',
    "`": '"',
    "\u2018": '"',
    "\u2019": '"',
    "\u201c": '"',
    "\u201d": '"',
    "\u00ab": '"',
    "\u00bb": '"',
    "&&": " AND ",
    "||": " OR ",
    "&": " AND ",
    "|": " OR ",
    "!": " NOT ",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2260": "!=",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u00d7": "*",
    "\u2217": "*",
    "\u22c5": "*",
    "\u00f7": "/",
    "\u2215": "/",
    "\u2044": "/",
    "\u2227": " AND ",
    "\u2228": " OR ",
    "\u00ac": " NOT ",
    "\uffe2": " NOT ",
    "\u2208": " IN ",
    **{chr(0xFEE0 + ord(sign)): sign for sign in "(),:=<>[]{}.+-*/"},
}


def lexical_problem(source: Source, kind: LexicalProblem, start: int) -> Problem:
    """Return the problem at `start`, which is no text that is open."""
    if kind is LexicalProblem.COMMENT_NOT_CLOSED:
        return _problem("S104", Span(start, start + 2), Message(_COMMENT), Message(_COMMENT_HINT))
    return _unknown_character(source, start, _line_end(source, start))


def open_text(source: Source, start: int, stop: int) -> Problem:
    """Return the problem of the text that begins at `start`, and is read no further than `stop`."""
    line_start = start - source.position(start).column
    line_end = _line_end(source, start)
    curly = list(_CURLY(source.text, start, line_end))
    if len(curly) % 2:
        ends = len(curly) == 1 and _AT_END(source.text, curly[0].end(), line_end)
        fixes = [replace(Span(*curly[0].span()), '"')] if ends else []
    elif joined := _joined(source.text, line_start, start, line_end):
        fixes = [dataclasses.replace(insert(joined, '"'), guess=True)]
    else:
        end = closing_quote(source.text, line_start, start, min(prose_end(source, start), stop))
        fixes = [] if end is None else [insert(end, '"')]
    span = Span(start, max(start + 1, line_end))
    return _problem("S103", span, Message(_STRING), Message(_STRING_HINT), *fixes)


def _joined(text: str, line_start: int, start: int, line_end: int) -> int | None:
    """Return where AND or OR seems to join a condition to that of the text that begins at `start`."""
    compared = _COMPARED(text[line_start:start].rstrip())
    found = _ANOTHER(text, start, line_end) if compared else None
    return start + len(text[start : found.start()].rstrip()) if found else None


def _line_end(source: Source, offset: int) -> int:
    position = source.position(offset)
    return offset - position.column + len(source.line(position.line))


def stands_for_value(source: Source, problem: Problem, before: Token) -> bool:
    """Tell whether a sign of no meaning stands alone where a value is due: `a = $`, `a = $ b = 1`."""
    goes = all(not text for fix in problem.fixes for _, text in fix.replacements)
    due = problem.code == "S105" and goes and before.type in _BEFORE_VALUE
    return due and bool(_NO_VALUE(source.text, problem.span.end))


def without_value(problem: Problem) -> Problem:
    """Return the problem of a sign in the place of a value; without it, what stands behind would be that."""
    return dataclasses.replace(problem, hint=Message(_VALUE_HINT), fixes=())


def _unknown_character(source: Source, start: int, line_end: int) -> Problem:
    text = source.text
    length = _length(text, start, line_end)
    span = Span(start, start + length)
    character = text[start : span.end]
    message = Message(_CHARACTER, {"character": _described(character)})
    if unicodedata.category(character[0]) == "Zs" or character in _ENDS_OF_LINES:
        return _problem("S105", span, message, Message(_SPACE_HINT), replace(span, " "))
    if character == "%" and (spaces := _spaces_before(text, start)):
        number = _NUMBER(text[max(0, spaces.start - _LONGEST) : spaces.start])
        hint = Message(_PERCENT_HINT, {"number": number[0] if number else "30"})
        return _problem("S105", span, message, hint, delete(spaces))
    if known := meaning(source, span) or _negated(source, span):
        return _problem("S105", span, message, known[0], *known[1])
    hints = {"%": _SHARE_HINT, ";": _NEWLINE_HINT, "^": _NO_SIGN_HINT, "~": _NOT_EQUAL_HINT}
    if _BETWEEN(text[start - source.position(start).column : start]):
        hints |= {"!": _NOT_EQUAL_HINT, "%": _REMAINDER_HINT}
    if character in hints:
        fixes = (delete(span),) if character == ";" and _ends_statement(source, span) else ()
        return _problem("S105", span, message, Message(hints[character]), *fixes)
    if character in _INSTEAD or _NOT_EQUAL(character):
        told = _instead(source, span, line_end, message)
        return told if character != "`" else _unsure(told)
    return _problem("S105", span, message, *_without_meaning(source, span))


def _unsure(problem: Problem) -> Problem:
    """Return the problem of a backtick, which stands around texts and around names elsewhere."""
    guesses = tuple(dataclasses.replace(fix, guess=True) for fix in problem.fixes)
    return dataclasses.replace(problem, hint=Message(_BACKTICK_HINT), fixes=guesses)


def _is_type(before: str) -> bool:
    """Tell whether a text ends with a `:` and a word."""
    word = before.rpartition(":")[2]
    return ":" in before and before[-1:].isalnum() and word.strip().isidentifier()


def _negated(source: Source, span: Span) -> tuple[Message, list[Fix]] | None:
    """Return what to write for a `!` before the name of a rule's tool, or behind a type."""
    if source.slice(span) != "!":
        return None
    before = source.text[span.start - source.position(span.start).column : span.start]
    if _is_type(before):
        return Message(_TYPE_HINT), [delete(span)]
    behind = _NAMED_BEHIND(source.text, span.end)
    said = negated_sign(before, behind[1] if behind else "")
    return (said, []) if said else None


def _without_meaning(source: Source, span: Span) -> tuple[Message, *tuple[Fix, ...]]:
    """Return the hint for a character that stands for nothing, and its fix if it surely says nothing."""
    character = source.slice(span)
    before = source.text[span.start - source.position(span.start).column : span.start]
    if character.isalnum():
        return (Message(_LETTER_HINT),)
    if _is_unseen(character):
        return Message(_UNSEEN_HINT), delete(span)
    if character == _NO_MEMBER and (path := _PATH(before)):
        return (Message(_NO_MEMBER_HINT, {"name": path[1]}),)
    if before.strip():
        return (Message(_NO_SIGN_HINT),)
    return Message(_CHARACTER_HINT), dataclasses.replace(delete(span), guess=True)


def _is_unseen(character: str) -> bool:
    """Tell whether a character takes no room, and does not change the order in which others are shown."""
    return unicodedata.category(character) in ("Cc", "Cf") and unicodedata.bidirectional(character) == "BN"


def _ends_statement(source: Source, span: Span) -> bool:
    """Tell whether a `;` stands between statements, not between arguments or values."""
    start = span.start - source.position(span.start).column
    inside = opened_in(source.text[start : span.start])[-1:]
    return inside not in (["("], ["["]) and _ENDS(source.text, span.end) is not None


def _length(text: str, start: int, line_end: int) -> int:
    """Return how many characters belong to a sign that is none of the language."""
    split = _NOT_EQUAL(text, start, line_end)
    if split:
        return split.end() - start
    return 2 if text[start : start + 2] in ("&&", "||", "->", "=>") else 1


def _spaces_before(text: str, start: int) -> Span | None:
    """Return the blanks between a number and `start`."""
    begin = len(text[:start].rstrip(" \t"))
    return Span(begin, start) if begin < start and text[begin - 1 : begin].isdigit() else None


def _instead(source: Source, span: Span, line_end: int, message: Message) -> Problem:
    character = source.slice(span)
    text = "!=" if _NOT_EQUAL(character) else _INSTEAD[character]
    if text != '"':
        hint = Message(_INSTEAD_HINT, {"text": text.strip()})
        return _problem("S105", span, message, hint, replace(span, _spaced(source, span, text)))
    closing = {"\u2018": "\u2019", "\u201c": "\u201d", "\u00ab": "\u00bb"}.get(character, character)
    apart = _APOSTROPHES(source.text, span.end, line_end) if character == "'" else None
    end = apart.end() - 1 if apart else source.text.find(closing, span.end, line_end)
    if end < 0:
        return _problem("S105", span, message, Message(_QUOTE_HINT))
    inside = [
        (Span(*found.span()), _INSIDE[found[0]])
        for found in _QUOTED(source.text, span.end, end)
        if found[0] in _INSIDE and (character == "'" or found[0] == '"')
    ]
    fix = Fix(Message(_INSTEAD_HINT, {"text": text}), ((span, text), *inside, (Span(end, end + 1), text)))
    return _problem("S105", span, message, Message(_QUOTE_HINT), fix)


def _spaced(source: Source, span: Span, text: str) -> str:
    """Return `text` without the spaces around it that the source has already."""
    text = text.lstrip() if source.text[: span.start].endswith(" ") else text
    return text.rstrip() if source.text.startswith(" ", span.end) else text


def _described(character: str) -> Message:
    if character.isascii() and character.isprintable():
        return Message(_SHOWN, {"character": character})
    point = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "").lower()
    if not name:
        return Message(_NUMBERED, {"point": point})
    if not character.isprintable():
        return Message(_NAMED, {"name": _NAMES.get(name, name), "point": point})
    return Message(_SHOWN_AND_NAMED, {"character": character, "name": name, "point": point})


def _problem(code: str, span: Span, message: Message, hint: Message, *fixes: Fix) -> Problem:
    return Problem(code, Severity.ERROR, span, message, hint, (), fixes)
