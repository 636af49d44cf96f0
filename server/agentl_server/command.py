"""`agentl lsp`: the language server as a command of `agentl` (entry-point group `agentl.commands`)."""

from __future__ import annotations

import sys

import typer

from agentl_grammar.problems import message_id

_HELP = message_id("Run the language server on standard input and output, for an editor.")


def register(app: typer.Typer) -> None:
    """Add the command to the `agentl` command line."""

    @app.command("lsp", help=_HELP)
    def lsp() -> None:  # pyright: ignore[reportUnusedFunction]  # typer keeps it
        from agentl_server.stdio import serve  # noqa: PLC0415  # the server is loaded only when it is wanted

        sys.exit(serve())
