"""A word that is almost the reserved word that could stand there, or stands for it elsewhere (S108)."""

from __future__ import annotations

from dataclasses import replace as replace_fields
from functools import partial

from agentl_grammar.lalr import Cursor
from agentl_grammar.lexer import Token, string_value
from agentl_grammar.lexicon import WORDS
from agentl_grammar.problems import Fix, Message, Problem, message_id
from agentl_grammar.syntax_errors.expectations import MANY, candidates
from agentl_grammar.syntax_errors.near import Near, all_near, near, nearest_of
from agentl_grammar.syntax_errors.place import Place, replace

_CAPITALS = message_id("`{word}` is written in capitals: {wanted}")
_NEAR = message_id("`{word}` is not known here: expected {wanted}")
_OTHER = message_id("`{word}` cannot stand here: expected {wanted}")
_QUOTED = message_id("a word of the language stands without quotes: {wanted}")
_HINT = message_id("write {wanted}")
_SHORTEST = 3
_FAR = 7
# What other languages, or other places of this one, say.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "IF": ("WHEN",),
    "WHEN": ("IF", "WHERE"),
    "WHERE": ("WHEN",),
    "WHENEVER": ("WHEN", "IF"),
    "FOR": ("FOREACH",),
    "TO": ("INTO",),
    "IN": ("INTO",),
    "OF": ("FOR", "IN"),
    "USE": ("USING",),
    "NOT": ("NEVER",),
    "FORBID": ("DENY",),
    "DISALLOW": ("DENY",),
    "PROHIBIT": ("DENY",),
    "REJECT": ("DENY",),
    "BLOCK": ("DENY",),
    "PERMIT": ("ALLOW",),
    "BOOL": ("NOUL",),
    "FAILURE": ("FAIL",),
    "ELIF": ("ELSE IF",),
    "ELSEIF": ("ELSE IF",),
    "DO": ("THEN",),
    "LET": ("SET",),
    "AS": ("IN",),
    **dict.fromkeys(("PARAMS", "PARAMETERS", "ARGS", "ARGUMENTS"), ("INPUT",)),
    **dict.fromkeys(("INPUT", "CONTEXT", "READS", "GIVEN"), ("USING",)),
    "INPUTS": ("USING", "INPUT"),
    **dict.fromkeys(("RETURNS", "RETURN", "RESULT", "RESULTS"), ("OUTPUT", "PRODUCE", "EXPECT")),
    **dict.fromkeys(("OUTPUT", "ANSWERS", "SCHEMA"), ("PRODUCE", "EXPECT")),
    "OUTPUTS": ("PRODUCE", "EXPECT", "OUTPUT"),
    **dict.fromkeys(("PROMPT", "INSTRUCTION", "INSTRUCTIONS", "QUESTION", "GOAL"), ("TASK",)),
    **dict.fromkeys(("TEXT", "ASKS", "PROMPT"), ("TASK", "QUESTION")),
    **dict.fromkeys(("PRECONDITION", "PRECONDITIONS", "NEEDS", "PRE"), ("REQUIRES",)),
    **dict.fromkeys(("POSTCONDITION", "POSTCONDITIONS", "POST", "CHANGES"), ("EFFECT",)),
    **dict.fromkeys(("SEVERITY", "DANGER", "RISKS"), ("RISK",)),
    **dict.fromkeys(("DOC", "DOCS", "ABOUT"), ("DESCRIPTION",)),
    **dict.fromkeys(("PRICE", "COSTS"), ("COST",)),
    "TAKES": ("INPUT", "DURATION"),
    "OTHERWISE": ("ELSE",),
}
# Behind these begins a condition, which NOT may stand before.
CONDITIONS = ("_AND", "_OR", "_NOT", "_IF", "_WHEN", "_UNTIL", "_VERIFY", "_CONDITION", "_LPAR")


