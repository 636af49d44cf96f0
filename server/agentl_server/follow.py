"""What happens by itself: runs are watched, and those started from here report progress and output."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shlex
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, cast

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

from agentl_grammar.tree import MainLoop
from agentl_server.ide.run_view import RunView
from agentl_server.lsp.diagnostics import publish
from agentl_server.names import RUN_CHANGED, RUN_OUTPUT
from agentl_server.processes import Process, interrupt
from agentl_server.protocol import RunChanged, RunOutput
from agentl_server.runs import Change, program_of
from agentl_server.session import AgentServer

log = logging.getLogger("agentl_server")
_PAUSE_SECONDS = 0.1


async def watch(server: AgentServer) -> None:
    """Look at the runs for ever, and tell the client what changed."""
    said = ""
    while True:
        try:
            await look(server)
        except Exception as error:
            # the same fault at every look is told once
            if said != (said := repr(error)):
                log.exception("the runs could not be looked at")
        await asyncio.sleep(_PAUSE_SECONDS)


async def look(server: AgentServer) -> None:
    """Look at every run and every started process once."""
    server.runs.discovery.programs = [document.path for document in server.documents.all() if document.path]
    hosts = [document for document in server.documents.all() if document.host_changed()]
    changes = await server.runs.refresh()
    if changes:  # before anything that could fail: what was read once is not reported as changed again
        refresh(server)
    for process in list(server.processes.running):
        report(server, process)
    for change in changes:
        _tell(server, change)
    if changes or hosts:
        for document in server.documents.all():
            publish(server, document)


def _tell(server: AgentServer, change: Change) -> None:
    if change.view is None or not server.client.run_changed:
        return
    view = change.view
    program = program_of(view)
    server.protocol.notify(
        RUN_CHANGED,
        RunChanged(
            directory=str(view.directory),
            program=str(program) if program else None,
            run_id=view.run_id,
            state=view.state,
            entries=view.entries,
            open_intents=len(view.open_intents),
            in_doubt=len(view.in_doubt),
            command=next_command(view),
        ).model_dump(mode="json", by_alias=True),
    )


def next_command(view: RunView) -> str:
    """Return what a person types next in a terminal, from anywhere."""
    directory = shlex.quote(str(view.directory))
    program = program_of(view)
    if view.is_open and view.state != "corrupt" and program is not None:
        return f"agentl run {shlex.quote(str(program))} --durable {directory}"
    return f"agentl durable status {directory}"


def refresh(server: AgentServer) -> None:
    """Ask the client to fetch lenses and hints again, as far as it knows how."""
    workspace = server.client_capabilities.workspace
    if workspace is None:
        return
    if workspace.code_lens is not None and workspace.code_lens.refresh_support:
        server.spawn(_asked(server.workspace_code_lens_refresh_async))
    if workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
        server.spawn(_asked(server.workspace_inlay_hint_refresh_async))


async def _asked(request: Callable[[None], Awaitable[None]]) -> None:
    # a client that cannot refresh has said enough; the next request of its own shows what is new
    with contextlib.suppress(JsonRpcException):
        await request(None)


# -------------------------------------------------------------------------------------------- started runs


def follow(server: AgentServer, process: Process) -> None:
    """Report the progress of a run that was just started."""
    window = server.client_capabilities.window
    if window is not None and window.work_done_progress:
        server.spawn(_begin_progress(server, process))


async def _begin_progress(server: AgentServer, process: Process) -> None:
    token = str(uuid.uuid4())
    with contextlib.suppress(JsonRpcException):
        await server.work_done_progress.create_async(token)  # pyright: ignore[reportUnknownMemberType]  # pygls leaves the future bare
        title = f"agentl: {process.directory.name}"
        server.work_done_progress.begin(token, t.WorkDoneProgressBegin(title=title, cancellable=True))
        process.token = token
        if process.exit_code is not None:
            _end_progress(server, process)


def report(server: AgentServer, process: Process) -> None:
    """Hand on what a run printed and how far it is; when it ended, say so."""
    code = process.exit_code
    view = server.runs.view(process.directory)
    text = process.output()
    if text and server.client.run_output:
        message = RunOutput(directory=str(process.directory), run_id=view.run_id if view else None, text=text)
        server.protocol.notify(RUN_OUTPUT, message.model_dump(mode="json", by_alias=True))
    if code is not None:
        _end_progress(server, process)
        server.processes.forget(process)
    elif process.token is not None:
        _report_progress(server, process, view)


def _report_progress(server: AgentServer, process: Process, view: RunView | None) -> None:
    tokens = cast("dict[int | str, Future[Any]]", server.work_done_progress.tokens)  # pyright: ignore[reportUnknownMemberType]  # pygls leaves the future bare
    asked = tokens.get(process.token or "")
    if asked is not None and asked.cancelled() and not process.stopping:
        process.stopping = interrupt(process.directory)
    said = _how_far(view) if view else "starting"
    if said != process.said:
        process.said = said
        server.work_done_progress.report(process.token or "", t.WorkDoneProgressReport(message=said))


def _how_far(view: RunView) -> str:
    tick = view.history.tick
    length = _length(view)
    return f"tick {tick} of {length}" if length else f"tick {tick}"


def _length(view: RunView) -> int | None:
    """Return how many ticks there are at most: as the run was started, else as its LOOP says."""
    header, pinned = view.history.header, view.history.pinned
    if header is not None and header.length is not None:
        return header.length
    loops = [agent.last(MainLoop) for agent in pinned.anatomy.program.agents] if pinned else []
    limits = [int(loop.maximum.value) for loop in loops if loop is not None and loop.maximum is not None]
    return max(limits) if loops and len(limits) == len(loops) else None


def _end_progress(server: AgentServer, process: Process) -> None:
    token, process.token = process.token, None
    if token is not None:
        view = server.runs.view(process.directory)
        server.work_done_progress.end(token, t.WorkDoneProgressEnd(message=view.state if view else "ended"))
