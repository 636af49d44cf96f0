"""A web site with an old version. RELEASE_APPROVE=yes stands for the person who approves the release."""

from __future__ import annotations

import os

from agentl import Host


def build() -> Host:
    """Return the host: the wanted and the running version, the deployment, and who approves it."""
    host = Host()
    site = {"version": "2.3"}
    host.sensors["wanted.version"] = lambda: "2.4"
    host.sensors["site.version"] = lambda: site["version"]

    @host.tool("deploy", idempotent=True)
    def deploy(version: str) -> dict[str, str]:
        # agentl: naturally idempotent
        site["version"] = version
        return {"version": version}

    host.tools["announce"] = lambda text: {}
    host.approver = lambda request: os.environ.get("RELEASE_APPROVE", "no")
    return host
