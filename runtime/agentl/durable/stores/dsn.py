"""The address of a PostgreSQL database, as it may be shown: never with a password (durability.md §11)."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode

SCHEMES = ("postgresql://", "postgres://")
_SHOWN = frozenset({"host", "hostaddr", "port", "dbname", "user"})
_PAIR = re.compile(r"(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")
_USER = re.compile(r"([\w.~%-]+)(?::|\Z)")


def is_dsn(text: str) -> bool:
    """Tell whether a text is the URL of a PostgreSQL database."""
    return text.startswith(SCHEMES)


def shown(dsn: str) -> str:
    """Return the address with what a person needs to find the database, and nothing else."""
    return _shown_url(dsn) if is_dsn(dsn) else _shown_pairs(dsn)


def _shown_pairs(dsn: str) -> str:
    return " ".join(f"{name}={value}" for name, value in _PAIR.findall(dsn) if name in _SHOWN)


def _shown_url(dsn: str) -> str:
    scheme, _, rest = dsn.partition("://")
    # A password may hold a bare /, ? or @: the place begins behind the last @, the user is a plain word.
    login, _, place = rest.rpartition("@")
    user = _USER.match(login)
    where, _, query = place.partition("?")
    kept = [pair for pair in parse_qsl(query) if pair[0] in _SHOWN]
    options = f"?{urlencode(kept, quote_via=quote, safe='/')}" if kept else ""
    return f"{scheme}://{f'{user.group(1)}@' if user else ''}{where}{options}"
