"""A space: values with labels, and a digest that costs what changed (language.md §3.8, durability.md §6)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentl import Symbol, fingerprints
from agentl.provenance import LLM, NO_LABEL, NOTHING, OBSERVED, TOOL, of
from agentl.spaces import Space, locate

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


items = st.integers() | st.text(max_size=2) | st.dictionaries(st.sampled_from(["a", "ß"]), st.integers())
list_steps = st.lists(
    st.tuples(st.sampled_from(["append", "read", "put", "delete", "digest"]), keys, items), max_size=16
)


@given(list_steps)
def test_a_list_that_grew_has_the_digest_of_one_that_was_put_and_what_was_read_stays(way: list[Any]):
    space, content, read = Space(), {}, []
    for step, key, item in way:
        if step == "append":
            space.append(key, item, of(TOOL))
            content[key] = ([*content.get(key, ([], NOTHING))[0], item], of(TOOL))
        elif step == "put":
            content[key] = ([item], of(OBSERVED))
            space.put(key, [item], of(OBSERVED))
        elif step == "digest":
            space.digest()
        elif key in content and step == "delete":
            del space[key], content[key]
        elif key in content:
            read += [(space[key], list(content[key][0])), (locate(space, key)[1], list(content[key][0]))]
    assert (space.digest(), dict(space)) == (
        fresh(content),
        {key: kept for key, (kept, _) in content.items()},
    )
    assert all(value == kept for value, kept in read)


def test_the_digest_of_a_list_that_grew_costs_what_was_added(monkeypatch: pytest.MonkeyPatch):
    space, written = Space({"log": [{"n": number} for number in range(1000)]}), []
    space.append("log", {"n": 1000}, of(TOOL))
    space.digest()
    text_of = fingerprints.text_of
    monkeypatch.setattr(fingerprints, "text_of", lambda value: written.append(value) or text_of(value))
    for number in range(2):
        space.append("log", number, of(TOOL, LLM))
        space.digest()
    assert written == [0, 1]


def test_a_list_put_by_somebody_else_is_not_written_to():
    given_list, space = [1], Space()
    space.put("a", given_list, of(TOOL))
    space.append("a", 2, of(TOOL))
    assert (given_list, space["a"]) == ([1], [1, 2])


def test_a_plain_write_takes_the_label_away():
    space = Space()
    space.put("a", 1, of(OBSERVED))
    space["a"] = 1
    assert space.label("a") == NO_LABEL


def test_a_key_without_a_value_keeps_what_decided_that_until_it_has_one():
    space = Space()
    space.join("a", of(TOOL))
    assert ("a" in space, dict(space), space.absent, space.label("a")) == (
        False,
        {},
        {"a": of(TOOL)},
        NO_LABEL,
    )
    space.join("a", of(LLM))
    assert space.absent == {"a": of(TOOL, LLM)}
    space.put("a", 1, of(OBSERVED))
    assert (space.absent, space.label("a")) == ({}, of(OBSERVED))
    space.forget("a", of(LLM))
    assert ("a" in space, space.absent) == (False, {"a": of(LLM)})
    space.forget("a", NOTHING)
    assert space.absent == {}
    space.join("a", of(TOOL))
    space.append("a", 1, of(OBSERVED))
    assert (space["a"], space.absent) == ([1], {})


def test_the_digest_sees_what_decided_that_a_key_has_no_value_and_not_the_way_there():
    seen = {fresh({}), fresh({"a": (1, of(TOOL))}), fresh({"a": ("-", of(TOOL))})}
    for key, label in (("a", of(TOOL)), ("a", of(LLM)), ("b", of(TOOL))):
        joined, forgotten = Space(), Space()
        joined.digest()
        joined.join(key, label)
        forgotten.put(key, 1, label)
        forgotten.digest()
        forgotten.forget(key, label)
        assert joined.digest() == forgotten.digest()
        seen.add(joined.digest())
        joined.forget(key, NOTHING)
        assert joined.digest() == fresh({})
    assert len(seen) == 6


def test_a_deleted_key_leaves_no_label_behind():
    space = Space()
    space.put("a", 1, of(OBSERVED))
    del space["a"]
    space["a"] = 2
    assert space.label("a") == NO_LABEL
    with pytest.raises(KeyError):
        del space["b"]
