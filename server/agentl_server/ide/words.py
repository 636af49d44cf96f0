"""A word of the language as a person reads it."""

from __future__ import annotations

from agentl_grammar.lexicon import CONTEXTUAL, DESCRIPTIONS, FUNCTIONS


def word_text(word: str) -> str:
    """Return what a reserved word means, its shape and an example, as Markdown."""
    described = DESCRIPTIONS[word]
    shape = f"```agentl\n{described.syntax}\n```\n\n```agentl\n{described.example}\n```"
    return f"**{word}** · {described.group}\n\n{described.explained()}\n\n{shape}"


def expectation_text(word: str) -> str:
    """Return what CALL, BLOCKED, NO or ERROR means: what EXPECT does with it."""
    return f"**{word}** · behind EXPECT\n\n{word_text('EXPECT')}"


def function_text(name: str) -> str:
    """Return what a function of expressions gives, as Markdown."""
    function = FUNCTIONS[name]
    return f"```agentl\n{function.signature}\n```\n\n{function.documentation}"


def any_word_text(word: str) -> str:
    """Return what is said of a word that may be typed; nothing of two words that belong together."""
    if word in CONTEXTUAL:
        return expectation_text(word)
    return word_text(word) if word in DESCRIPTIONS else ""
