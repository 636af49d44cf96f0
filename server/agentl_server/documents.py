"""Open texts → parsed programs, by version; and the host script beside each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from agentl.check_settings import settings_for
from agentl.checks import checked
from agentl.errors import UsageError
from agentl.host.source import HostSource, read_host
from agentl.review import Reviewer
from agentl_grammar.checks import Checker, Selection
from agentl_grammar.parser import Parser, ParseResult, parse
from agentl_grammar.problems import Problem
from agentl_grammar.source import Source
from agentl_grammar.tree import Program
from agentl_server.ide.anatomy import Anatomy
from agentl_server.ide.kept import Kept
from agentl_server.ide.page import Checked, Page
from agentl_server.ide.run_view import RunView
from agentl_server.texts import EditedText, TextWorkspace, file_of, spelling

_ALL = Selection()


def path_of(uri: str) -> Path | None:
    """Return the file behind a URI, links resolved; None for a text that is in no file."""
    found = file_of(uri)
    return Path(found).resolve() if found else None


class Document:
    """One open program. Parsing is done once per text, when someone asks."""

    def __init__(self, uri: str, text: Callable[[], EditedText]) -> None:
        self.uri = uri
        self.path = path_of(uri)
        self._text = text
        self.published: object = None
        self.pending: asyncio.TimerHandle | None = None
        self._parser = Parser()
        self._parsed: ParseResult | None = None
        self._anatomy: Anatomy | None = None
        self._good: Anatomy | None = None
        self._edits: Kept | None = None
        self._host: tuple[tuple[int, int], HostSource] | None = None
        self._checker = Checker()
        self._reviewer = Reviewer()
        self._reviews: list[tuple[tuple[Program, HostSource, Selection], tuple[Problem, ...]]] = []
        self._checked: tuple[ParseResult, HostSource | None, Selection, Checked] | None = None

    @property
    def text(self) -> EditedText:
        """The text as pygls keeps it."""
        return self._text()

    @property
    def parsed(self) -> ParseResult:
        """The newest text, parsed."""
        text = self.text
        source = text.text_source
        if self._parsed is None or self._parsed.source is not source:
            self._parsed = self._parser.parse_source(source)
            self._anatomy = _anatomy(self._parsed, self._anatomy) or self._good
            if self._anatomy and self._anatomy.source is source and self._anatomy.whole:
                self._good = self._anatomy
            if self._good is None or self._good.source is source:
                text.mark()
                self._edits = None
            else:
                self._edits = text.kept.refined(self._good.source.text, source.text)
        return self._parsed

    @property
    def host(self) -> HostSource | None:
        """The host script beside the program, read again when the file changed; None when there is none."""
        script = self.path.with_suffix(".py") if self.path else None
        stamp = _stamp(script) if script else None
        if script is None or stamp is None:
            self._host = None
        elif self._host is None or self._host[0] != stamp:
            text = script.read_text(encoding="utf-8", errors="replace")
            self._host = (stamp, read_host(Source(text, str(script))))
        return self._host[1] if self._host else None

    def host_changed(self) -> bool:
        """Tell whether the host script is another than the features saw last."""
        seen = self._host[0] if self._host else None
        return seen != (_stamp(self.path.with_suffix(".py")) if self.path else None)

    def page(self, runs: Iterable[RunView]) -> Page:
        """Return what the features look at: this text, its program, its host and `runs` of it."""
        parsed = self.parsed
        return Page(
            parsed.source,
            parsed.problems,
            self._anatomy,
            self.host,
            tuple(runs),
            self._edits,
            self._good,
            self.checked,
            self.reviewed,
        )

    def checked(self) -> Checked | None:
        """Return what the checks say of this text; while it has a syntax error, of the last without one."""
        parsed = self.parsed
        if parsed.complete:
            host, selection = self.host, self._selection()
            if not self._knows(parsed, host, selection):
                found = selection.apply(checked(parsed, host, self._checker))
                told = tuple(problem for problem in found if problem not in parsed.problems)
                self._checked = parsed, host, selection, Checked(told, parsed.source)
        return self._checked[3] if self._checked else None

    def look(self, text: str) -> tuple[Problem, ...]:
        """Return every problem of a text that could stand in this document; nothing is kept of it."""
        return self._selection().apply(checked(parse(text), self.host))

    def _knows(self, parsed: ParseResult, host: HostSource | None, selection: Selection) -> bool:
        known = self._checked
        return known is not None and known[0] is parsed and known[1] is host and known[2] == selection

    def reviewed(self, program: Program, source: Source, host: HostSource) -> tuple[Problem, ...]:
        """Return what the review says of a program of this document."""
        selection, parsed = self._selection(), self.parsed
        for key, found in self._reviews:
            if key[0] is program and key[1] is host and key[2] == selection:
                return found
        comments = parsed.comments if parsed.source is source else ()
        found = selection.apply(self._reviewer.review(program, source, host, comments))
        # the program as it is and, while it has a mistake, the last one without
        self._reviews = [((program, host, selection), found), *self._reviews[:1]]
        return found

    def _selection(self) -> Selection:
        """Return the settings of the checks for this file; none when they cannot be read."""
        try:
            settings = settings_for(self.path) if self.path else None
        except UsageError:
            settings = None
        return settings.selection if settings else _ALL

    @property
    def anatomy(self) -> Anatomy | None:
        """The last program without a mistake."""
        _ = self.parsed
        return self._good


def _anatomy(parsed: ParseResult, older: Anatomy | None) -> Anatomy | None:
    if parsed.program is None:
        return None
    mistakes = () if parsed.complete else tuple(p for p in parsed.problems if p.code.startswith("S"))
    return Anatomy(parsed.program, parsed.source, mistakes, older)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size)


@dataclass
class Documents:
    """The open documents by the URI each was opened with; any spelling of it finds them."""

    workspace: Callable[[], TextWorkspace]

    def __post_init__(self) -> None:
        self._open: dict[str, Document] = {}

    def opened(self, uri: str) -> Document:
        """Take note that a text is open (or open anew)."""
        self._open[uri] = Document(uri, lambda: self._text(uri))
        return self._open[uri]

    def closed(self, uri: str) -> None:
        """Forget a text."""
        found = spelling(uri, self._open)
        if found is not None:
            del self._open[found]

    def get(self, uri: str) -> Document | None:
        """Return an open document."""
        found = spelling(uri, self._open)
        return self._open[found] if found is not None else None

    def all(self) -> list[Document]:
        """Return every open document."""
        return list(self._open.values())

    def _text(self, uri: str) -> EditedText:
        text = self.workspace().open_text(uri)
        if text is None:
            raise KeyError(uri)
        return text
