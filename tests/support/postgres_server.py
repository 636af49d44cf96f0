"""A PostgreSQL of our own for the tests: on 127.0.0.1, in a temporary directory, as root or not.

PostgreSQL refuses to run as root; then it runs as the user `nobody`.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg

NOBODY = 65534
USER = "agentl"
DEMOTED = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def programs() -> Path | None:
    """The newest installed server's programs; Debian keeps them out of the PATH."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    found.sort(key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
    on_path = shutil.which("postgres")
    return found[-1] if found else Path(on_path).parent if on_path else None


@dataclass
class Server:
    """A running server, and its address without a database."""

    directory: Path
    process: subprocess.Popen[bytes]
    port: int

    def dsn(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)  # does not wait for clients, as SIGTERM would
        self.process.wait(120)
        shutil.rmtree(self.directory, ignore_errors=True)


def start() -> Server:
    """Start a server that syncs as in production; two runs of the tests get two of them."""
    found = programs()
    assert found is not None, "no PostgreSQL: sudo make setup"
    directory = Path(tempfile.mkdtemp(prefix="agentl-pg-"))
    if DEMOTED:
        os.chown(directory, NOBODY, NOBODY)
    data, log = directory / "data", directory / "log"
    subprocess.run(
        [found / "initdb", "-D", data, "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync"],
        check=True,
        capture_output=True,
        cwd=directory,
        **DEMOTED,
    )
    port = free_port()
    options = ["-h", "127.0.0.1", "-p", str(port), "-k", str(directory), "-c", "max_connections=60"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [found / "postgres", "-D", data, *options], stdout=output, stderr=output, cwd=directory, **DEMOTED
        )
    wait_until_ready(process, port, log)
    return Server(directory, process, port)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(1000):
        try:
            psycopg.connect(f"postgresql://{USER}@127.0.0.1:{port}/postgres").close()
        except psycopg.OperationalError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
        else:
            return
    raise AssertionError(log.read_text())
