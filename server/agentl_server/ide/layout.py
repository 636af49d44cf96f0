"""The layout of a text, or of some lines of it."""

from __future__ import annotations

from agentl_grammar.formatter import Replacement, formatted
from agentl_grammar.parser import ParseResult
from agentl_grammar.source import Span


def layout(parsed: ParseResult, chosen: Span | None = None) -> list[Replacement]:
    """Return what is to be replaced to lay a text out; with `chosen`, only what stands in its lines.

    Around a mistake all is laid out, the broken member itself stays as it is.
    """
    text = parsed.source.text
    replacements = formatted(text, parsed).replacements
    if chosen is None:
        return list(replacements)
    begin = _line_start(text, chosen.start)
    # A range that ends where a line begins was dragged over the line end only.
    last = (
        chosen.end - 1
        if chosen.end > chosen.start and _line_start(text, chosen.end) == chosen.end
        else chosen.end
    )
    end = _line_end(text, last)
    return [each for each in replacements if begin <= each.span.end <= end]


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    ends = (at for at in (text.find("\n", offset), text.find("\r", offset)) if at >= 0)
    return min(ends, default=len(text))
