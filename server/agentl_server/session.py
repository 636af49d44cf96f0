"""One server, one client, one workspace: what the handlers share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

from lsprotocol import types as t
from pydantic import BaseModel, ValidationError
from pygls.lsp.server import LanguageServer

from agentl_server.documents import Document, Documents
from agentl_server.ide.page import Page
from agentl_server.processes import Processes
from agentl_server.protocol import ClientFeatures, Options
from agentl_server.runs import RunIndex
from agentl_server.texts import TextWorkspace
from agentl_server.version import VERSION
from agentl_server.wire import Wire, converter

log = logging.getLogger("agentl_server")
_Model = TypeVar("_Model", bound=BaseModel)


class AgentServer(LanguageServer):
    """The language server with its open documents, its index of runs and the runs it started."""

    protocol: Wire  # pyright: ignore[reportIncompatibleVariableOverride]  # it is what protocol_cls makes

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  # pygls leaves *args bare
            "agentl",
            VERSION,
            t.TextDocumentSyncKind.Incremental,
            protocol_cls=Wire,
            converter_factory=converter,
        )
        self.documents = Documents(self.open_workspace)
        self.runs = RunIndex()
        self.processes = Processes()
        self.client = ClientFeatures()
        self.options = Options()
        self._tasks: set[asyncio.Task[None]] = set()

    def open_workspace(self) -> TextWorkspace:
        """Return the workspace. Raises RuntimeError before `initialize`."""
        return cast("TextWorkspace", self.workspace)

    def page(self, document: Document) -> Page:
        """Return an open text with all that is known of it."""
        return document.page(self.runs.of_program(document.path, document.anatomy))

    def adopt_options(self, params: t.InitializeParams) -> None:
        """Take what the client says of itself; what does not fit is logged and left at its default."""
        experimental: Any = params.capabilities.experimental
        told = cast("dict[str, object]", experimental) if isinstance(experimental, dict) else {}
        self.client = _validated(ClientFeatures, told.get("agentl"))
        self.options = _validated(Options, params.initialization_options)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside the conversation, until the server closes at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def enabled(self, feature: str) -> bool:
        """Tell whether a feature is on: it is unless the settings say otherwise."""
        return self.options.features.get(feature, True)

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log what went wrong outside a request; a request is answered with its own error."""
        log.error("%s: %s", source.__name__, error)

    async def close(self) -> None:
        """Let go of what runs beside the conversation. Runs that were started go on by themselves."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _validated(model: type[_Model], told: object) -> _Model:
    try:
        return model.model_validate({} if told is None else told)
    except ValidationError as error:
        log.warning("%s are ignored: %s", model.__name__, error)
        return model()
