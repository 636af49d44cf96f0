"""A reserved word as a person reads it."""

from __future__ import annotations

from agentl_grammar.lexicon import DESCRIPTIONS


def word_text(word: str) -> str:
    """Return what a reserved word means, its shape and an example, as Markdown."""
    described = DESCRIPTIONS[word]
    shape = f"```agentl\n{described.syntax}\n```\n\n```agentl\n{described.example}\n```"
    return f"**{word}** · {described.group}\n\n{described.documentation}\n\n{shape}"
