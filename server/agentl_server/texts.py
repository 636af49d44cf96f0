"""Open texts as pygls keeps them, with lines counted as editors count them: LF, CRLF and CR only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from lsprotocol import types as t
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument, Workspace

from agentl_grammar.source import Encoding, Position, Source
from agentl_server.ide.kept import Kept


def encoding_of(kind: t.PositionEncodingKind | str | None) -> Encoding:
    """Return the unit of columns that client and server agreed on; UTF-16 when nothing was said."""
    return Encoding(kind.value if isinstance(kind, t.PositionEncodingKind) else kind or "utf-16")


def file_of(uri: str) -> str | None:
    """Return the path in a URI, however it is spelled; None when it names no file."""
    parts = urlsplit(uri)
    local = parts._replace(netloc="") if parts.netloc.lower() == "localhost" else parts
    return to_fs_path(local.geturl())


def spelling(uri: str, known: Iterable[str]) -> str | None:
    """Return which of the `known` URIs is meant: the very same, else one that names the same file.

    A client that spells one file in two ways has two texts, and each is its own.
    """
    spellings = list(known)
    if uri in spellings:
        return uri
    same = file_of(uri) or unquote(uri)
    return next((other for other in spellings if (file_of(other) or unquote(other)) == same), None)


class EditedText(TextDocument):
    """An open text. Edits go through `Source`, which is also what the features read."""

    _cached: Source | None = None
    _kept: Kept | None = None

    @property
    def kept(self) -> Kept:
        """What the edits have kept of the text at the last `mark`, else of the text that was opened."""
        if self._kept is None:
            self._kept = Kept.all(self.source)
        return self._kept

    def mark(self) -> None:
        """Count edits from here."""
        self._kept = None

    @property
    def text_source(self) -> Source:
        """The text with its lines, split once per version."""
        text = self.source
        if self._cached is None or self._cached.text is not text:
            self._cached = Source(text, file_of(self.uri) or self.uri)
        return self._cached

    @property
    def encoding(self) -> Encoding:
        """The unit in which the client counts columns."""
        return encoding_of(self.position_codec.encoding)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends."""
        source = self.text_source
        return tuple(source.line(number) for number in range(source.line_count))

    def _apply_incremental_change(self, change: t.TextDocumentContentChangePartial) -> None:
        source = self.text_source
        start = self._offset(source, change.range.start)
        end = self._offset(source, change.range.end)
        end = max(start, end)
        self._kept = self.kept.edited(start, end, len(change.text))
        self._source = source.text[:start] + change.text + source.text[end:]

    def _apply_full_change(self, change: t.TextDocumentContentChangeEvent) -> None:
        self._kept = Kept([])
        self._source = change.text

    def _offset(self, source: Source, position: t.Position) -> int:
        return source.offset(Position(position.line, position.character), self.encoding)


class TextWorkspace(Workspace):
    """The workspace whose documents are `EditedText`, each known by the URI it was opened with."""

    @classmethod
    def like(cls, other: Workspace) -> TextWorkspace:
        """Return a workspace with the root, folders and encoding of `other`."""
        return cls(other.root_uri, other._sync_kind, list(other.folders.values()), other.position_encoding)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # pygls has no other way to its own setting

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> EditedText:
        return EditedText(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )

    def put_text_document(self, text_document: t.TextDocumentItem, notebook_uri: str | None = None) -> None:  # noqa: ARG002 (there are no notebooks)
        """Open a text."""
        self._text_documents[text_document.uri] = self._create_text_document(
            text_document.uri, text_document.text, text_document.version, text_document.language_id
        )

    def get_text_document(self, doc_uri: str) -> TextDocument:
        """Return an open text, else one that is on disk."""
        return self.open_text(doc_uri) or self._create_text_document(doc_uri)

    def update_text_document(
        self, text_doc: t.VersionedTextDocumentIdentifier, change: t.TextDocumentContentChangeEvent
    ) -> None:
        """Apply an edit to an open text. Raises KeyError when it is not open."""
        text = self.open_text(text_doc.uri)
        if text is None:
            raise KeyError(text_doc.uri)
        text.apply_change(change)
        text.version = text_doc.version

    def remove_text_document(self, doc_uri: str) -> None:
        """Close a text."""
        found = spelling(doc_uri, self._text_documents)
        if found is not None:
            del self._text_documents[found]

    def open_text(self, uri: str) -> EditedText | None:
        """Return an open text; None for one that is not open: it is never read from disk."""
        found = spelling(uri, self._text_documents)
        text: Any = self._text_documents[found] if found is not None else None
        return text
