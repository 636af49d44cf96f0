"""Standard input and output as the wire; nothing else may write there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Generator
from typing import BinaryIO

from agentl_server.server import make_server
from agentl_server.session import AgentServer

_CHUNK = 64 * 1024


class _Output:
    """The client's end. One write per message, never interleaved."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()


def serve() -> int:
    """Serve until the client says exit or goes away. Returns 0 after an orderly shutdown, else 1."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    server = make_server()
    with _guarded_output() as output:
        server.protocol.set_writer(_Output(output))
        with contextlib.suppress(KeyboardInterrupt):
            return asyncio.run(_converse(server, _Input(sys.stdin.fileno())))
    return 130


@contextlib.contextmanager
def _guarded_output() -> Generator[BinaryIO]:
    """Yield the real standard output; whatever else prints, in Python or below, goes to standard error."""
    real = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    try:
        yield real
    finally:
        with contextlib.suppress(OSError):
            real.close()


async def _converse(server: AgentServer, stream: _Input) -> int:
    inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def deliver(body: bytes | None) -> None:
        # the loop may have closed while the reader was blocked in its last read
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(inbox.put_nowait, body)

    # a daemon: blocked in read(), it must not keep the process from ending
    threading.Thread(target=_read_messages, args=(stream, deliver), daemon=True, name="stdin").start()
    try:
        while server.protocol.exit_code is None:
            body = await inbox.get()
            if body is None:
                return 1
            server.protocol.receive(body)
        return server.protocol.exit_code
    finally:
        await server.close()


class _Input:
    """Bytes as they come. Unbuffered below: a thread blocked in a read must hold no lock of Python's."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = b""

    def line(self) -> bytes:
        """Return up to the next LF; less at the end of the input."""
        while b"\n" not in self._waiting and (more := os.read(self._descriptor, _CHUNK)):
            self._waiting += more
        line, end, self._waiting = self._waiting.partition(b"\n")
        return line + end

    def exactly(self, length: int) -> bytes:
        """Return `length` bytes; less at the end of the input."""
        parts = [self._waiting]
        missing = length - len(self._waiting)
        while missing > 0 and (more := os.read(self._descriptor, max(_CHUNK, missing))):
            parts.append(more)
            missing -= len(more)
        data = b"".join(parts)
        self._waiting = data[length:]
        return data[:length]


def _read_messages(stream: _Input, deliver: Callable[[bytes | None], None]) -> None:
    try:
        while (length := _content_length(stream)) is not None:
            body = stream.exactly(length)
            if len(body) < length:
                break
            deliver(body)
    finally:
        deliver(None)


def _content_length(stream: _Input) -> int | None:
    """Read one header; None at the end of the input."""
    length: int | None = None
    while line := stream.line():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
        elif not line.strip() and length is not None:
            return length
    return None
