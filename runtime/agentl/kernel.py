"""Actions, permits and keys (language.md §6): nothing acts without a permit, and a permit fits one action."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date, datetime
from json.encoder import encode_basestring_ascii
from operator import is_, itemgetter
from threading import Lock
from typing import Any, cast
from weakref import WeakKeyDictionary

from agentl.errors import PermitError
from agentl.values import Symbol
from agentl.vocabulary import ActionKind
from agentl_grammar.problems import Message, message_id

_ACTION_VERSION = "agentl.action/1"
_JSON_INTEGER_BITS = 64
_KEY_VERSION = "agentl.key/1"
_CONSTANTS = {None: "null", True: "true", False: "false"}


def canonical_json(value: Any) -> str:  # noqa: PLR0911  # one line a kind of value
    """Return `value` in the compact JSON that is hashed (language.md §6.2).

    Equal values give equal text; symbols differ from strings.
    """
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, int):
        return int.__repr__(value) if value.bit_length() <= _JSON_INTEGER_BITS else _tagged("int", hex(value))
    if isinstance(value, float):
        return float.__repr__(value) if math.isfinite(value) else _tagged("float", repr(value))
    if isinstance(value, Symbol):
        return _tagged("symbol", value.text)
    if isinstance(value, dict):
        held = cast("dict[Any, Any]", value)
        pairs = sorted(((canonical_json(key), item) for key, item in held.items()), key=itemgetter(0))
        return f'["dict",[{",".join([f"[{key},{canonical_json(item)}]" for key, item in pairs])}]]'
    if isinstance(value, list | tuple):
        tag = "list" if isinstance(value, list) else "tuple"
        return f'["{tag}",[{",".join([canonical_json(item) for item in cast("Sequence[Any]", value)])}]]'
    return _uncommon_json(value)


def _uncommon_json(value: Any) -> str:
    if isinstance(value, set | frozenset):
        members = sorted(canonical_json(item) for item in cast("Iterable[Any]", value))
        return f'["set",[{",".join(members)}]]'
    if isinstance(value, datetime | date):
        return _tagged("datetime", value.isoformat())
    if isinstance(value, bytes):
        return _tagged("bytes", value.hex())
    return _tagged("opaque", type(value).__name__, repr(value))


def _tagged(tag: str, *texts: str) -> str:
    return f'["{tag}",{",".join(map(encode_basestring_ascii, texts))}]'


def action_digest(kind: ActionKind, target: str, arguments: Mapping[str, object]) -> str:
    """Return the SHA-256 that names an action: its kind, its target and its exact arguments."""
    text = "\n".join((_ACTION_VERSION, kind, target, canonical_json(dict(arguments))))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def idempotency_key(run_id: str, agent: str, sequence: int, digest: str) -> str:
    """Return the 32 hexadecimal digits under which an action is sent, however often (language.md §6.2)."""
    text = "\n".join((_KEY_VERSION, run_id, agent, str(sequence), digest))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Action:
    """One action as it was authorised.

    `attempt` is 1, and higher when it is sent again under the same key.
    """

    kind: ActionKind
    target: str
    arguments: Mapping[str, object]
    agent: str
    action_id: str
    idempotency_key: str
    digest: str
    policy_digest: str
    approval: str | None = None
    attempt: int = 1


_UNCHANGEABLE = frozenset({str, int, float, bool, type(None)})


def _is_unchangeable(arguments: Mapping[str, object]) -> bool:
    """Tell whether of these arguments only the whole can be changed."""
    return _UNCHANGEABLE.issuperset(map(type, arguments.values()))


def _own_copy(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return a copy of which no part can be changed from outside; mostly there is only the whole to copy."""
    copy = dict(arguments)
    return copy if _is_unchangeable(copy) else deepcopy(copy)


_MINT = object()


