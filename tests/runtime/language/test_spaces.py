"""A space: values with labels, and a digest that costs what changed (language.md §3.8, durability.md §6)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentl import Symbol
from agentl.provenance import LLM, NO_LABEL, NOTHING, OBSERVED, TOOL, of
from agentl.spaces import Space

keys = st.sampled_from(["a", "a.b", "a.c", "ß", "x"])
values = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.builds(Symbol, keys)
labels = st.sampled_from([NOTHING, of(TOOL), of(OBSERVED), of(TOOL, LLM)])
steps = st.lists(st.tuples(keys, st.none() | st.tuples(values, labels), st.booleans()), max_size=12)


def fresh(content: dict[str, tuple[Any, frozenset[str]]]) -> str:
    space = Space()
    for key, (value, label) in sorted(content.items()):
        space.put(key, value, label)
    return space.digest()


@given(steps)
def test_the_digest_depends_on_what_is_kept_and_not_on_the_way_there(way: list[Any]):
    space, content = Space(), {}
    for key, put, look in way:
        if put is not None:
            space.put(key, *put)
            content[key] = put
        elif key in space:
            del space[key]
            del content[key]
        if look:
            space.digest()
    assert space.digest() == fresh(content)


def test_the_digest_sees_key_value_and_label():
    seen = {
        fresh({}),
        fresh({"a": (1, of(TOOL))}),
        fresh({"a": (1, of(LLM))}),
        fresh({"a": (1, NOTHING)}),
        fresh({"a": (2, of(TOOL))}),
        fresh({"b": (1, of(TOOL))}),
        fresh({"a": (True, of(TOOL))}),
        fresh({"a": ("1", of(TOOL))}),
        fresh({"a": (1, of(TOOL)), "b": (1, of(TOOL))}),
    }
    assert len(seen) == 9


def test_a_plain_write_takes_the_label_away():
    space = Space()
    space.put("a", 1, of(OBSERVED))
    space["a"] = 1
    assert space.label("a") == NO_LABEL


def test_a_deleted_key_leaves_no_label_behind():
    space = Space()
    space.put("a", 1, of(OBSERVED))
    del space["a"]
    space["a"] = 2
    assert space.label("a") == NO_LABEL
    with pytest.raises(KeyError):
        del space["b"]
