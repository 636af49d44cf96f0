"""A comparison that stands where a statement stands (S108, S116).

What made a condition of it may be lost: IF, VERIFY or UNTIL. Giving the value instead would make the
condition true, so that is told, and never offered as a fix.
"""

from __future__ import annotations

from agentl_grammar.problems import Message, Problem, message_id
from agentl_grammar.syntax_errors.expectations import COMPARISONS, STATEMENT
from agentl_grammar.syntax_errors.misspelt import misspelt
from agentl_grammar.syntax_errors.near import Near, near
from agentl_grammar.syntax_errors.place import Place

_ALONE = message_id("a comparison cannot stand alone as a statement")
_ASK_HINT = message_id("write VERIFY, or IF <condition> THEN …, to ask whether it holds")
_EITHER_HINT = message_id(
    "write VERIFY, or IF <condition> THEN …, to ask whether it holds; {name} = … to give the value"
)
_FOREIGN = message_id("`{word}` does not belong to the language")
_HINTS = {
    "UNLESS": message_id("write IF NOT (<condition>) THEN {{ … }}"),
    "ASSERT": message_id("write VERIFY <condition>"),
    "CHECK": message_id("write VERIFY <condition>"),
    "ENSURE": message_id("write VERIFY <condition>"),
    "WHILE": message_id("write LOOP UNTIL <condition that ends it> {{ … }}"),
    "WHEN": message_id("write IF <condition> THEN {{ … }}"),
}


def alone(place: Place) -> Problem | None:
    """Report `a.b == c` or `a.b = = c` in a plan, and what stands before it for IF or VERIFY."""
    index = place.index
    if place.token.type == "_EQ" and place.previous and place.previous.type == "_EQ":
        index -= 1
    elif place.token.type not in COMPARISONS:
        return None
    start = index - 1
    while start > 1 and place.tokens[start - 1].type == "_DOT":
        start -= 2
    if start < 0 or not _begins_statement(place, start):
        return None
    told = _word_before(place, start - 1)
    if told:
        return told
    name = place.source.text[place.tokens[start].start : place.tokens[index - 1].end]
    span = place.tokens[index].span.to(place.token.span)
    equal = place.token.type in ("EQUAL", "_EQ")
    hint = Message(_EITHER_HINT, {"name": name}) if equal else Message(_ASK_HINT)
    return place.problem("S116", Message(_ALONE), hint, span=span)


def _begins_statement(place: Place, start: int) -> bool:
    word, cursor_at = place.tokens[start].text[0].isalpha(), place.cursor_at
    return word and cursor_at is not None and cursor_at(start).accepts() >= STATEMENT - {"_THEN"}


def _word_before(place: Place, index: int) -> Problem | None:
    """Report the word before the comparison, which was read as the name of a plan."""
    word = place.tokens[index] if index > 0 else None
    if word is None or word.type != "NAME" or place.line(word) != place.line(place.token):
        return None
    if place.tokens[index - 1].type == "_DOT":
        return None
    then = any(token.type == "_THEN" for token in place.rest_of_line())
    if then and near(word.text, ["IF"], lambda _: True):
        return misspelt(place, word, Near("IF", slip=True))
    for foreign, hint in _HINTS.items():
        if foreign in (word.text.upper(), *_slips(word.text, foreign)):
            return place.problem(
                "S105", Message(_FOREIGN, {"word": word.text}), Message(hint), span=word.span
            )
    return None


def _slips(word: str, foreign: str) -> list[str]:
    """Return the word that is meant when one of its letters is missing or in another place."""
    capitals = word.upper()
    cut = any(foreign[:at] + foreign[at + 1 :] == capitals for at in range(len(foreign)))
    return [foreign] if cut or (sorted(capitals) == sorted(foreign)) else []