class Permit:
    """The right to perform one action once. Only a `Kernel` mints one; it cannot be copied or pickled."""

    __slots__ = ("__weakref__", "_void", "action")

    def __init__(self, action: Action, *, mint: object) -> None:
        if mint is not _MINT:
            raise _forged(action.target)
        self.action = action
        self._void = False
        _minted[self] = _Fit(action)

    @property
    def is_void(self) -> bool:
        """Tell whether the permit is worthless."""
        return self._void

    def void(self) -> None:
        """Make the permit worthless, for ever."""
        self._void = True

    def __copy__(self) -> Permit:
        raise _refusal("P101", message_id("a permit cannot be copied"), self.action.target)

    def __deepcopy__(self, memo: object) -> Permit:
        return self.__copy__()

    def __reduce__(self) -> str:
        raise _refusal("P101", message_id("a permit cannot be serialised"), self.action.target)

    def active(self, attempt: int = 1) -> AbstractContextManager[None]:
        """Let the host perform the action, once, inside this block.

        `attempt` is what the tool reads of it.
        """
        fit = _minted.get(self) if type(self) is Permit else None
        if fit is None:
            raise _forged("")
        return _Attempt(self, self.action, attempt, fit)


class _Fit:
    """What a permit fits: the action of one digest, and of no other."""

    __slots__ = ("_digest", "_kind", "_plain", "_target")

    def __init__(self, action: Action) -> None:
        self._kind = action.kind
        self._target = action.target
        self._digest = action.digest
        self._plain = dict(action.arguments) if _is_unchangeable(action.arguments) else None

    def fits(self, kind: ActionKind, target: str, arguments: Mapping[str, object]) -> bool:
        """Tell whether this is the action.

        Mostly it is told without a digest: what cannot be changed, and is the same, piece by piece, in the
        same order, has the same one. Equal is not enough: `1`, `1.0` and `true` are.
        """
        plain, of_kind = self._plain, type(arguments)
        if (
            plain is not None
            and of_kind is dict
            and target is self._target
            and kind == self._kind
            and len(plain) == len(arguments)
            and all(map(is_, plain, arguments))
            and all(map(is_, plain.values(), arguments.values()))
        ):
            return True
        return action_digest(kind, target, arguments) == self._digest


_minted: WeakKeyDictionary[Permit, _Fit] = WeakKeyDictionary()
"""What each permit was minted for, whatever its attributes say now."""


class _Attempt:
    """One attempt under a permit, or the examination of one: active inside its block.

    A thread that a tool left behind keeps the attempt in its context: it is over there too.
    """

    __slots__ = ("_action", "_fit", "_lock", "_number", "_permit", "_presented", "_shown", "_token", "over")

    def __init__(self, permit: Permit | None, action: Action, number: int, fit: _Fit | None = None) -> None:
        self._permit = permit
        self._fit = fit
        self._action = action
        self._number = number
        self._shown: Action | None = None
        self._presented = False
        self._lock = Lock()
        self._token: Token[_Attempt | None] | None = None
        self.over = False

    def __enter__(self) -> None:
        self._token = _active.set(self)

    def __exit__(self, *_: object) -> None:
        self.over = True
        if self._token is not None:
            _active.reset(self._token)

    @property
    def action(self) -> Action:
        """The action as the host reads it: a copy, which it may change."""
        if self._shown is None:
            arguments = _own_copy(self._action.arguments)
            self._shown = replace(self._action, attempt=self._number, arguments=arguments)
        return self._shown

    def present(self, kind: ActionKind, target: str, arguments: Mapping[str, object]) -> None:
        """Spend the permit on exactly this action. Raises PermitError (language.md §6.3)."""
        if self._permit is None or self._fit is None:
            raise _refusal("P102", message_id("{target} was called without a permit"), target)
        if self.over or self._permit.is_void:
            raise _refusal("P103", message_id("the permit for {target} is no longer valid"), target)
        if (kind, target) != (self._action.kind, self._action.target):
            raise _refusal("P105", message_id("the active permit is not for {target}"), target)
        with self._lock:
            if self._presented:
                raise _refusal("P104", message_id("the permit for {target} has already been used"), target)
            if not self._fit.fits(kind, target, arguments):
                text = message_id("{target} was called with other arguments than the policy allowed")
                raise _refusal("P106", text, target)
            self._presented = True


