"""Words of yes and no in capitals: a symbol counts as it is written (§3.2, §3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from agentl_grammar.checks.index import Index
from agentl_grammar.checks.registry import Found, said, warning, writing
from agentl_grammar.problems import message_id
from agentl_grammar.tree import Binary, Domain, Expression, ListExpression, Name, Path

_PLAIN = frozenset(("true", "false", "yes", "no", "on", "off", "none", "null", "unknown"))
_EQUALS = ("==", "!=", "IN")
_TWO = message_id("{word} is another word than {plain}, and nothing has it")


@warning("W155", Binary)
def word_in_another_case(index: Index) -> Iterator[Found]:
    """W155: what is compared with True, YES or Null is hardly that word: it is true, yes, null elsewhere.

    Silent where the agent gives something the word in that spelling, or a path has that name.
    """
    compared = [
        (part, word)
        for part, node in index.own(Binary)
        if node.operator.text in _EQUALS
        for word in _words(node)
        if word.text.lower() in _PLAIN and word.text not in _PLAIN and word.text not in index.words
    ]
    if not compared:
        return
    asked = {id(word) for _, word in compared}
    given = {path.text for _, path in index.all(Path) if id(path) not in asked}
    domains = (item for _, domain in index.all(Domain) for item in domain.items)
    given |= {item.text for item in domains if isinstance(item, Name)}
    for part, word in compared:
        if word.text not in given:
            plain = word.text.lower()
            yield Found(
                part.at(word),
                said(_TWO, word=word.text, plain=plain),
                said(message_id("write {plain}; in quotes, {word} is the text"), plain=plain, word=word.text),
                fixes=writing(part.at(word), plain, guess=True),
            )


def _words(node: Binary) -> Iterator[Path]:
    sides: list[Expression] = [node.left, node.right]
    for side in sides:
        items = side.items if isinstance(side, ListExpression) else (side,)
        yield from (item for item in items if isinstance(item, Path) and len(item.segments) == 1)


RULES = (word_in_another_case,)
