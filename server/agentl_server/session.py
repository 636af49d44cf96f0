"""One server, one client, one workspace: what the handlers share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as t
from pygls.lsp.server import LanguageServer

from agentl_server.version import VERSION
from agentl_server.wire import Wire, converter

if TYPE_CHECKING:
    # see server.py: these are loaded behind the answer to `initialize`
    from agentl_server.documents import Document, Documents
    from agentl_server.ide.page import Page
    from agentl_server.processes import Processes
    from agentl_server.protocol import ClientFeatures, Options
    from agentl_server.runs import RunIndex
    from agentl_server.texts import TextWorkspace

log = logging.getLogger("agentl_server")


class AgentServer(LanguageServer):
    """The language server with its open documents, its index of runs and the runs it started."""

    protocol: Wire  # pyright: ignore[reportIncompatibleVariableOverride]  # it is what protocol_cls makes
    carry_out: Callable[[t.ExecuteCommandParams], Coroutine[Any, Any, dict[str, Any]]]
    """Carries out a command of the client; server.py says how."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  # pygls leaves *args bare
            "agentl",
            VERSION,
            t.TextDocumentSyncKind.Incremental,
            protocol_cls=Wire,
            converter_factory=converter,
        )
        self._tasks: set[asyncio.Task[None]] = set()

    @cached_property
    def documents(self) -> Documents:
        """The open documents."""
        from agentl_server.documents import Documents  # noqa: PLC0415

        return Documents(lambda: cast("TextWorkspace", self.workspace))

    @cached_property
    def runs(self) -> RunIndex:
        """The runs that are known."""
        from agentl_server.runs import RunIndex  # noqa: PLC0415

        return RunIndex()

    @cached_property
    def processes(self) -> Processes:
        """The runs that were started from here."""
        from agentl_server.processes import Processes  # noqa: PLC0415

        return Processes()

    @cached_property
    def client(self) -> ClientFeatures:
        """What the client can show beyond LSP."""
        from agentl_server.protocol import ClientFeatures, validated  # noqa: PLC0415

        told: object = self.client_capabilities.experimental
        own = cast("dict[str, object]", told).get("agentl") if isinstance(told, dict) else None
        return validated(ClientFeatures, own)

    @cached_property
    def options(self) -> Options:
        """The settings that the client sent."""
        from agentl_server.protocol import Options, validated  # noqa: PLC0415

        return validated(Options, self.protocol.initialize_params.initialization_options)

    def page(self, document: Document) -> Page:
        """Return an open text with all that is known of it."""
        return document.page(self.runs.of_program(document.path, document.anatomy))

    def enabled(self, feature: str) -> bool:
        """Tell whether a feature is on: it is unless the settings say otherwise."""
        return self.options.features.get(feature, True)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside the conversation, until the server closes at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log what went wrong outside a request; a request is answered with its own error."""
        log.error("%s: %s", source.__name__, error)

    async def close(self) -> None:
        """Let go of what runs beside the conversation. Runs that were started go on by themselves."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