_active: ContextVar[_Attempt | None] = ContextVar("agentl_active_permit", default=None)


def _forged(target: str) -> PermitError:
    return _refusal("P101", message_id("a permit can only come from the policy kernel"), target)


def _refusal(code: str, template: str, target: str) -> PermitError:
    return PermitError(
        code,
        Message(template, {"target": target}),
        action=Message(message_id("call tools from the program, so that its POLICY decides")),
    )


def examined(action: Action) -> AbstractContextManager[None]:
    """Let a reconciler read the action that it is asked about; nothing can be performed inside this block."""
    return _Attempt(None, action, action.attempt)


def active_action() -> Action | None:
    """Return the action being performed, None outside one."""
    active = _active.get()
    return None if active is None else active.action


def current_action() -> Action:
    """Return the action being performed: for tools, to read their idempotency key.

    Raises PermitError outside one.
    """
    action = active_action()
    if action is None:
        raise _refusal("P102", message_id("no action is being performed here"), "")
    return action


def present_permit(kind: ActionKind, target: str, arguments: Mapping[str, object]) -> None:
    """Spend the active permit on this action; the host calls it before it calls a tool.

    Raises PermitError.
    """
    attempt = _active.get()
    if attempt is None:
        raise _refusal("P102", message_id("{target} was called without a permit"), target)
    attempt.present(kind, target, arguments)


class Kernel:
    """Mints the permits of one agent; at most one is outstanding."""

    def __init__(self, run_id: str, agent: str, policy_digest: str) -> None:
        self._run_id = run_id
        self._agent = agent
        self._policy_digest = policy_digest
        self._outstanding: Permit | None = None

    def mint(  # noqa: PLR0913  # all that names an action, by name
        self,
        kind: ActionKind,
        target: str,
        arguments: Mapping[str, object],
        *,
        tick: int,
        sequence: int,
        approval: str | None = None,
    ) -> Permit:
        """Return the permit for one authorised action; the one before it becomes void.

        `sequence` counts the permits of this agent over the whole run, from 1: its home is the state of the
        run.
        """
        digest = action_digest(kind, target, arguments)
        key = idempotency_key(self._run_id, self._agent, sequence, digest)
        action_id = f"{self._run_id}:{self._agent}:t{tick}:a{sequence}"
        return self._issue(
            self._action(
                kind, target, arguments, action_id=action_id, key=key, digest=digest, approval=approval
            )
        )

    def mint_again(
        self, kind: ActionKind, target: str, arguments: Mapping[str, object], *, action_id: str, key: str
    ) -> Permit:
        """Return a new permit for an action that was authorised anew: under its old id and key."""
        digest = action_digest(kind, target, arguments)
        return self._issue(self._action(kind, target, arguments, action_id=action_id, key=key, digest=digest))

    def _action(  # noqa: PLR0913  # all that names an action
        self,
        kind: ActionKind,
        target: str,
        arguments: Mapping[str, object],
        *,
        action_id: str,
        key: str,
        digest: str,
        approval: str | None = None,
    ) -> Action:
        return Action(
            kind=kind,
            target=target,
            arguments=_own_copy(arguments),
            agent=self._agent,
            action_id=action_id,
            idempotency_key=key,
            digest=digest,
            policy_digest=self._policy_digest,
            approval=approval,
        )

    def _issue(self, action: Action) -> Permit:
        if self._outstanding is not None:
            self._outstanding.void()
        self._outstanding = Permit(action, mint=_MINT)
        return self._outstanding
