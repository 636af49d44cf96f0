"""A form is only looked for where one of its words stands: no text that it describes is without them."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from re import _constants, _parser
from typing import Any

import pytest

from agentl_grammar.syntax_errors.forms import FORMS
from agentl_grammar.syntax_errors.forms.form import _compiled, words_in, words_of
from agentl_grammar.syntax_errors.forms.policy import BEHIND

REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
EVERY = list(dict.fromkeys((*FORMS, *BEHIND)))


def holds(items: Iterable[tuple[Any, Any]], words: AbstractSet[str]) -> bool:
    """Tell whether every text that a part of a regular expression describes has one of the words."""
    letters = ""
    for kind, part in items:
        if kind is _constants.LITERAL:
            letters += chr(part)
            continue
        if kind is _constants.BRANCH:  # the letters that its branches begin with stand before it
            before = [(_constants.LITERAL, ord(letter)) for letter in letters]
            if all(holds([*before, *branch], words) for branch in part[1]):
                return True
        elif words_in(letters) & words:
            return True
        letters = ""
        if kind is _constants.SUBPATTERN and holds(part[3], words):
            return True
        if kind in REPEATS and part[0] and holds(part[2], words):
            return True
        if kind is _constants.ATOMIC_GROUP and holds(part, words):
            return True
    return bool(words_in(letters) & words)


@pytest.mark.parametrize("form", EVERY, ids=[form.pattern for form in EVERY])
def test_no_text_of_a_form_is_without_its_words(form):
    words = words_of(form)
    assert not words or holds(_parser.parse(_compiled(form.pattern).pattern, re.MULTILINE), words)


def test_most_forms_have_words():
    assert sum(bool(words_of(form)) for form in EVERY) > 0.8 * len(EVERY)
