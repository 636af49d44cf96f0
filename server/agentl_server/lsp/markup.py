"""Markdown for a client that shows it, and the same words as plain text for one that does not."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as t


def markup(text: str, formats: Sequence[t.MarkupKind] | None) -> t.MarkupContent:
    """Return `text` in the best of the formats that the client named."""
    shown = t.MarkupKind.Markdown if t.MarkupKind.Markdown in (formats or ()) else t.MarkupKind.PlainText
    return t.MarkupContent(kind=shown, value=text)
