"""The page of all words, docs/words.md: `python -m agentl_grammar.lexicon.page > docs/words.md`.

A test holds the committed page equal to what this module returns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from agentl_grammar.lexicon import CONTEXTUAL, DESCRIPTIONS, FUNCTIONS, GROUPS, PHASES, Word

_HEAD = """\
# Words

{count} words are reserved: each is one only in capitals, starts no path and is no value. Behind a dot
(`x.WEIGHT`) and wherever any word may be a name it is an ordinary name. {contextual} mean something behind
EXPECT only.

In the shapes, words in small letters stand for what they say and `…` for any expression; what is in `[ ]` may
be left out, `|` means or, up to what is around it, and `( | )` is one of several.
`branch` is a statement or a block of statements, `bucket` LONG_TERM, SHORT_TERM, KNOWLEDGE or SHARED with a
name. Items two spaces or a line apart may come in any order, and commas between items are free.
`{{ names }}` and `{{ paths }}` may be a single one without braces, and `=` may be `:`.

Made from the lexicon (`python -m agentl_grammar.lexicon.page`), which the editors show too: do not edit.
"""


def page() -> str:
    """Return the page."""
    contextual = ", ".join(f"`{word}`" for word in CONTEXTUAL)
    head = _HEAD.format(count=len(DESCRIPTIONS), contextual=contextual)
    return "\n".join([head, *_groups(), *_phases(), *_functions()])


def _groups() -> Iterator[str]:
    for group, words in GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for word in words.split():
            yield _entry(DESCRIPTIONS[word])


def _entry(word: Word) -> str:
    shape = f"{word.syntax}\n\n{word.example}"
    return f"### {word.text}\n\n{word.explained()}\n\n```agentl\n{shape}\n```\n"


def _phases() -> Iterator[str]:
    yield "## Phases that stand alone\n"
    yield f"As a statement by itself, each of these runs its phase now: {', '.join(PHASES)}.\n"


def _functions() -> Iterator[str]:
    yield "## Functions of expressions\n"
    yield "Their names are not reserved, but for CONFIDENCE.\n\n| call | value |\n|---|---|"
    for function in FUNCTIONS.values():
        signature = function.signature.replace("|", "\\|")
        yield f"| `{signature}` | {function.documentation} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(page())
