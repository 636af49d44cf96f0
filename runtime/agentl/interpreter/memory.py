"""MEMORY: what is kept on purpose, and read again under its name (language.md §5.4, §5.16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from agentl.codec import comparable, encode
from agentl.interpreter.core import Core, Steps
from agentl.interpreter.crossings import Answered, Outcome
from agentl.interpreter.drift import load_ledger
from agentl.provenance import (
    DECLARED,
    EXTERNAL,
    MEMORY,
    RUNTIME,
    UNKNOWN,
    is_untrusted,
    of,
    union,
    unmarked,
    without_secrets,
)
from agentl.spaces import Space
from agentl.values import Value
from agentl_grammar.tree import Agent, Memory, MemoryWrite

LONG_TERM = "LONG_TERM"
SHARED = "SHARED"
RECORDS = "records"


def declare_memory(core: Core, outcome: Outcome) -> None:
    """Begin with an empty list for every declared name, and with what the host seeded (§5.1)."""
    for bucket, keys in declared_memories(core.agent).items():
        for key in keys:
            _buckets(core)[bucket].put(key, [], of(DECLARED))
    seeds: Any = outcome.value if isinstance(outcome, Answered) else None
    for path, records in cast("Mapping[str, Value]", seeds or {}).items():
        _seed(core, path, records)
    load_ledger(core)


def declared_memories(agent: Agent) -> dict[str, list[str]]:
    """Return the names that MEMORY declares, by bucket."""
    block = agent.last(Memory)
    if block is None:
        return {}
    buckets = {
        "SHORT_TERM": block.short_term,
        LONG_TERM: block.long_term,
        "KNOWLEDGE": block.knowledge,
        SHARED: block.shared,
    }
    return {bucket: [path.text for path in paths] for bucket, paths in buckets.items()}


def may_seed(agent: Agent, path: str) -> bool:
    """Tell whether a host may give the memory `path` records: it is declared, and not SHARED."""
    bucket, _, key = path.partition(".")
    return bucket != SHARED and key in declared_memories(agent).get(bucket, ())


def _buckets(core: Core) -> Mapping[str, Space]:
    state = core.state
    return {
        "SHORT_TERM": state.short_term,
        LONG_TERM: state.long_term,
        "KNOWLEDGE": state.knowledge,
        SHARED: state.shared,
    }


def _seed(core: Core, path: str, records: Value) -> None:
    bucket, _, key = path.partition(".")
    if not may_seed(core.agent, path):
        core.trace.emit("memory.seed_refused", path=path, reason="the program declares no such memory")
    elif not isinstance(unmarked(records)[0], list):
        core.trace.emit("memory.seed_refused", path=path, reason="it is no list of records")
    else:
        held, marked = cast("tuple[list[Value], bool]", unmarked(records))
        _buckets(core)[bucket].put(key, held, of(MEMORY, EXTERNAL) if marked else of(MEMORY))
        core.trace.emit("memory.seeded", path=path, count=len(held))


# ------------------------------------------------------------------------------------------------ writing


def update_memory(core: Core) -> Steps[None]:
    """UPDATE_MEMORY: every WRITE whose WHEN holds, in order."""
    block = core.last(Memory)
    for write in () if block is None else block.writes:
        if core.holds(write.when):
            _write(core, write)
        else:
            _keep(core, write)
    yield from ()


def _keep(core: Core, write: MemoryWrite) -> None:
    """A WRITE that its WHEN keeps back: that decided what the memory holds just as much."""
    bucket, key = _target(write)
    space, decided = _buckets(core).get(bucket), without_secrets(core.guard_label(write.when))
    if space is None or not is_untrusted(decided):
        return
    decided -= of(UNKNOWN)
    core.decide(space, key, decided)
    if bucket == SHARED:
        core.decide(core.state.world, _version(key), decided)


def _write(core: Core, write: MemoryWrite) -> None:
    bucket, key = _target(write)
    space = _buckets(core).get(bucket)
    if space is None:
        core.trace.emit("memory.no_bucket", path=f"{bucket}.{key}")
        return
    paths = () if write.store is None else tuple(path.text for path in write.store.paths)
    record = {path: core.state.get(path) for path in paths}
    sources = [core.state.label(path) for path in paths]
    decided = without_secrets(core.guard_label(write.when)) | core.context()
    before = cast("list[Value]", space.plain.get(key) or [])
    if before and comparable(encode(before[-1])) == comparable(encode(record)):
        space.join(key, union(*sources, decided))
        core.trace.emit("memory.unchanged", path=f"{bucket}.{key}", value=record)
        return
    known = space.label(key) if key in space else of(DECLARED)
    space.append(key, record, union(known, *sources, decided))
    if bucket == SHARED:
        _count_shared(core, key, record)
        return
    core.state.count("memory_writes")
    core.trace.emit("memory.written", path=f"{bucket}.{key}", value=record)


def written_by(core: Core) -> Iterator[tuple[Space, str]]:
    """Yield every place where UPDATE_MEMORY may write."""
    block = core.last(Memory)
    for write in () if block is None else block.writes:
        bucket, key = _target(write)
        space = _buckets(core).get(bucket)
        if space is not None:
            yield space, key
        if bucket == SHARED:
            yield core.state.world, _version(key)


def _target(write: MemoryWrite) -> tuple[str, str]:
    """Return bucket and key: the first segment in capitals, the rest; without INTO `LONG_TERM.records`."""
    if write.into is None:
        return LONG_TERM, RECORDS
    bucket, _, key = write.into.text.partition(".")
    return bucket.upper(), key or RECORDS


def _version(key: str) -> str:
    return f"shared.{key}.version"


def _count_shared(core: Core, key: str, record: Value) -> None:
    state = core.state
    version = state.shared_versions.get(key, 0) + 1
    state.shared_versions[key] = version
    state.world.put(_version(key), version, of(RUNTIME) | without_secrets(state.shared.label(key)))
    state.count("shared_writes")
    core.trace.emit("shared.written", agent=core.name, path=f"{SHARED}.{key}", value=record, version=version)
