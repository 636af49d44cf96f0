"""A client that speaks bytes: what it sends may be wrong, and it sees every message that comes back."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self


class RawClient:
    """A server process and its wire. Use as a context manager; `stderr` is there after the end."""

    def __init__(self, tmp_path: Path, command: list[str] | None = None) -> None:
        self.env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "AGENTL_LANG": "en"}
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "agentl_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env,
            cwd=tmp_path,
        )
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.seen: list[dict[str, Any]] = []
        self._errors: list[bytes] = []
        self._next = 0
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(120)
        for thread in self._threads:
            thread.join(20)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    @property
    def stderr(self) -> str:
        return b"".join(self._errors).decode()

    def _read(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            assert header.startswith(b"Content-Length: "), header
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    def _read_errors(self) -> None:
        self._errors.extend(self.process.stderr)

    def send_bytes(self, body: bytes) -> None:
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any = None) -> None:
        self.send(method=method, params=params)

    def request(self, method: str, params: Any = None) -> dict[str, Any]:
        identifier = self.ask(method, params)
        return self.reply(identifier)

    def ask(self, method: str, params: Any = None) -> int:
        self._next += 1
        self.send(id=self._next, method=method, params=params)
        return self._next

    def reply(self, identifier: object, seconds: float = 120) -> dict[str, Any]:
        return self.until(
            lambda message: message.get("id") == identifier and "method" not in message, seconds
        )

    def until(self, wanted: Any, seconds: float = 120) -> dict[str, Any]:
        while True:
            message = self.messages.get(timeout=seconds)
            assert message is not None, f"the server is gone\n{self.stderr}"
            self.seen.append(message)
            if wanted(message):
                return message

    def initialize(self, **more: Any) -> dict[str, Any]:
        params = {"processId": None, "rootUri": None, "capabilities": {}, **more}
        reply = self.request("initialize", params)
        self.notify("initialized", {})
        return reply["result"]

    def open(self, uri: str, text: str, version: int = 1) -> None:
        document = {"uri": uri, "languageId": "agentl", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def execute(self, command: str, *arguments: Any) -> dict[str, Any]:
        return self.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})

    def close(self) -> int:
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(120)
