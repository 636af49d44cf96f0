"""Single expressions, in a state that the test gives."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agentl import parse_source
from agentl.run_state import Belief, RunState
from agentl.spaces import Space
from agentl_grammar.tree import Expression, Goal


@pytest.fixture
def expression() -> Callable[[str], Expression]:
    """Return a function that parses one expression."""

    def parse(text: str) -> Expression:
        condition = parse_source(f"AGENT a {{ GOAL {{ MAINTAIN {text} }} }}").agents[0].of(Goal)[0].condition
        assert condition is not None
        return condition

    return parse


@pytest.fixture
def state_of() -> Callable[..., RunState]:
    """Return a function that makes a state from what the world, the locals and the beliefs hold."""

    def make(
        world: Mapping[str, Any] | None = None,
        local: Mapping[str, Any] | None = None,
        beliefs: Mapping[str, Any] | None = None,
    ) -> RunState:
        held = {path: Belief(value, 0.7, "declared", 0) for path, value in (beliefs or {}).items()}
        return RunState(world=Space(world), locals=Space(local), beliefs=Space(held))

    return make
