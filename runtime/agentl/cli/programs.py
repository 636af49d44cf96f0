"""The programs that a command line names."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

from agentl.errors import UsageError
from agentl.files import decode, read_text
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Source

STANDARD_INPUT = Path("-")
_SUFFIX = ".agent"


def named_programs(places: Sequence[str]) -> list[Path]:
    """Return the programs in `places`: files as they are, folders and patterns by what ends in .agent.

    Raises UsageError U102 when there is none.
    """
    files = list(dict.fromkeys(_files(places)))
    if not files:
        raise UsageError(
            "U102",
            Message(message_id("there is no program in {path}"), {"path": ", ".join(places)}),
            action=Message(message_id("programs are the files that end in .agent")),
        )
    return files


def read_program(file: Path) -> Source:
    """Return the text of a program under the name that messages call it by; `-` is standard input.

    Raises UsageError: U105 when it is not UTF-8, else what the system said.
    """
    if file == STANDARD_INPUT:
        name = "<stdin>"
        return Source(decode(sys.stdin.buffer.read(), name), name)
    return Source(read_text(file), str(file))


def _files(places: Sequence[str]) -> Iterator[Path]:
    for place in places:
        path = Path(place)
        if path.is_dir():
            yield from sorted(path.rglob(f"*{_SUFFIX}"))
        elif not path.exists() and has_magic(place):
            matching = sorted(Path(each) for each in glob(place, recursive=True))  # noqa: PTH207 (it takes whole paths)
            yield from (each for each in matching if each.suffix == _SUFFIX)
        else:
            yield path