def keyword(place: Place) -> Problem | None:
    """Report a word that is, but for its case or a letter or two, a reserved word that fits (S108)."""
    token = place.token
    if token.type == "STRING":
        return _quoted(place, token)
    if not _is_word(token):
        return None
    known = candidates(place)
    wanted = _near(place, known) or _short(place, known)
    return _joined(place, known) or _cut(place) or _spelt(place, token, wanted)


def _short(place: Place, known: list[str]) -> Near | None:
    behind = [place.following.type] if place.following else []
    found = near(place.token.text, known, lambda word: _accepts(place.cursor, word, behind))
    return Near(found, slip=True) if found else None


def _spelt(place: Place, token: Token, wanted: Near | None) -> Problem | None:
    if not wanted:
        return None
    told = misspelt(place, token, wanted)
    if wanted.word == "FOREACH" and token.text == "FOR" and len(place.rest_of_line()) == 1:
        # It is no FOREACH yet: the line below would be its name.
        return replace_fields(told, fixes=())
    return told


def _quoted(place: Place, token: Token) -> Problem | None:
    """Report a reserved word in quotes, as JSON writes its keys."""
    wanted = string_value(token.text).upper()
    if wanted not in candidates(place) or "STRING" in place.accepts:
        return None
    values = {"wanted": wanted}
    return place.problem(
        "S108", Message(_QUOTED, values), Message(_HINT, values), replace(token.span, wanted)
    )


def _joined(place: Place, known: list[str]) -> Problem | None:
    """Report a word of two parts written as two words, MAX DEPTH, or cut in two by a blank, T HEN."""
    following = place.following
    if not following or place.line(following) != place.line(place.token):
        return None
    first, second = place.token.text, following.text
    written = f"{first}_{second}".upper(), f"{first}{second}" if (first + second).isupper() else ""
    joined = next((word for word in written if word in known), None)
    if not joined:
        return None
    span = place.token.span.to(following.span)
    values = {"word": place.source.slice(span), "wanted": joined}
    message, hint = Message(_NEAR, values), Message(_HINT, values)
    return place.problem("S108", message, hint, replace(span, joined), span=span)


def _cut(place: Place) -> Problem | None:
    """Report a reserved word with a blank in it, the first part of which was read as a name: N OT."""
    first, behind = place.previous, [place.following.type] if place.following else []
    wanted = f"{first.text}{place.token.text}".upper() if first and first.type == "NAME" else ""
    if not first or wanted not in WORDS or place.cursor_at is None or not place.token.text.isupper():
        return None
    if place.line(first) != place.line(place.token):
        return None
    if not _accepts(place.cursor_at(place.index - 1), wanted, behind):
        return None
    span = first.span.to(place.token.span)
    values = {"word": place.source.slice(span), "wanted": wanted}
    message, hint = Message(_NEAR, values), Message(_HINT, values)
    return place.problem("S108", message, hint, replace(span, wanted), span=span)


def earlier_keyword(place: Place) -> Problem | None:
    """Report a word that was taken for a name, found by what cannot follow it: `foreach x IN` (S108)."""
    if place.cursor_at is None:
        return None
    for index in range(place.index - 1, max(0, place.index - _FAR), -1):
        token = place.tokens[index]
        if token.type != "NAME" or place.tokens[index - 1].type == "_DOT":
            continue
        meanings = _meanings(place, index)
        may_be_short = token.text.isupper() and _may_be_misspelt(place, index)
        if not meanings and not may_be_short:
            continue
        cursor = place.cursor_at(index)
        for wanted in meanings:
            if _leads_here(place, cursor, index, wanted.word):
                return misspelt(place, token, wanted)
        fits = partial(_leads_here, place, cursor, index)
        short = near(token.text, WORDS, fits) if may_be_short else None
        denied = short != "NOT" or place.tokens[index - 1].type in CONDITIONS
        if short and denied:
            return misspelt(place, token, Near(short, slip=True))
    return None


