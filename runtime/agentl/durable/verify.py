"""A journal verified on its bytes, line by line, and never held as a whole (durability.md §5).

Number, kind and link of every line are checked, nothing follows the end, and the blobs it names are right. A
line that is not as our writer writes them is read in full, which accepts it or says what is wrong with it, so
every damage is found as by `journal.read`. What a line says that chains is checked where its record is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256

from agentl.durable.blobs import MARK, Blobs
from agentl.durable.chain import SUFFIX_LENGTH
from agentl.durable.journal import Before, record_after, tail_record
from agentl.durable.records import KINDS

_KINDS = {kind.encode("ascii"): kind for kind in KINDS}


class Lines:
    """The whole lines in pieces of a journal; `rest` is what follows the last of them, once all are taken."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.rest = b""

    def __iter__(self) -> Iterator[bytes]:
        """Yield line after line, without its LF."""
        begun: list[bytes] = []
        for piece in self._pieces:
            first, *more = piece.split(b"\n")
            begun.append(first)
            if more:
                yield b"".join(begun)
                yield from more[:-1]
                begun = [more[-1]]
        self.rest = b"".join(begun)


def sound_lines(
    lines: Lines, name: str, blobs: Blobs, before: Before | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield (kind, line) of every record after `before`, by default of all: a whole unfinished one included.

    Raises DurableError R201 to R206, R303 at the first damage.
    """
    before = before or Before()
    number, link, ended = before.count, before.h.encode("ascii"), before.ended
    # Two million lines a gigabyte and more: one hash a line, no call of ours, and no JSON.
    for line in lines:
        start = b'{"n":%d,"kind":"' % number
        kind = _KINDS.get(line[len(start) : line.find(b'"', len(start))])
        link_before = link
        link = sha256(link_before + b"\n" + line[:-SUFFIX_LENGTH]).hexdigest().encode("ascii")
        plain = line.startswith(start) and line[-SUFFIX_LENGTH:] == b',"h":"%b"}' % link
        if not plain or kind is None or kind == "header" or ended or MARK in line:
            before = Before(number, link_before.decode("ascii"), ended)
            record = record_after(before, line, name, blobs)
            kind, link = record.kind, record.h.encode("ascii")
        yield kind, line
        ended = kind == "ended"
        number += 1
    if lines.rest:
        record = tail_record(Before(number, link.decode("ascii"), ended), lines.rest, name, blobs)
        if record is not None:
            yield record.kind, lines.rest
