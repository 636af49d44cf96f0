"""The byte chain of a journal (durability.md §5).

    h(n) = SHA-256( h(n-1) in hex ‖ LF ‖ the bytes of line n before `,"h":` )

It is computed and verified on bytes; nothing is serialised again. h(-1) is the empty text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from agentl.codec import dump

START = ""
"""The link before record 0."""
_LINK = slice(-66, -2)
_AROUND = (b',"h":"', b'"}')
_new_digest = hashlib.sha256().copy
"""Makes an empty one; without OpenSSL's search for it, which costs when the caches are cold."""
_HEXADECIMAL = b"0123456789abcdef"
SUFFIX_LENGTH = len(',"h":""}') + 64
"""Bytes of the end of every line: its link."""


def link(previous: str, body: bytes) -> str:
    """Return the h of a line: `body` are its bytes before `,"h":`, `previous` the h of the one before."""
    digest = _new_digest()
    digest.update(previous.encode("ascii") + b"\n" + body)
    return digest.hexdigest()


def seal_line(previous: str, fields: Mapping[str, object]) -> tuple[bytes, str]:
    """Return the line of a record, without its LF, and its h. `fields` are JSON-able and have no `h`."""
    body = dump(fields)[:-1]
    h = link(previous, body.encode("ascii"))
    return f'{body},"h":"{h}"}}'.encode("ascii"), h


def stated_link(line: bytes) -> str | None:
    """Return the h that a line states, or None when it does not end in one."""
    h = line[_LINK]
    # What is left when the digits are stripped from both ends is no digit.
    if (line[-SUFFIX_LENGTH:-66], line[-2:]) != _AROUND or h.strip(_HEXADECIMAL):
        return None
    return h.decode("ascii")


def verified_link(previous: str, line: bytes) -> str | None:
    """Return the h that a line states if it is the right one after `previous`, else None."""
    stated = stated_link(line)
    if stated is None or link(previous, line[:-SUFFIX_LENGTH]) != stated:
        return None
    return stated
