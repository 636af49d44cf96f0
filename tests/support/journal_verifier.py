"""A verifier of journals, written from docs/journal-format.md alone; it imports nothing of agentl."""

import hashlib
import json
import re
from collections.abc import Mapping

COMMON = ["n", "kind", "agent", "key", "site", "tick"]
OF_THE_RUN = {"header", "resumed", "repaired", "ended"}
RESULTS = {"invoke", "delegate", "compensate"}
ANSWERS = "read drain wait answer expired approve reason judge select_plan"
OTHERS = "delegate_lookup compensation_lookup verdict checkpoint intent resolution"
KINDS = {*OF_THE_RUN, *RESULTS, *ANSWERS.split(), *OTHERS.split()}


def expect(holds: object, what: str, n: int) -> None:
    if not holds:
        raise AssertionError(f"{what} of line {n}")


def verify(data: bytes, blobs: Mapping[str, bytes] = {}) -> list[dict]:
    expect(data.startswith(b'{"n":0,"kind":"header",') and data.endswith(b"\n"), "beginning or end", 0)
    found, state, used, wait, opened = [], {}, set(), None, None
    previous, tick, done, resumes, ended = b"", 1, 0, 0, False
    for n, line in enumerate(data.split(b"\n")[:-1]):
        record = json.loads(line.decode("ascii"))
        kind, how, action = record["kind"], record.get("how"), record.get("action")
        of_run, by_hand = kind in OF_THE_RUN, (how or "").startswith("operator")
        expect([*record][:6] == COMMON and [*record][-1] == "h" and kind in KINDS, "fields", n)
        expect(hashlib.sha256(previous + b"\n" + line[:-72]).hexdigest() == record["h"], "chain", n)
        expect(record["n"] == n and (kind == "header") == (n == 0) and not ended, "place", n)
        for digest in re.findall(r'\{"\$blob":"([0-9a-f]{64})"\}', line.decode("ascii")):
            expect(hashlib.sha256(blobs.get(digest, b"")).hexdigest() == digest, "blob", n)
        resumes += kind == "resumed"
        expect(kind != "resumed" or record["count"] == resumes, "count", n)
        late = record["tick"] > done or (by_hand and record["tick"] >= done)
        expect(record["tick"] == 0 if of_run else record["tick"] >= tick and late, "tick", n)
        tick = tick if of_run else record["tick"]
        expect(kind != "checkpoint" or tick == done + 1, "checkpoint", n)
        done += kind == "checkpoint"
        if opened and not of_run:
            expect(action == opened["action"] and kind in {opened["does"], "resolution"}, "action", n)
        if kind == "intent":
            opened, state[action] = record, "open"
        elif kind in RESULTS or kind == "resolution":
            doubted = by_hand and state.get(action) == "in_doubt"
            expect(state.get(action) == "open" or doubted, "settlement", n)
            if kind in RESULTS or how in {"in_doubt", "operator_happened", "operator_not"}:
                opened, state[action] = None, how or "closed"
        if wait and not of_run:
            same = all(record.get(field) == wait[field] for field in ("agent", "key", "args"))
            expect(same and (kind == "answer" or record.get("wait") == wait["id"]), "answer", n)
        wait = record if kind == "wait" else wait if of_run else None
        events = [event["id"] for event in record["value"] or ()] if kind == "drain" else []
        names = [*events, record["entry"]] if record.get("entry") else events
        expect(used.isdisjoint(names) and len(set(names)) == len(names), "entry", n)
        used.update(names)
        previous, ended = record["h"].encode(), kind == "ended"
        found.append(record)
    return found
