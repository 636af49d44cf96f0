"""Files that a person names: read, or refused in one line."""

from __future__ import annotations

import errno
from pathlib import Path

from agentl.errors import Place, UsageError
from agentl_grammar.problems import Message, message_id


def explain_os_error(error: OSError) -> UsageError:
    """Return the refusal of the system as a usage error: U102 to U104 and U106."""
    name = str(error.filename) if error.filename is not None else ""
    values = {"path": name, "reason": error.strerror or str(error)}
    place = Place(path=name or None)
    match error.errno:
        case errno.ENOENT:
            return UsageError(
                "U102",
                Message(message_id("there is no {path}"), values),
                place=place,
                action=Message(message_id("check the path and the directory you are in")),
            )
        case errno.EISDIR | errno.ENOTDIR:
            return UsageError(
                "U103",
                Message(message_id("{path} is not what is needed here: {reason}"), values),
                place=place,
                action=Message(
                    message_id("name a file where a file is needed, a directory where a directory is")
                ),
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return UsageError(
                "U104",
                Message(message_id("no permission for {path}"), values),
                place=place,
                action=Message(message_id("give yourself the rights to it, or name another place")),
            )
        case _:
            return UsageError(
                "U106",
                Message(message_id("{path} cannot be used: {reason}"), values),
                place=place,
                action=Message(message_id("see what the system says about this file and its disk")),
            )


def read_text(path: Path) -> str:
    """Return the text of a file. Raises UsageError: U105 when it is not UTF-8, else what the system said."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise explain_os_error(error) from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(
            "U105",
            Message(
                message_id("{path} is not UTF-8: line {line} holds the byte {byte}"),
                {"path": str(path), "line": line, "byte": f"0x{raw[error.start]:02x}"},
            ),
            place=Place(path=str(path)),
            action=Message(message_id("save the file as UTF-8")),
        ) from None
