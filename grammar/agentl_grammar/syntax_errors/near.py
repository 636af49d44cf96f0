"""Which word was meant by one that is not known: the one place that decides what may be written unasked.

A slip is one letter missing, too many or wrong, or two exchanged. A word that merely looks alike is a guess,
for a person to take. A word that says the opposite, or that means something of its own, is near nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import NamedTuple

from agentl_grammar.lexicon import WORDS

_LONGEST = 3
_ALIKE = 0.75
_LOOKED_AT = 5
# Words that people know from elsewhere: none of them is a slip for a word of the language.
_OWN_WORDS = "NAND NOR XOR XNOR NIN NOTIN NOT_IN ANY ALL NONE MIN MINIMUM MAXIMUM UNLESS EXCEPT HAS LIKE"
_OWN = frozenset(_OWN_WORDS.split())
# What turns a word into its opposite. N and X alone do it too: NAND, NIF, XOR.
_BEFORE = re.compile(r"(?:UN|NO|NON|NOT|NEVER|DIS|MIS|IN|IM|DE|ANTI|N|X)_*\Z").match
_BEHIND = re.compile(r"_*(?:NOT|NO|LESS|FREE|NEVER)\Z").match
_BOUND = re.compile(r"(?<![A-Z])(MIN|MAX)(?![A-LN-Z])").findall


class Near(NamedTuple):
    """The word that is near another one; a `slip` may be written in its place unasked."""

    word: str
    slip: bool


def nearest_of(word: str, wanted: Iterable[str]) -> Near | None:
    """Return the one of `wanted`, in capitals, that `word` is a slip for, else the one most like it.

    Of two that are one slip away neither is sure; none is near what opposes it.
    """
    return next(iter(all_near(word.upper(), wanted)), None)


def all_near(capitals: str, wanted: Iterable[str]) -> list[Near]:
    """Return the word that one in capitals is a slip for, if it is only one; else two that are like it."""
    known = list(wanted)
    slips = [other for other in known if is_slip(capitals, other)]
    if len(slips) == 1:
        return [Near(slips[0], slip=True)]
    alike = get_close_matches(capitals, slips or known, _LOOKED_AT, _ALIKE)
    return [Near(other, slip=False) for other in alike if not opposes(capitals, other)][:2]


def near(word: str, wanted: Iterable[str], fits: Callable[[str], bool]) -> str | None:
    """Return the one short word of `wanted` that fits and is one slip from `word`, if only one is.

    Two letters exchanged are likelier than one that is wrong, missing or too many. One reserved word is no
    slip for another.
    """
    capitals = word.upper()
    if not capitals.isalpha() or len(capitals) > _LONGEST or word in WORDS:
        return None
    short = [other for other in wanted if len(other) <= _LONGEST and not opposes(capitals, other)]
    for slip in (_exchanged, _one_letter):
        found = [other for other in short if other != capitals and slip(capitals, other) and fits(other)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def is_slip(word: str, wanted: str) -> bool:
    """Tell whether two words are one slip apart, and none the opposite of the other."""
    if abs(len(word) - len(wanted)) > 1:
        return False
    one_apart = _exchanged(word, wanted) or _one_letter(word, wanted)
    return one_apart and not opposes(word.upper(), wanted.upper())


def opposes(word: str, wanted: str) -> bool:
    """Tell whether a word in capitals negates `wanted`, bounds another side, or has a meaning of its own."""
    if word == wanted:
        return False
    if word in _OWN or (_BOUND(word) and _BOUND(word) != _BOUND(wanted)):
        return True
    before, found, behind = word.partition(wanted)
    return bool(found) and bool(
        (not behind and _BEFORE(before)) or (not before and _BEHIND(behind)) or (before and behind)
    )


def _exchanged(word: str, wanted: str) -> bool:
    return any(word[:at] + word[at : at + 2][::-1] + word[at + 2 :] == wanted for at in range(len(word) - 1))


def _one_letter(word: str, wanted: str) -> bool:
    if len(word) == len(wanted):
        return sum(one != other for one, other in zip(word, wanted, strict=True)) == 1
    short, long = sorted((word, wanted), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
