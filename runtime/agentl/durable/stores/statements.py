"""What PostgresStore says to a database (durability.md §11)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from agentl.durable.stores.rows import Row

SCHEMA = """
CREATE TABLE IF NOT EXISTS agentl_runs (
  id bigint GENERATED ALWAYS AS IDENTITY, run text COLLATE "C" PRIMARY KEY,
  entries bigint NOT NULL DEFAULT 0, entry_h text NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS agentl_records (
  run text COLLATE "C" NOT NULL, n bigint NOT NULL, h text NOT NULL, line bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run, n)
);
CREATE TABLE IF NOT EXISTS agentl_programs (
  run text COLLATE "C" NOT NULL, digest text NOT NULL, text bytea NOT NULL, PRIMARY KEY (run, digest)
);
CREATE TABLE IF NOT EXISTS agentl_blobs (
  run text COLLATE "C" NOT NULL, digest text NOT NULL, data bytea NOT NULL, PRIMARY KEY (run, digest)
);
CREATE TABLE IF NOT EXISTS agentl_inbox (
  run text COLLATE "C" NOT NULL, sequence bigint NOT NULL, id text NOT NULL, entry bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run, sequence), UNIQUE (run, id)
)
"""
_APPEND = """
INSERT INTO agentl_records (run, n, h, line)
SELECT %(run)s, r.n, r.h, r.line FROM ({rows}) AS r (n, h, line)
WHERE %(last)s = -1 AND %(previous)s::text = '' OR EXISTS (
  SELECT FROM agentl_records WHERE run = %(run)s AND n = %(last)s AND h = %(previous)s
)
RETURNING (SELECT entries FROM agentl_runs WHERE run = %(run)s)
"""
_ARRAYS = "SELECT * FROM unnest(%(n)s::bigint[], %(h)s::text[], %(line)b::bytea[])"
_FEW = 16
"""Rows whose values are sent one by one: to send and to unfold arrays takes longer until there are many."""


@lru_cache(maxsize=_FEW + 1)
def _append(few: int) -> bytes:
    each = (f"(%(n{i})s::bigint, %(h{i})s::text, %(line{i})b::bytea)" for i in range(few))
    return _APPEND.format(rows=f"VALUES {', '.join(each)}" if few else _ARRAYS).encode("ascii")


def append(run: str, previous: str, rows: Sequence[Row]) -> tuple[bytes, dict[str, object]]:
    """Return the statement, and its values, that adds rows behind the one whose h is `previous`.

    It adds nothing when that one is not there (behind '' is the beginning), and breaks the primary key when
    another follows it already: compare-and-swap. It returns, for each row, how far the inbox has
    grown: to ask for that before every action would cost as much again.
    """
    values: dict[str, object] = {"run": run, "last": rows[0].n - 1, "previous": previous}
    if len(rows) > _FEW:
        values |= {name: [getattr(row, name) for row in rows] for name in Row._fields}
        return _append(0), values
    for i, row in enumerate(rows):
        values[f"n{i}"], values[f"h{i}"], values[f"line{i}"] = row
    return _append(len(rows)), values


ENTRIES = """
SELECT r.entries, r.entry_h, i.sequence, i.entry
FROM agentl_runs r LEFT JOIN agentl_inbox i ON i.run = r.run AND i.sequence > %s
WHERE r.run = %s ORDER BY i.sequence
"""
CHANGED = """
SELECT extract(epoch FROM greatest(
  (SELECT at FROM agentl_records WHERE run = %s ORDER BY n DESC LIMIT 1),
  (SELECT at FROM agentl_inbox WHERE run = %s ORDER BY sequence DESC LIMIT 1)
))::float8
"""
PUT_IN = """
INSERT INTO agentl_inbox (run, sequence, id, entry) VALUES (%(run)s, %(n)s, %(id)s, %(entry)s)
ON CONFLICT (run, id) DO NOTHING
"""
HOLDER = """
SELECT a.application_name, a.backend_start FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND l.classid::bigint = %s AND l.objid::bigint = %s
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
