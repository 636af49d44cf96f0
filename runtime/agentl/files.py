"""Files that a person names: read, or refused in one line."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Generator, Iterable
from pathlib import Path

from agentl.errors import Place, UsageError
from agentl_grammar.problems import Message, message_id


def explain_os_error(error: OSError) -> UsageError:
    """Return the refusal of the system as a usage error: U102 to U104 and U106.

    What the system names no file for was written to standard output: all else that is opened has a name.
    """
    named = error.filename is not None
    name = str(error.filename) if named else Message(message_id("standard output"))
    values = {"path": name, "reason": error.strerror or str(error)}
    place = Place(path=str(error.filename) if named else None)
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
        with naming(path):
            raw = path.read_bytes()
    except OSError as error:
        raise explain_os_error(error) from None
    return decode(raw, str(path))


def decode(raw: bytes, name: str) -> str:
    """Return the text that `raw` is, read from what `name` names. Raises UsageError U105."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(
            "U105",
            Message(
                message_id("{path} is not UTF-8: line {line} holds the byte {byte}"),
                {"path": name, "line": line, "byte": f"0x{raw[error.start]:02x}"},
            ),
            place=Place(path=name),
            action=Message(message_id("save the file as UTF-8")),
        ) from None


@contextlib.contextmanager
def naming(path: Path) -> Generator[None]:
    """Put `path` into an OSError of the block: the system names no file when it fails to read or write."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def refuse_inside_run(output: Path, run: Path) -> None:
    """Refuse to write below a run directory, also through links. Raises UsageError U111."""
    if run.resolve() not in output.resolve().parents:
        return
    raise UsageError(
        "U111",
        Message(
            message_id("{path} lies inside the run directory {run}"), {"path": str(output), "run": str(run)}
        ),
        place=Place(path=str(output)),
        action=Message(message_id("name a file outside of it: what lies in it belongs to the run alone")),
    )


def refuse_overwriting(output: Path, needed: Path) -> None:
    """Refuse to write over a file that a run needs, also through links. Raises UsageError U111."""
    with contextlib.suppress(OSError):  # a file that is not there is not overwritten
        if output.samefile(needed):
            values = {"path": str(output), "needed": str(needed)}
            raise UsageError(
                "U111",
                Message(message_id("{path} would be written over {needed}, which the run needs"), values),
                place=Place(path=str(output)),
                action=Message(message_id("name another file")),
            )


def write_whole(path: Path, text: str, encoding: str = "ascii") -> None:
    """Write text, its line ends as they are, into a file that is then there whole, or as it was.

    Raises OSError, with the path.
    """
    write_parts(path, [text.encode(encoding)])


def write_parts(path: Path, parts: Iterable[bytes], *, mode: int = 0o666) -> None:
    """Write bytes as they come into a file that is then there whole, or as it was. Raises OSError.

    `mode` is that of a new file, less the umask; one that is there keeps its own.
    """
    with naming(path):
        target = path.resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:  # a device or a pipe, or a directory, which refuses
                stream.writelines(parts)
        else:
            _replace(target, parts, mode)


def _replace(target: Path, parts: Iterable[bytes], mode: int) -> None:
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
