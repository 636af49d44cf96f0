"""Words of two and three letters that are one slip away from a reserved word."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agentl_grammar.lexicon import WORDS

_LONGEST = 3


def near(word: str, wanted: Iterable[str], fits: Callable[[str], bool]) -> str | None:
    """Return the one short word of `wanted` that fits and is one slip from `word`, if only one is.

    Two letters exchanged are likelier than one that is wrong, missing or too many. One reserved word is no
    slip for another.
    """
    capitals = word.upper()
    if not capitals.isalpha() or len(capitals) > _LONGEST or word in WORDS:
        return None
    short = [other for other in wanted if len(other) <= _LONGEST and other != capitals]
    for slip in (_exchanged, _one_letter):
        found = [other for other in short if slip(capitals, other) and fits(other)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def is_slip(word: str, wanted: str) -> bool:
    """Tell whether two words are one slip apart: two letters exchanged, or one wrong, missing or too many."""
    return _exchanged(word, wanted) or _one_letter(word, wanted)


def _exchanged(word: str, wanted: str) -> bool:
    return any(word[:at] + word[at : at + 2][::-1] + word[at + 2 :] == wanted for at in range(len(word) - 1))


def _one_letter(word: str, wanted: str) -> bool:
    if len(word) == len(wanted):
        return sum(one != other for one, other in zip(word, wanted, strict=True)) == 1
    short, long = sorted((word, wanted), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
