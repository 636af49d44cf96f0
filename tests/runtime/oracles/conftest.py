"""A provider on 127.0.0.1 that speaks the wire format of OpenAI, and does as each test tells it."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agentl.oracles.choosing import model_named
from agentl.oracles.limits import Limits

QUICK = Limits(retries=2, budget=20, timeout=10, first_wait=0.01, longest_wait=0.02)


@dataclass
class Reply:
    """What the server does with a request: it waits, then sends status, headers and body, or part of it."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0
    cut: bool = False


def message(**parts: Any) -> Reply:
    """Return a completion whose message has these parts."""
    finish = parts.pop("finish", "stop")
    completion = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", **parts}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    return Reply(json.dumps(completion).encode())


def says(text: str, **parts: Any) -> Reply:
    """Return a completion in words."""
    return message(content=text, **parts)


def calls(arguments: str) -> Reply:
    """Return a completion that answers by the tool, with these arguments as text."""
    call = {"id": "call-1", "type": "function", "function": {"name": "answer", "arguments": arguments}}
    return message(content=None, tool_calls=[call], finish="tool_calls")


def fails(status: int, text: str = "no luck", **headers: str) -> Reply:
    """Return an error of the provider."""
    body = json.dumps({"error": {"message": text, "type": "error", "code": "oops"}}).encode()
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


class Provider:
    """The server: `replies` are used up in order, the last one for good; `requests` are the bodies it got."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                provider.serve(self)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["content-length"]))
        self.requests.append(json.loads(body))
        self.paths.append(request.path)
        self.times.append(time.monotonic())
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        time.sleep(reply.delay)
        request.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            request.send_header(name, value)
        request.send_header("content-length", str(len(reply.body)))
        request.end_headers()
        try:
            request.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
            if reply.cut:
                request.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            request.close_connection = True

    def asked(self, number: int = -1) -> str:
        """Return the text of a request's messages."""
        return json.dumps(self.requests[number]["messages"])


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Return a server that is closed again."""
    running = Provider()
    yield running
    running.server.shutdown()
    running.server.server_close()


@pytest.fixture
def model_of(provider: Provider) -> Callable[..., Any]:
    """Return a function that makes a model of the server, which gives these replies."""

    def make(*replies: Reply, limits: Limits = QUICK, name: str = "openai:gpt-4o") -> Any:
        provider.replies = list(replies)
        return model_named(name, url=provider.url, limits=limits)

    return make
