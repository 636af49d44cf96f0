"""Record 0: made when a run begins, checked when it goes on (durability.md §5, §8, §9)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from agentl.codec import encode
from agentl.durable import refusals
from agentl.durable.pinned import text_digest
from agentl.durable.records import (
    FORMAT,
    SEMANTICS,
    Header,
    IntentRecord,
    LookupRecord,
    Record,
    ResolutionRecord,
)
from agentl.host.registry import Host
from agentl_grammar.declared import agent_keys
from agentl_grammar.digest import Declaration, declaration_digests, declarations, program_digest
from agentl_grammar.parser import parse
from agentl_grammar.printer import print_node
from agentl_grammar.problems import Message, message_id
from agentl_grammar.tree import Program

_DOES = {"invoke": "tool", "delegate": "sub-agent", "compensate": "compensation"}
"""What an action needs of the host."""
_LOOKED_UP = {"delegate_lookup": "sub-agent", "compensation_lookup": "compensation"}


def header_fields(  # noqa: PLR0913  # each is a part of the header, by name
    program: Program,
    *,
    text: str,
    run_id: str,
    length: int | None,
    source: str | None,
    host: dict[str, Any],
    memory: dict[str, Any],
) -> dict[str, Any]:
    """Return the fields of record 0.

    `text` is what is pinned, `source` what `source_beside` returns, `host` a `host_table`, `memory` what the
    host seeds.
    """
    return {
        "key": run_id,
        "format": FORMAT,
        "semantics": SEMANTICS,
        "agents": [agent.name.text for agent in program.agents],
        "program": program_digest(program),
        "text": text_digest(text),
        "declarations": declaration_digests(program),
        "source": source,
        "host": host,
        "memory": encode(memory),
        "length": length,
        "budgets": {},
        "parent": None,
        "identity": secrets.token_hex(16),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def host_table(host: Host, digest: str | None) -> dict[str, Any]:
    """Return what a host offers, as the header keeps it."""
    return {
        "digest": digest,
        "tools": {name: host.promise(name) for name in sorted(host.tools)},
        "sensors": sorted(host.sensors),
        "reconcilers": sorted(host.reconcilers),
        "subagents": {name: host.promise(name, "delegate") for name in sorted(host.subagents)},
        "compensations": {name: host.promise(name, "compensate") for name in sorted(host.compensations)},
    }


def source_beside(source: str | None, directory: Path | None) -> str | None:
    """Return the path of a program as seen from the run directory: true when both are moved together.

    Of a run that lies in no directory, the name of the file alone.
    """
    if source is None or source.startswith("<"):
        return None
    if directory is None:
        return Path(source).name
    try:
        return Path(os.path.relpath(source, directory)).as_posix()
    except ValueError:
        return None


# ------------------------------------------------------------------------------------------------ refusals


def refuse_other_program(header: Header, program: Program, pinned: str | None, name: str) -> None:
    """Raise R101 unless the program means what it meant; comments and layout do not count (§9)."""
    if not changed(header, program):
        return
    then = {} if pinned is None else _declarations(parse(pinned).program)
    now = _declarations(program)
    digests = declaration_digests(program)
    keys = [
        key
        for key in dict.fromkeys([*header.declarations, *digests])
        if header.declarations.get(key) != digests.get(key)
    ]
    details: list[Message] = []
    for key in keys:
        details.append(Message(_word(key in header.declarations, key in digests), {"declaration": key}))
        details.extend(_text(message_id("then: {text}"), then.get(key)))
        details.extend(_text(message_id("now: {text}"), now.get(key)))
    if not keys:
        details.append(Message(message_id("the declarations are the same, but their order changed")))
    raise refusals.program_changed(name, details)


def _word(was: bool, is_now: bool) -> str:  # noqa: FBT001  # the four cases of a change read best side by side
    if was and is_now:
        return message_id("{declaration} changed")
    return message_id("{declaration} was removed") if was else message_id("{declaration} was added")


def _declarations(program: Program | None) -> dict[str, Declaration]:
    if program is None:
        return {}
    found: dict[str, Declaration] = {}
    for key, agent in agent_keys(program):
        found |= declarations(agent, key)
    return found


def _text(template: str, declaration: Declaration | None) -> Iterator[Message]:
    if declaration is not None:
        yield Message(template, {"text": "\n".join(print_node(node) for node in declaration.nodes)})


def refuse_other_run(header: Header, run_id: str | None, name: str) -> None:
    """Raise R301 when another run was named."""
    if run_id is not None and run_id != header.key:
        raise refusals.other_run(name, run_id, header.key)


def refuse_other_length(header: Header, length: int | None, name: str) -> None:
    """Raise R302 when another number of ticks was named."""
    if length is not None and length != header.length:
        raise refusals.other_length(name, header.length, length)


def refuse_poorer_host(header: Header, records: Sequence[Record], host: Host, name: str) -> None:
    """Raise R305 when the host no longer offers what it offered and the run has used."""
    lacking = [
        f"{word} {key}"
        for word, key in dict.fromkeys(_used(records))
        if key in _offered(header, word) and key not in _offers(host, word)
    ]
    if lacking:
        raise refusals.host_lacks(name, lacking)


def _used(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    for record in records:
        if record.kind == "read":
            yield "sensor", record.key
        elif record.kind == "intent":
            yield _DOES[cast("IntentRecord", record).does], record.key
        elif isinstance(record, LookupRecord) and record.value is True:
            yield _LOOKED_UP[record.kind], record.key
        elif isinstance(record, ResolutionRecord) and record.how in {"reconciled", "not_executed"}:
            yield "reconciler", record.key


def _offered(header: Header, word: str) -> Sequence[str]:
    table = header.host
    return {
        "sensor": table.sensors,
        "tool": list(table.tools),
        "reconciler": table.reconcilers,
        "sub-agent": list(table.subagents),
        "compensation": list(table.compensations),
    }[word]


def _offers(host: Host, word: str) -> Sequence[str]:
    return list(
        {
            "sensor": host.sensors,
            "tool": host.tools,
            "reconciler": host.reconcilers,
            "sub-agent": host.subagents,
            "compensation": host.compensations,
        }[word]
    )


def of(records: Sequence[Record]) -> Header:
    """Return the header of a journal that has one."""
    return cast("Header", records[0])


def changed(header: Header, program: Program) -> bool:
    """Tell whether a program means something else than the run's."""
    return program_digest(program) != header.program
