"""Secrets: told by their names, opened only where a function of the host is called (durability.md §5)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

from agentl.errors import HostError
from agentl.values import Datetime, Symbol, Untrusted
from agentl_grammar.problems import Message, message_id

Opener = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret by its name. The value is not in it: only the vault of the host can open it."""

    name: str

    def __str__(self) -> str:
        return f"<secret {self.name}>"


class Vault:
    """What secrets open to: the environment variable of that name, or what a function returns."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._openers: dict[str, Opener] = {}
        self._opened: dict[str, str] = {}

    def name(self, name: str, opener: Opener | None) -> Secret:
        """Return the secret `name`, and make sure that it opens. Raises HostError R306."""
        with self._lock:
            if opener is not None:
                self._openers[name] = opener
                self._opened.pop(name, None)
        self._open(name)
        return Secret(name)

    def open(self, value: Any) -> Any:
        """Return `value` with every secret in it opened. Raises HostError R306 for one that does not."""
        return _mapped(value, lambda item: self._open(item.name) if isinstance(item, Secret) else item)

    def conceal(self, value: Any) -> Any:
        """Return `value` with the texts of all secrets that were ever opened replaced by their names."""
        return _mapped(value, self._concealed) if self._opened else value

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
        return value

    def _concealed(self, item: Any) -> Any:
        if isinstance(item, Symbol):
            return Symbol(self._text(item.text))
        if isinstance(item, Datetime):
            return item
        if isinstance(item, bytes):
            return self._text(item.decode("latin-1")).encode("latin-1", "replace")
        return self._text(item) if isinstance(item, str) else item

    def _text(self, text: str) -> str:
        # The longest first: one secret may be the beginning of another.
        for name, value in sorted(self._opened.items(), key=lambda pair: -len(pair[1])):
            text = text.replace(value, str(Secret(name)))
        return text


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value of the codec with `change` applied to everything in it that is no container."""
    if isinstance(value, Mapping):
        held = cast("Mapping[Any, Any]", value)
        return {_mapped(key, change): _mapped(item, change) for key, item in held.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast("list[Any]", value)]
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in cast("tuple[Any, ...]", value))
    if isinstance(value, Untrusted):
        return Untrusted(_mapped(value.value, change))
    return change(value)


def _missing(name: str) -> HostError:
    return HostError(
        "R306",
        Message(message_id("the secret {name} cannot be opened"), {"name": name}),
        action=Message(message_id("set the environment variable {name}, then run again"), {"name": name}),
    )
