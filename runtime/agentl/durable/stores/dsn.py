"""The address of a PostgreSQL database, as it may be shown: never with a password (durability.md §11)."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_OURS = frozenset({"postgresql", "postgres"})
_KEYWORDS = re.compile(
    r"\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode|options|connect_timeout)\s*=",
    re.IGNORECASE,
)
_SHOWN = frozenset({"host", "hostaddr", "port", "dbname", "user"})
_PAIR = re.compile(r"(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")
_USER = re.compile(r"([\w.~%-]+)(?::|\Z)")


def scheme_of(text: str) -> str | None:
    """Return the scheme of a URL in lower case, None for what is none."""
    found = _SCHEME.match(text)
    return None if found is None else found.group(1).lower()


def is_dsn(text: str) -> bool:
    """Tell whether a text is the URL of a PostgreSQL database, or its keywords (`host=… dbname=…`)."""
    return scheme_of(text) in _OURS or _KEYWORDS.match(text) is not None


def shown(dsn: str) -> str:
    """Return the address with what a person needs to find the database, and nothing else."""
    return _shown_url(dsn) if scheme_of(dsn) in _OURS else _shown_pairs(dsn)


def spelled(dsn: str) -> str:
    """Return the address as the driver reads it: it knows schemes in small letters only."""
    scheme = scheme_of(dsn)
    return dsn if scheme is None else scheme + dsn[len(scheme) :]


def _shown_pairs(dsn: str) -> str:
    return " ".join(f"{name}={value}" for name, value in _PAIR.findall(dsn) if name in _SHOWN)


def _shown_url(dsn: str) -> str:
    scheme, _, rest = spelled(dsn).partition("://")
    # A password may hold a bare /, ? or @: the place begins behind the last @, the user is a plain word.
    login, _, place = rest.rpartition("@")
    user = _USER.match(login)
    where, _, query = place.partition("?")
    kept = [pair for pair in parse_qsl(query) if pair[0] in _SHOWN]
    options = f"?{urlencode(kept, quote_via=quote, safe='/')}" if kept else ""
    return f"{scheme}://{f'{user.group(1)}@' if user else ''}{where}{options}"
