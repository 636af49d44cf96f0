"""Commands of the packages above: an entry point of the group `agentl.commands` is a function of the app."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from agentl.errors import UsageError
from agentl_grammar.problems import Message, message_id

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "agentl.commands"


def add_commands_from_above(app: typer.Typer, arguments: list[str]) -> None:
    """Load entry points when they may be needed: they cost a walk over all installed packages."""
    named = next((word for word in arguments if not word.startswith("-")), None)
    if named is not None and named in _own_commands(app):
        return
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        _register(app, point)


def _own_commands(app: typer.Typer) -> Iterator[str]:
    for group in app.registered_groups:
        yield (group.typer_instance and group.typer_instance.info.name) or ""
    for command in app.registered_commands:
        yield command.name or getattr(command.callback, "__name__", "")


def _register(app: typer.Typer, point: EntryPoint) -> None:
    try:
        point.load()(app)
    except Exception as error:  # noqa: BLE001  # whatever an add-on raises, the other commands go on
        _register_broken(app, point.name, error)


def _register_broken(app: typer.Typer, name: str, error: Exception) -> None:
    values = {"name": name, "error": f"{type(error).__name__}: {error}"}

    def refuse() -> None:
        raise UsageError(
            "U107",
            Message(message_id("the command {name} cannot be loaded: {error}"), values),
            action=Message(message_id("install the package that brings it again")),
        )

    app.command(name, help="(cannot be loaded)", context_settings={"ignore_unknown_options": True})(refuse)
