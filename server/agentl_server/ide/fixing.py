"""All fixes of a text at once, as the changes that lead there."""

from __future__ import annotations

from difflib import SequenceMatcher

from agentl.fixing import Look, fixed
from agentl_grammar.source import Span

Change = tuple[Span, str]


def fixing(text: str, look: Look) -> list[Change]:
    """Return what is to be replaced to apply every fix that is the only one; `look` finds the problems."""
    return _changes(text, fixed(text, look)[0])


def _changes(old: str, new: str) -> list[Change]:
    if old == new:
        return []
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    return [
        (Span(starts[first], starts[last]), "".join(after[begin:end]))
        for what, first, last, begin, end in SequenceMatcher(None, before, after).get_opcodes()
        if what != "equal"
    ]
