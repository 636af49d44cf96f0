"""Keeping a lease while a host works (durability.md §11)."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Heartbeat:
    """Calls `beat` every so many seconds, in a thread, until it is stopped or `beat` fails.

    A failure is told to nobody: the next append meets the same broken connection.
    """

    def __init__(self, beat: Callable[[], object], seconds: float) -> None:
        self._beat = beat
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agentl-heartbeat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            try:
                self._beat()
            except Exception:  # noqa: BLE001  # whatever a driver raises, the lease is gone
                return

    def stop(self) -> None:
        """End the thread; a beat that hangs is not waited for."""
        self._stopped.set()
        self._thread.join(self._seconds)
