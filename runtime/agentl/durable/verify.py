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

_PLAIN = {kind.encode("ascii"): kind for kind in KINDS if kind != "header"}
"""The kinds of which a line is not read here."""
_BEGIN = 64
"""Bytes that hold the number and the kind of a line that is ours."""
_KIND = 5
"""What `{"n":7,"kind":"read"` has at the kind, split at its quotes."""
_DOLLAR = ord("$")


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
    # A gigabyte is millions of lines: one hash a line, no call of ours, no JSON.
    for line in lines:
        link_before, link = link, sha256(link + b"\n" + line[:-SUFFIX_LENGTH]).hexdigest().encode()
        begin = line[:_BEGIN].split(b'"', 6)
        kind = _PLAIN.get(begin[_KIND]) if len(begin) > _KIND else None
        if (
            kind is None
            or ended
            or begin[:_KIND] != [b"{", b"n", b":%d," % number, b"kind", b":"]
            or line[-SUFFIX_LENGTH:] != b',"h":"%b"}' % link
            or (_DOLLAR in line and MARK in line)  # one byte is found far sooner than ten
        ):
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
