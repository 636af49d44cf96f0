"""Shared by the tests of the server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from raw_client import RawClient


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], RawClient]]:
    started: list[RawClient] = []

    def begin(command: list[str] | None = None) -> RawClient:
        started.append(RawClient(tmp_path, command))
        return started[-1]

    yield begin
    for client in started:
        client.__exit__()


@pytest.fixture
def client(start: Callable[[], RawClient]) -> RawClient:
    made = start()
    made.initialize()
    return made
