"""What the command-line library cannot parse, in our words and under one code (U101)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Generator
from contextlib import contextmanager
from typing import Any

import typer

from agentl.errors import UsageError
from agentl_grammar.problems import Message, message_id

_SAID = (
    (re.compile(r"No such command '(?P<name>.+)'\."), message_id("there is no command {name}")),
    (
        re.compile(r"Got unexpected extra argument\(s\) \((?P<name>.+)\)"),
        message_id("{name} is more than it takes"),
    ),
    (re.compile(r"Option '(?P<name>.+)' requires an argument\."), message_id("{name} wants a value")),
    (re.compile(r"Option '(?P<name>.+)' does not take a value\."), message_id("{name} takes no value")),
    (re.compile(r"Input should be a valid integer.*"), message_id("a whole number is expected")),
    (
        re.compile(r"Input should be greater than or equal to (?P<least>.+)"),
        message_id("{least} or more is expected"),
    ),
    (
        re.compile(r"Value error, '.*' is not one of (?P<names>.+)\."),
        message_id("one of {names} is expected"),
    ),
)
"""What typer says in English only, and how we say it."""


@contextmanager
def understand() -> Generator[None]:
    """Turn what typer raises about a command line into a UsageError."""
    try:
        yield
    except typer.TyperException as error:
        raise UsageError("U101", _message(error), action=_action(error)) from None
    except typer.Abort:
        raise KeyboardInterrupt from None


def chosen(name: str, formats: Collection[str]) -> str:
    """Return the name of a format. Raises UsageError U101 when it is none of `formats`."""
    if name in formats:
        return name
    raise UsageError(
        "U101",
        Message(message_id("there is no format {name}"), {"name": name}),
        action=Message(message_id("the formats are {names}"), {"names": ", ".join(formats)}),
    )


def _message(error: Any) -> Message:
    """Say what is wrong. typer's classes of errors are private, so their names and fields are read."""
    match type(error).__name__:
        case "NoSuchOption":
            return Message(message_id("there is no option {name}"), {"name": error.option_name})
        case "MissingParameter" if error.param is not None:
            return Message(message_id("{name} is missing"), {"name": error.param.metavar or error.param.name})
        case "BadParameter" if error.param is not None:
            values = {"name": error.param.opts[-1], "reason": _in_our_words(error.message) or error.message}
            return Message(message_id("{name} does not fit: {reason}"), values)
        case _:
            told = error.format_message()
            unknown = message_id("the command line is not understood: {reason}")
            return _in_our_words(told) or Message(unknown, {"reason": told})


def _in_our_words(told: str) -> Message | None:
    for pattern, template in _SAID:
        found = pattern.fullmatch(told)
        if found is not None:
            return Message(template, found.groupdict())
    return None


def _action(error: Any) -> Message:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "agentl"
    near = sorted(set(getattr(error, "possibilities", None) or ()))
    if not near and context is not None:
        near = _near_commands(error, context)
    if near:
        return Message(
            message_id("did you mean {names}? `{command} --help` lists what there is"),
            {"names": ", ".join(near), "command": command},
        )
    return Message(message_id("`{command} --help` lists what there is"), {"command": command})


def _near_commands(error: Any, context: Any) -> list[str]:
    """Return commands that look like a word of the message, which quotes the unknown one."""
    commands = list(getattr(context.command, "commands", {}))
    words = [word.strip("'\".") for word in error.format_message().split()]
    near = [name for word in words for name in difflib.get_close_matches(word, commands, n=1)]
    return list(dict.fromkeys(near))