def _meanings(place: Place, index: int) -> list[Near]:
    """Return what the word at `index` could mean; only what begins a line may be spelt wrongly."""
    token = place.tokens[index]
    capitals = token.text.upper()
    found = [capitals] if capitals in WORDS else []
    if capitals == token.text:
        found += _SYNONYMS.get(capitals, ())
    meant = [Near(word, slip=True) for word in found]
    if _may_be_misspelt(place, index) and capitals == token.text and len(capitals) >= _SHORTEST:
        meant += all_near(capitals, WORDS)
    return meant


def _may_be_misspelt(place: Place, index: int) -> bool:
    begins = place.line(place.tokens[index - 1]) < place.line(place.tokens[index])
    return begins or index == place.index - 1


def _leads_here(place: Place, cursor: Cursor, index: int, wanted: str) -> bool:
    between = [token.type for token in place.tokens[index + 1 : place.index + 1]]
    if place.index == len(place.tokens):
        between.append(place.token.type)
    return _accepts(cursor, wanted, between)


def _accepts(cursor: Cursor, wanted: str, behind: list[str]) -> bool:
    """Tell whether words can be read, and what stands behind; ON before UNKNOWN is a terminal of its own."""
    kinds = [f"_{word}" for word in wanted.split()]
    if wanted == "ON" and behind[:1] == ["_UNKNOWN"]:
        kinds = ["_ON_UNKNOWN"]
    return cursor.would_accept(*kinds, *behind)


def _is_word(token: Token) -> bool:
    return token.type == "NAME" or (token.type.startswith("_") and token.text[:1].isalpha())


def _near(place: Place, candidates: list[str]) -> Near | None:
    word = place.token.text
    capitals = word.upper()
    if capitals in candidates:
        return Near(capitals, slip=True) if capitals != word else None
    known = candidates if _may_be_never(place) else [other for other in candidates if other != "NEVER"]
    meant = _synonym(capitals, known) if len(candidates) < MANY else None
    if meant or len(word) < _SHORTEST or capitals in _SYNONYMS.keys() - WORDS.keys():
        return meant
    found = nearest_of(capitals, candidates)
    return None if not found or (word in WORDS and not _is_ending(word, found.word)) else found


def meant_of(word: str, known: list[str]) -> Near | None:
    """Return the one of a few words, in capitals, that `word` stands for."""
    capitals = word.upper()
    said = _synonym(capitals, known) or (Near(capitals, slip=True) if capitals in known else None)
    return said or nearest_of(capitals, known)


def _synonym(capitals: str, candidates: list[str]) -> Near | None:
    """Return the word of the language for one that means the same elsewhere."""
    found = (word for word in _SYNONYMS.get(capitals, ()) if word.split()[0] in candidates)
    # What would allow something is for a person to take.
    return next((Near(word, slip=word != "ALLOW") for word in found), None)


def _may_be_never(place: Place) -> bool:
    """Tell whether a rule may begin at the place: no word within a condition stands for one."""
    begins = place.previous is not None and place.previous.type == "_LBRACE"
    return begins or place.head != "POLICY" or place.starts_line()


def _is_ending(word: str, wanted: str) -> bool:
    """Tell whether two words differ in their ending only; one reserved word is no slip for another."""
    return len(wanted) > _SHORTEST and (word.startswith(wanted) or wanted.startswith(word))


def misspelt(place: Place, token: Token, meant: Near) -> Problem:
    """Return the problem that `token` stands for a reserved word (S108)."""
    wanted = meant.word
    same = token.text.upper() == wanted
    values = {"word": token.text, "wanted": wanted}
    message = Message(_CAPITALS if same else _OTHER if token.text in WORDS else _NEAR, values)
    return place.problem("S108", message, Message(_HINT, values), written(token, meant), span=token.span)


def written(token: Token, meant: Near) -> Fix:
    """Return the fix that writes the word that is meant; a guess, unless it is a slip."""
    return replace_fields(replace(token.span, meant.word), guess=not meant.slip)
