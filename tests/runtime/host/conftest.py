"""A host without functions, and the driver that asks it."""

import pytest

from agentl import Host, MockLLM
from agentl.drivers.live import LiveDriver


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda seconds: None)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def live(host: Host):
    with LiveDriver(host, MockLLM()) as driver:
        yield driver
