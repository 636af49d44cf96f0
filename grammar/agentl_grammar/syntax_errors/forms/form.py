"""A form of another language, or almost one of this, as a row of a table: where it stands, what to write."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from agentl_grammar.lexer import END, Token, lex
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, Problem, message_id
from agentl_grammar.source import Span
from agentl_grammar.syntax_errors.expectations import MANY, NUMBERS
from agentl_grammar.syntax_errors.place import Place, rewrite

RULE = frozenset(("_NEVER", "_ALLOW"))
MEMBER = frozenset(("_GOAL", "_TOOL"))
STATEMENT = frozenset(("_SET", "_RETRY"))
VALUE = frozenset(("NUMBER", "_LPAR"))
NAME = frozenset(("NAME",))
TOP = frozenset(("_AGENT",))

FOREIGN = message_id("`{word}` does not belong to the language")
WRITE = message_id("write `{text}`")
_NAME = rf"(?!(?:{'|'.join(WORDS)})\b)[A-Za-z_]\w*"
_PATH = rf"{_NAME}(?: \. \w+)*"
_PARTS = {
    "%name": _NAME,
    "%paths": rf"{_PATH}(?: ,? ?{_PATH})*",
    "%rows": rf"{_PATH}(?:(?: ,)?\s{_PATH})*",
    "%path": _PATH,
    "%text": '"',
    "%number": "0",
    "%value": rf'(?:"|0|{_PATH})',
    "%target": rf"(?:\*|{_PATH})",
    "%condition": r"[^{}\n]+?",
}
# A form lies within so many tokens, and begins so many lines above the token that cannot stand.
_FAR, _LINES = 60, 3
# What is no word that a pattern asks for: what it only looks at, the names of its groups, its parts.
_ASIDE = re.compile(r"\(\?<?[!=][^()]*(?:\([^()]*\)[^()]*)*\)|\?P<\w+>|%\w+|\\[a-z]|\(\?i:")
_LITERAL = re.compile(r"[A-Za-z_]{2,}\??")
# A word of which a pattern leaves open how it goes on.
_OPEN = re.compile(r"[?)]_|_(?![A-Za-z])").search
_WORD = re.compile(r"\b[A-Z_]+\b")
_BETWEEN = re.compile(r"(?: ,)?\s")
_RULES = ("_ALLOW", "_DENY", "_NEVER", "_REQUIRE")


@dataclass(frozen=True, slots=True)
class Form:
    """What is written, and what to write instead.

    It begins where all terminals of `where` may stand, in a bracket of one of `heads` if there are any.
    `pattern` is a regular expression over the tokens, which one blank parts, or a line end; `%path` and the
    like stand for what they say, `"` for a text (`""` for an empty one), `0` for a number. Its groups are the
    holes of `message`, `hint` and `write`, put in the place of all that matches (`paths`, with commas);
    `at` is what is pointed at. The token that cannot stand is one of those that match, or of the group
    `refused`, or so many tokens behind as `reach` says.

    A `guess` is for a person to take, as is all that would allow something. One that is `wordless` may be
    written without any of the words of its pattern.
    """

    where: frozenset[str]
    pattern: str
    message: str = FOREIGN
    hint: str = WRITE
    write: str = ""
    at: str = ""
    code: str = ""
    heads: tuple[str, ...] = ()
    refused: str = ""
    reach: int = 0
    guess: bool = False
    wordless: bool = False


class _Window:
    """The tokens around a place, as text."""

    def __init__(self, place: Place) -> None:
        self.begin, first = place.index, place.line(place.token) - _LINES
        while self.begin > max(0, place.index - _FAR) and place.line(place.tokens[self.begin - 1]) >= first:
            self.begin -= 1
        text = place.source.text
        self.text, self._starts, end = "", list[int](), -1
        for token in place.tokens[self.begin : place.index + _FAR]:
            if end >= 0:
                between = text[end : token.start]
                self.text += "\n" if "\n" in between or "\r" in between else " "
            self._starts.append(len(self.text))
            self.text += _shape(token)
            end = token.end

    def token(self, offset: int) -> int:
        """Return the index of the token that begins at `offset` or behind it."""
        return self.begin + bisect_left(self._starts, offset)


def _shape(token: Token) -> str:
    if token.type == "STRING":
        return '"' if len(token.text) > len('""') else '""'
    return "0" if token.type in NUMBERS or token.type == "DATETIME" else token.text


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    for part, meaning in _PARTS.items():
        pattern = pattern.replace(part, meaning)
    return re.compile(rf"(?<!\S)(?:{pattern})(?!\S)", re.MULTILINE)


@cache
def words_of(form: Form) -> frozenset[str]:
    """Return words in capitals, of which one stands wherever a form does; none where that is not sure."""
    pattern = _ASIDE.sub(" ", form.pattern)
    found = [] if form.wordless or _OPEN(pattern) else _LITERAL.findall(pattern)
    # The last letter of WEEKS? may be left out.
    shorter = [word[:-2] for word in found if word.endswith("?")]
    return frozenset(word.rstrip("?").upper() for word in (*found, *shorter))


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text in capitals; those that end in S without it too."""
    words = _WORD.findall(text.upper())
    return frozenset((*words, *(word[:-1] for word in words if word.endswith("S"))))


