"""The suite that every store must pass, for all of ours."""

from collections.abc import Callable

import pytest
from store_kinds import KINDS

from agentl.durable import Store
from agentl.durable.testing import CHECKS, Check


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_store(check: Check, kind: str, place: Callable[[str], Callable[[], Store]]) -> None:
    check(place(kind))
