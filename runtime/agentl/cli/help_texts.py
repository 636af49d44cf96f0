"""The help of the commands, in the language in force: the catalogue has every text of it.

typer has no catalogue of its own. What it writes itself ("Usage", "Options", "Show this message and exit.")
passes through its formatter, and so through ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from agentl.messages import translate_template
from agentl_grammar.problems import message_id

_OF_TYPER = (
    message_id("Arguments"),
    message_id("Options"),
    message_id("Commands"),
    message_id("Show this message and exit."),
)
_REQUIRED = message_id("required")
_USAGE = message_id("Usage: ")
_PARTS = message_id("COMMAND [ARGS]...")


class _Formatter(typer.Context.formatter_class):
    """Writes what typer is about to write in the language in force."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is called."""
        args = args.replace(_PARTS, translate_template(_PARTS))
        super().write_usage(prog, args, prefix or translate_template(_USAGE))

    def write_heading(self, heading: str) -> None:
        """Write the title of a section."""
        super().write_heading(translate_template(heading))

    def write_dl(self, rows: Any, *args: Any, **options: Any) -> None:
        """Write words, each with its explanation."""
        super().write_dl([(word, _explained(text)) for word, text in rows], *args, **options)


def _explained(text: str) -> str:
    """Return an explanation in the language in force; what typer adds stands behind it, in brackets."""
    ours, mark, added = text.rpartition("  [") if text.endswith("]") else (text, "", "")
    if not mark:
        return translate_template(text) if text else text
    return translate_template(ours) + mark + added.replace(_REQUIRED, translate_template(_REQUIRED))


class _Context(typer.Context):
    formatter_class = _Formatter


def translate_help(command: Any) -> None:
    """Let a command, and those below it, give their help in the language in force."""
    for each in _commands(command):
        each.context_class = _Context
        each.help = translate_template(each.help) if each.help else each.help


def help_texts(commands: typer.Typer) -> Iterator[str]:
    """Yield every text of every command: what the catalogue is to hold beside the messages."""
    for each in _commands(get_command(commands)):
        texts = (each.help, *(getattr(part, "help", None) for part in each.params))
        yield from (text for text in texts if text)


def _commands(command: Any) -> Iterator[Any]:
    yield command
    for below in getattr(command, "commands", {}).values():
        yield from _commands(below)