@dataclass(frozen=True, slots=True)
class _Written:
    """A form that is written around a place, from token `start` up to `end`."""

    place: Place
    form: Form
    window: _Window
    match: re.Match[str]

    @property
    def start(self) -> int:
        return self.window.token(self.match.start())

    @property
    def end(self) -> int:
        return self.window.token(self.match.end())

    def is_here(self) -> bool:
        """Tell whether the form begins where it may, and holds the token that cannot stand."""
        place, start = self.place, self.start
        first, last = self.match.span(self.form.refused or 0)
        behind = self.window.token(last) + self.form.reach
        if not self.window.token(first) <= place.index < behind or start > place.index:
            return False
        if place.cursor_at is None:
            return False
        accepts = place.accepts if start == place.index else place.cursor_at(start).accepts()
        # Where any word can stand, it is a name and begins nothing.
        named = len(accepts) >= MANY and not self.form.heads and self.form.where != NAME
        return self.form.where <= accepts and not named

    def problem(self) -> Problem:
        """Return what is said of it."""
        form, values = self.form, {name: self._said(name) for name in self.match.groupdict()}
        text = form.write.format(**values)
        first, last = self.match.span(form.at or 0)
        span = self._span(self.window.token(first), self.window.token(last))
        message = Message(form.message, {**values, "word": self.place.source.slice(span)})
        shown = " ".join(text.split()) if "\n" in text else text
        hint = Message(form.hint, {**values, "text": shown} if form.write else values)
        fixes = list(self._fixes(hint, text)) if form.write else []
        code = form.code or ("S105" if form.message == FOREIGN else "S101")
        return self.place.problem(code, message, hint, *fixes, span=span)

    def _said(self, group: str) -> str:
        first, last = self.match.span(group)
        if first == last:
            return ""
        if group == "paths":
            return ", ".join(_BETWEEN.split(self.match[group].replace(" . ", ".")))
        return self.place.source.slice(self._span(self.window.token(first), self.window.token(last)))

    def _span(self, start: int, end: int) -> Span:
        return Span(self.place.tokens[start].start, self.place.tokens[end - 1].end)

    def _fixes(self, hint: Message, text: str) -> Iterator[Fix]:
        """Yield the fix that writes `text`, where it can stand and no comment is lost."""
        place, source = self.place, self.place.source
        for one, other in pairwise(place.tokens[self.start : self.end]):
            if source.text[one.end : other.start].strip():
                return
        behind = [token for token in place.tokens[self.end : self.end + 1] if token.type != END]
        if place.cursor_at and place.cursor_at(self.start).refused([*lex(text).tokens, *behind]) is None:
            fix = rewrite(hint, (self._span(self.start, self.end), text))
            yield replace(fix, guess=self.form.guess or self._allows(text))

    def _allows(self, text: str) -> bool:
        """Tell whether a rule that allows something would be written, or have another guard."""
        before = self.place.tokens[max(0, self.start - _FAR) : self.start]
        rules = [token.text for token in before if token.type in _RULES]
        said = [token.text for token in lex(text).tokens if token.type in _RULES]
        ruled = any(opener.head == "POLICY" for opener in self.place.openers)
        return ruled and "ALLOW" in (said or rules[-1:])


def found(place: Place, forms: tuple[Form, ...]) -> Problem | None:
    """Return the problem of the first form that is written at `place`."""
    if place.cursor_at is None or not place.tokens:
        return None
    window = _Window(place)
    present = words_in(window.text)
    for form in forms:
        words = words_of(form)
        if (form.heads and place.head not in form.heads) or (words and words.isdisjoint(present)):
            continue
        for match in _compiled(form.pattern).finditer(window.text):
            written = _Written(place, form, window, match)
            if written.is_here():
                return written.problem()
    return None
