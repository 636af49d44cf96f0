"""Writes syntax/agentl.vim from the lexicon: `python server/neovim/generate_syntax.py`.

The words come from `agentl_grammar.lexicon`; a test fails when the file and the lexicon differ.
"""

# ruff: noqa: INP001  (a script inside a plugin folder, not a module of a package)
from __future__ import annotations

import textwrap
from pathlib import Path

from agentl_grammar.lexicon import GROUPS, UNITS

SYNTAX_FILE = Path(__file__).parent / "syntax" / "agentl.vim"

HIGHLIGHT_OF_GROUP = {
    "agent": "Structure",
    "policy": "Exception",
    "phases": "Function",
    "operators": "Operator",
}
"""Vim's highlight of a group of words; every other group is a Keyword."""

HEAD = """\
" Vim syntax file
" Language: agentl (*.agent)
" Made by server/neovim/generate_syntax.py from the lexicon: do not edit.

if exists("b:current_syntax")
  finish
endif

syntax case match
syntax iskeyword @,48-57,_

"""

PATTERNS = r"""
" a reserved word behind a dot is part of a path; before "(" stands a tool or a function
syntax match agentlField "\.\h\w*"
syntax match agentlCall "\<\h\w*\ze\s*("

syntax match agentlNumber "\<\d\+\%(\.\d\+\)\?\>"
syntax match agentlNumber "\<\d\+\%(\.\d\+\)\?%"
syntax match agentlTimespan "\<\d\+\%(\.\d\+\)\?\%({units}\)\>"
syntax match agentlDatetime "\<\d\{{4\}}-\d\d-\d\d\%(T\d\d:\d\d\%(:\d\d\)\?\)\?"

syntax region agentlString start=+"+ skip=+\\.+ end=+"+ contains=agentlEscape
syntax match agentlEscape "\\." contained

syntax keyword agentlTodo contained TODO FIXME NOTE
syntax region agentlComment start="#" end="$" oneline contains=agentlTodo,@Spell
syntax region agentlComment start="//" end="$" oneline contains=agentlTodo,@Spell
syntax region agentlComment start="/\*" end="\*/" contains=agentlTodo,@Spell

highlight default link agentlCall Function
highlight default link agentlField Identifier
highlight default link agentlNumber Number
highlight default link agentlTimespan Number
highlight default link agentlDatetime Constant
highlight default link agentlString String
highlight default link agentlEscape SpecialChar
highlight default link agentlTodo Todo
highlight default link agentlComment Comment
"""

TAIL = """
syntax sync minlines=50

let b:current_syntax = "agentl"
"""


def vim_name(group: str) -> str:
    """The name of the syntax group of a group of the lexicon."""
    return "agentl" + "".join(part.capitalize() for part in group.split())


def keywords(group: str, words: str) -> str:
    """The commands that declare the words of one group."""
    declaration = textwrap.fill(
        words,
        width=110,
        initial_indent=f"syntax keyword {vim_name(group)} ",
        subsequent_indent=r"  \ ",
        break_on_hyphens=False,
    )
    highlight = HIGHLIGHT_OF_GROUP.get(group, "Keyword")
    return f"{declaration}\nhighlight default link {vim_name(group)} {highlight}\n"


def syntax() -> str:
    """The whole text of syntax/agentl.vim."""
    words = "".join(keywords(group, words) for group, words in GROUPS.items())
    patterns = PATTERNS.format(units=r"\|".join(UNITS))
    return HEAD + words + patterns + TAIL


if __name__ == "__main__":
    SYNTAX_FILE.write_text(syntax(), encoding="utf-8")
