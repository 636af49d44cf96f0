"""The example beside a run, and a client that sees every message."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as t
from pytest_lsp import LanguageClient

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PUBLISH = t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
REFRESHES = (t.WORKSPACE_CODE_LENS_REFRESH, t.WORKSPACE_INLAY_HINT_REFRESH)
# What a server says of itself as a journal grows. How often, and how late, depends on the machine.
OF_A_RUN = (
    *REFRESHES,
    PUBLISH,
    "agentl/runChanged",
    "agentl/runOutput",
    t.WINDOW_WORK_DONE_PROGRESS_CREATE,
    t.PROGRESS,
)
_ABILITIES = {"agentl": {"runOutput": True, "runChanged": True, "inspect": True}}


def copy_example(folder: Path, name: str = "payments") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in (".agent", ".py"):
        shutil.copy(EXAMPLES / f"{name}{suffix}", folder)
    # the story is about the run: what else could be said of the example is left out
    (folder / "agentl.toml").write_text('ignore = ["W1", "D210"]\n')
    return folder / f"{name}.agent"


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "XDG_STATE_HOME": str(folder / "state"),
        "AGENTL_BANK": str(folder / "bank.sqlite"),
        "AGENTL_LANG": "en",
        **more,
    }


def start_run(program: Path, directory: Path, env: dict[str, str], *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "agentl", "run", str(program), "--durable", str(directory), *more]
    return subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=program.parent
    )


def interrupted_run(program: Path, directory: Path, **more: str) -> None:
    """Kill the run while the bank takes its time: the intent is journaled, its result is not."""
    process = start_run(program, directory, environment(program.parent, PAYMENTS_DELAY="60", **more))
    wait_until(lambda: b'"intent"' in journal(directory))
    process.send_signal(signal.SIGKILL)
    process.wait()


def let_the_bank_wait(program: Path) -> Path:
    """Let the bank of a copied example confirm only while the file that is returned exists."""
    gate, host = program.parent / "bank-is-open", program.with_suffix(".py")
    slow = f"while not Path({str(gate)!r}).exists():\n            time.sleep(0.02)"
    text = host.read_text()
    assert text.count("time.sleep(self.delay)") == 1
    host.write_text(text.replace("time.sleep(self.delay)", slow))
    return gate


def journal(directory: Path) -> bytes:
    path = directory / "wal.jsonl"
    return path.read_bytes() if path.exists() else b""


def wait_until(condition: Any, seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


@dataclass
class Editor:
    """A real client over stdio. Every message is either looked at by the test or makes `finish` fail."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    abilities: dict[str, Any] = field(default_factory=lambda: _ABILITIES)
    refreshes: bool = True
    progress: bool = True
    waiting: list[tuple[str, Any]] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    async def begin(self) -> Editor:
        self.client = LanguageClient()
        self.arrived = asyncio.Event()
        for method in (
            t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            "agentl/runChanged",
            "agentl/runOutput",
            t.PROGRESS,
            t.WINDOW_LOG_MESSAGE,
            t.WINDOW_SHOW_MESSAGE,
            t.WORKSPACE_CODE_LENS_REFRESH,
            t.WORKSPACE_INLAY_HINT_REFRESH,
            t.WINDOW_WORK_DONE_PROGRESS_CREATE,
        ):
            self.client.feature(method)(self._taking(method))
        await self.client.start_io(sys.executable, "-m", "agentl_server", env=self.env, cwd=self.folder)
        self.client._stderr_forwarder.cancel()
        self.errors = asyncio.create_task(self.client._server.stderr.read())
        result = await self.client.initialize_session(
            t.InitializeParams(
                capabilities=t.ClientCapabilities(
                    experimental=self.abilities,
                    text_document=t.TextDocumentClientCapabilities(
                        hover=t.HoverClientCapabilities(content_format=[t.MarkupKind.Markdown]),
                    ),
                    window=t.WindowClientCapabilities(work_done_progress=self.progress),
                    workspace=t.WorkspaceClientCapabilities(
                        code_lens=t.CodeLensWorkspaceClientCapabilities(refresh_support=self.refreshes),
                        inlay_hint=t.InlayHintWorkspaceClientCapabilities(refresh_support=self.refreshes),
                    ),
                ),
                root_uri=self.folder.as_uri(),
            )
        )
        self.encoding = result.capabilities.position_encoding
        return self

    def _taking(self, method: str) -> Any:
        def take(params: Any) -> None:
            # pygls makes a named tuple of the parameters of messages that it does not know
            plain = params._asdict() if method.startswith("agentl/") else params
            self.waiting.append((method, plain))
            self.arrived.set()

        return take

    async def next(self, method: str, wanted: Any = lambda _: True, seconds: float = 120) -> Any:
        """Take the first waiting message of this kind that is wanted, and those of this kind before it."""
        deadline = time.monotonic() + seconds
        while True:
            for message in [message for message in self.waiting if message[0] == method]:
                self.waiting = [other for other in self.waiting if other is not message]
                if wanted(message[1]):
                    return message[1]
            self.arrived.clear()
            left = deadline - time.monotonic()
            assert left > 0, f"no such {method}; waiting: {[kind for kind, _ in self.waiting]}"
            try:
                await asyncio.wait_for(self.arrived.wait(), left)
            except TimeoutError:
                continue

    def take_all(self, *methods: str) -> list[Any]:
        """Look at everything of these kinds that is waiting."""
        found = [params for kind, params in self.waiting if kind in methods]
        self.waiting = [(kind, params) for kind, params in self.waiting if kind not in methods]
        return found

    # ---------------------------------------------------------------------------------------- the document

    def open(self, path: Path) -> str:
        uri = path.as_uri()
        self.versions[uri], self.texts[uri] = 1, path.read_text()
        item = t.TextDocumentItem(uri=uri, language_id="agentl", version=1, text=self.texts[uri])
        self.client.text_document_did_open(t.DidOpenTextDocumentParams(text_document=item))
        return uri

    def edit(self, uri: str, old: str, new: str) -> None:
        start = self.texts[uri].index(old)
        self.splice(uri, start, start + len(old), new)

    def splice(self, uri: str, start: int, end: int, new: str) -> None:
        text = self.texts[uri]
        change = t.TextDocumentContentChangePartial(
            range=t.Range(start=position(text, start), end=position(text, end)), text=new
        )
        self.versions[uri] += 1
        self.texts[uri] = text[:start] + new + text[end:]
        self.client.text_document_did_change(
            t.DidChangeTextDocumentParams(
                text_document=t.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri]),
                content_changes=[change],
            )
        )

    async def diagnostics(self, uri: str) -> list[t.Diagnostic]:
        """Return the diagnostics of the newest version."""
        params = await self.next(
            t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            lambda params: params.uri == uri and params.version == self.versions[uri],
        )
        return list(params.diagnostics)

    async def lenses(self, uri: str) -> list[t.CodeLens]:
        params = t.CodeLensParams(text_document=t.TextDocumentIdentifier(uri=uri))
        return list(await self.client.text_document_code_lens_async(params) or ())

    async def hints(self, uri: str) -> list[tuple[int, str]]:
        """Return the hints as (line counted from 1, text)."""
        whole = t.Range(start=t.Position(line=0, character=0), end=t.Position(line=10_000, character=0))
        params = t.InlayHintParams(text_document=t.TextDocumentIdentifier(uri=uri), range=whole)
        found = await self.client.text_document_inlay_hint_async(params)
        return [(hint.position.line + 1, hint.label) for hint in found or ()]

    async def hover(self, uri: str, needle: str) -> str:
        params = t.HoverParams(
            text_document=t.TextDocumentIdentifier(uri=uri),
            position=position(self.texts[uri], self.texts[uri].index(needle)),
        )
        found = await self.client.text_document_hover_async(params)
        return found.contents.value if found else ""

    async def execute(self, command: t.Command | str, argument: Any = None) -> Any:
        if isinstance(command, t.Command):
            command, argument = command.command, command.arguments[0]
        params = t.ExecuteCommandParams(command=command, arguments=[argument])
        return await self.client.workspace_execute_command_async(params)

    async def finish(self, *may_come: str) -> None:
        """Shut down; fail on any message that nobody looked at, any word on stderr, any exit code but 0.

        `may_come` names the kinds that may still be under way: to take them before the end is to race.
        """
        await self.finish_without_looking()
        self.take_all(*may_come)
        assert not self.waiting, self.waiting
        written = (await self.errors).decode()
        assert not written, written

    async def finish_without_looking(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        assert await asyncio.wait_for(self.client._server.wait(), 120) == 0
        await asyncio.wait([self.errors], timeout=120)
        await self.client.stop()


def position(text: str, offset: int) -> t.Position:
    before = text[:offset]
    return t.Position(line=before.count("\n"), character=len(before) - before.rfind("\n") - 1)
