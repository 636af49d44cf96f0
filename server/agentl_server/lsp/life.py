"""initialized."""

from __future__ import annotations

import logging
from pathlib import Path

from lsprotocol import types as t

from agentl_server.documents import path_of
from agentl_server.follow import watch
from agentl_server.session import AgentServer

log = logging.getLogger("agentl_server")


def initialized(server: AgentServer, _: t.InitializedParams) -> None:
    """Take the settings and the folders of the workspace, and begin to watch the runs."""
    log.info("client: %s; %s", server.client, server.options)
    server.runs.discovery.patterns = server.options.runs
    server.runs.discovery.roots = _folders(server.protocol.initialize_params)
    server.spawn(watch(server))


def _folders(params: t.InitializeParams) -> list[Path]:
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    return [path for uri in uris if (path := path_of(uri)) is not None and path.is_dir()]
