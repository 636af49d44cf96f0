"""Exceptions as data, without what differs between two processes (durability.md §5)."""

from __future__ import annotations

import errno
import re

from agentl.vocabulary import Failure

_VOLATILE = (
    (re.compile(r"\bfile://\S+"), "<path>"),
    (re.compile(r"(?<=['\"])/[^'\"\n]*/[^'\"\n]+(?=['\"])"), "<path>"),
    (re.compile(r"(?<![\w./:<])/(?:[\w.~+@%-]+/)+[\w.~+@%-]*"), "<path>"),
    (re.compile(r"\b[A-Za-z]:\\[^\s'\"<>|]+"), "<path>"),
    (re.compile(r"\b0x[0-9A-Fa-f]+"), "<address>"),
    (re.compile(r"\bline \d+"), "line <number>"),
)


def without_volatile(text: str) -> str:
    """Return `text` without what differs between two processes: absolute paths, addresses, line numbers."""
    for pattern, replacement in _VOLATILE:
        text = pattern.sub(replacement, text)
    return text


def failure_of(error: BaseException) -> Failure:
    """Return an exception as data: class, message and code without volatile parts (durability.md §5)."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # an exception of a host may not even have a text
        message = ""
    return Failure(type(error).__name__, without_volatile(message), _code_of(error))


def _code_of(error: BaseException) -> str | None:
    try:
        code = getattr(error, "code", None)
    except Exception:  # noqa: BLE001  # `code` may be a property of a host's class, and raise
        return None
    if isinstance(code, str | int) and not isinstance(code, bool):
        return without_volatile(str(code))
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, str(error.errno))
    return None
