"""Other processes for the checks: each does one thing when it is told to, and dies as if it was killed."""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from collections.abc import Callable, Generator

from agentl.durable.testing.basics import Place, expect, opened
from agentl.errors import DurableError, StoreFailure

_PROBE = "f" * 64


class Process:
    """A process that was forked before anything was opened, and waits for `go`."""

    def __init__(self, act: Callable[[], str]) -> None:
        start, self._start = os.pipe()
        self._told, told = os.pipe()
        with warnings.catch_warnings():
            # Threads of whoever runs the checks hold nothing that the child needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._id = os.fork()
        if not self._id:
            os.close(self._start)
            _do(act, start, told)
        os.close(start)
        os.close(told)

    def go(self) -> Process:
        """Let it do what it is for, and return it."""
        os.write(self._start, b".")
        return self

    def tell(self) -> str:
        """Wait for it, and return what it tells: the code, where it was refused."""
        with os.fdopen(os.dup(self._told), "rb") as pipe:
            return pipe.read().decode("utf-8", "replace")

    def end(self) -> None:
        """Take the process away."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._id, signal.SIGKILL)
        os.waitpid(self._id, 0)
        os.close(self._start)
        os.close(self._told)


def _do(act: Callable[[], str], start: int, told: int) -> None:
    try:
        os.read(start, 1)
        text = act()
    except (DurableError, StoreFailure) as refusal:
        text = refusal.code
    except BaseException as error:  # noqa: BLE001  # told by the check, in the process that waits
        text = f"{type(error).__name__}: {error}"
    os.write(told, text.encode("utf-8", "replace"))
    os._exit(0)


@contextlib.contextmanager
def elsewhere(place: Place, *acts: Callable[[], str]) -> Generator[list[Process] | None]:
    """Lend processes that do these; None where what they do is not seen here, as of a store in memory."""
    processes: list[Process] = []
    shared = _is_shared(place)
    try:
        for act in acts:
            processes.append(Process(act))  # noqa: PERF401  # those made before one that fails are taken away
        yield processes if shared else None
    finally:
        for process in processes:
            process.end()


def _is_shared(place: Place) -> bool:
    def pin() -> str:
        with opened(place) as store:
            store.pin(_PROBE, "text")
        return "pinned"

    probe = Process(pin)
    try:
        expect(probe.go().tell() == "pinned", "another process uses the place")
    finally:
        probe.end()
    shared = place().pinned(_PROBE) == "text"
    expect(shared or place().home is None, "what another process wrote is seen where the place has a home")
    return shared
