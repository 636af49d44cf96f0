"""Secrets: told by their names, opened only where a function of the host is called (durability.md §5)."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast
from urllib.parse import quote, quote_plus
from weakref import WeakSet

from agentl.errors import HostError
from agentl.values import Datetime, Symbol, Untrusted, as_number, printable, show
from agentl.vocabulary import PLACEHOLDER
from agentl_grammar.problems import Message, message_id

Opener = Callable[[], str]
_SHORTEST_NUMBER = 4
_SHORTEST_LINE = 6
"""Shorter lines of a secret, and numbers of fewer digits, stand in too many places to be looked for."""
_HEXADECIMAL = re.compile("%[0-9A-F]{2}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret by its name. The value is not in it: only the vault of the host can open it."""

    name: str

    def __str__(self) -> str:
        return f"<secret {self.name}>"


class Vault:
    """What secrets open to: the environment variable of that name, or what a function returns.

    Beside it the patterns of what else a run is not to keep.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._openers: dict[str, Opener] = {}
        self._opened: dict[str, str] = {}
        self._forms: tuple[tuple[str, str], ...] = ()
        self._patterns: tuple[re.Pattern[str], ...] = ()
        _VAULTS.add(self)

    def name(self, name: str, opener: Opener | None) -> Secret:
        """Return the secret `name`, and make sure that it opens. Raises HostError R306."""
        with self._lock:
            if opener is not None:
                self._openers[name] = opener
                self._opened.pop(name, None)
        self._open(name)
        return Secret(name)

    def redact(self, pattern: str | re.Pattern[str]) -> None:
        """Replace what matches a regular expression, too. Raises HostError H104 when it is none of use."""
        try:
            compiled = re.compile(pattern)
            matches_nothing = compiled.search("") is not None
        except (re.error, TypeError) as error:
            raise _unusable(pattern, str(error)) from None
        if matches_nothing:
            raise _unusable(pattern, Message(message_id("it matches an empty text")))
        self._patterns += (compiled,)

    def open(self, value: Any) -> Any:
        """Return `value` with every secret in it opened. Raises HostError R306 for one that does not."""
        if not holds_secret(value):
            return value
        return _mapped(value, lambda item: self._open(item.name) if isinstance(item, Secret) else item)

    def conceal(self, value: Any) -> Any:
        """Return `value` with the name of each secret in its place, and `[redacted]` where a pattern matches.

        A secret that was ever opened is found as its text, escaped as in `repr`, JSON, a URL or HTML, as a
        number of either sign, and by its lines; a pattern in texts and in numbers as they are written.
        """
        return _mapped(value, self._concealed) if self._opened or self._patterns else value

    def _open(self, name: str) -> str:
        with self._lock:
            if name in self._opened:
                return self._opened[name]
            opener = self._openers.get(name)
        try:
            value = os.environ.get(name) if opener is None else opener()
        except Exception as error:
            raise _missing(name) from error
        if not isinstance(value, str) or not value:
            raise _missing(name)
        with self._lock:
            self._opened[name] = value
            told = {form: each for each, text in self._opened.items() for form in _forms(text)}
            # The longest first: one secret may be the beginning of another.
            self._forms = tuple(sorted(told.items(), key=lambda pair: (-len(pair[0]), pair[0])))
        return value

    def _concealed(self, item: Any) -> Any:
        if isinstance(item, Symbol):
            return Symbol(self._text(item.text))
        if isinstance(item, Datetime):
            return item
        if isinstance(item, bytes):
            concealed = self._text(item.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            return self._text(concealed.decode("latin-1")).encode("latin-1", "replace")
        if isinstance(item, int | float) and not isinstance(item, bool):
            return self._number(item)
        return self._text(item) if isinstance(item, str) else item

    def _number(self, number: float) -> Any:
        for name, value in self._opened.items():
            if len(value) >= _SHORTEST_NUMBER and as_number(value) in (number, -number):
                return str(Secret(name))
        written = show(number, limit=None)
        return PLACEHOLDER if any(pattern.search(written) for pattern in self._patterns) else number

    def _text(self, text: str) -> str:
        for form, name in self._forms:
            text = text.replace(form, str(Secret(name)))
        for pattern in self._patterns:
            # What is redacted already stays as it is: some values pass here twice.
            parts = text.split(PLACEHOLDER)
            text = PLACEHOLDER.join(pattern.sub(PLACEHOLDER, part) for part in parts)
        return text


_WITHOUT_SECRET = frozenset({str, int, float, bool, type(None), Symbol})
_NO_CONTAINERS = _WITHOUT_SECRET | {Secret}
_VAULTS: WeakSet[Vault] = WeakSet()


def conceal_everywhere(text: str) -> str:
    """Return `text` without the secrets of any host of this process, also of one that was never used."""
    for vault in tuple(_VAULTS):
        text = vault.conceal(text)
    return text


def _forms(value: str) -> set[str]:
    """Return the texts that would give a secret away."""
    lines = [line.strip() for line in value.splitlines()]
    texts = {value, *(line for line in lines if len(line) >= _SHORTEST_LINE and len(lines) > 1)}
    digits = value.strip()
    if digits.isascii() and digits.isdigit() and len(digits.lstrip("0")) >= _SHORTEST_NUMBER:
        texts.add(digits.lstrip("0"))
    return {form for text in texts for form in _escaped(text)}


def _escaped(text: str) -> Iterator[str]:
    """Yield a text as it stands in a text, what we print, a `repr` with either quote, JSON, HTML, a URL."""
    data = text.encode("utf-8", "surrogatepass")
    yield text
    yield printable(text)
    yield from (repr(text)[1:-1], repr(f"'\"{text}")[4:-1])
    yield from (repr(data)[2:-1], repr(b"'\"" + data)[5:-1])
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)
        twice = json.dumps(once, ensure_ascii=ascii_only)[3:-3]
        yield from (once[1:-1], once[1:-1].replace("/", "\\/"), twice)
    yield from (html.escape(text), html.escape(text, quote=False))
    for in_url in (quote(data), quote(data, safe=""), quote_plus(data)):
        yield from (in_url, _HEXADECIMAL.sub(lambda found: found[0].lower(), in_url))


def holds_secret(value: Any) -> bool:
    """Tell whether a secret stands anywhere in a value of the codec."""
    if type(value) is dict or isinstance(value, Mapping):  # to ask for a Mapping takes long
        held = cast("Mapping[Any, Any]", value)
        kinds = {*map(type, held), *map(type, held.values())}
        return not _WITHOUT_SECRET.issuperset(kinds) and any(map(holds_secret, (*held, *held.values())))
    if isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        return not _WITHOUT_SECRET.issuperset(map(type, items)) and any(map(holds_secret, items))
    return isinstance(value, Secret) or (isinstance(value, Untrusted) and holds_secret(value.value))


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value of the codec with `change` applied to everything in it that is no container."""
    if type(value) in _NO_CONTAINERS:
        return change(value)
    if type(value) is dict or isinstance(value, Mapping):
        held = cast("Mapping[Any, Any]", value)
        return {_mapped(key, change): _mapped(item, change) for key, item in held.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast("list[Any]", value)]
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in cast("tuple[Any, ...]", value))
    if isinstance(value, Untrusted):
        return Untrusted(_mapped(value.value, change))
    return change(value)


def _unusable(pattern: object, told: str | Message) -> HostError:
    message = message_id("host.redact cannot use the pattern {pattern}: {told}")
    action = message_id("write a regular expression, as of Python's re, that matches some text and not every")
    values = {"pattern": repr(pattern), "told": told}
    return HostError("H104", Message(message, values), action=Message(action))


def _missing(name: str) -> HostError:
    return HostError(
        "R306",
        Message(message_id("the secret {name} cannot be opened"), {"name": name}),
        action=Message(message_id("set the environment variable {name}, then run again"), {"name": name}),
    )
