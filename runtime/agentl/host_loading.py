"""Loading the host script beside a program (language.md §8.1)."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from agentl.errors import HostError, Place
from agentl.host import Host
from agentl.oracles.mock import MockLLM
from agentl.oracles.model import Model
from agentl_grammar.problems import Message, message_id

MODULE_NAME = "agentl_host"
"""The name under which every host script is imported."""


@dataclass(frozen=True, slots=True)
class LoadedHost:
    """A host script that was run: its host, its model, the file, and the SHA-256 of its bytes."""

    host: Host
    model: Model
    path: Path
    digest: str


def host_path(agent_file: Path) -> Path:
    """Return where the host script of `agent_file` lies: `X.py` beside `X.agent`."""
    return agent_file.with_suffix(".py")


def load_host(agent_file: Path) -> LoadedHost:
    """Run the host script beside `agent_file`. What it prints goes to stderr.

    Raises HostError: H101 there is none, H102 it raises while it loads, H103 it offers no host.
    """
    path = host_path(agent_file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _missing(path, agent_file, error) from None
    try:
        with contextlib.redirect_stdout(sys.stderr):
            built = _build(_import(path))
    except (Exception, SystemExit) as error:  # a script may raise anything; none of it is a bug of ours
        raise _raised(path, error) from error
    host, model = _checked(path, built)
    return LoadedHost(host, model, path, hashlib.sha256(content).hexdigest())


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    if spec is None or spec.loader is None:  # pragma: no cover  # the suffix is .py, so there is a loader
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE_NAME] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(MODULE_NAME, None)
        raise
    return module


def _build(module: ModuleType) -> Any:
    """Return what `build()` returns; without one, the attributes `host` and `llm` of the script."""
    build = getattr(module, "build", None)
    if build is not None:
        return build()
    return getattr(module, "host", None) or Host(), getattr(module, "llm", None)


def _checked(path: Path, built: Any) -> tuple[Host, Model]:
    parts = cast("tuple[Any, ...]", built) if isinstance(built, tuple) else (built,)
    host = parts[0] if parts else None
    model = parts[1] if len(parts) > 1 else None
    if not isinstance(host, Host):
        raise _unusable(
            path, Message(message_id("build() returned {type}, not a Host"), {"type": _type(host)})
        )
    if model is None:
        return host, MockLLM()
    if not callable(getattr(model, "reason", None)):
        raise _unusable(
            path, Message(message_id("the model is {type} and has no reason()"), {"type": _type(model)})
        )
    return host, cast("Model", model)


def _type(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _missing(path: Path, agent_file: Path, error: OSError) -> HostError:
    reason = error.strerror or type(error).__name__
    message = Message(
        message_id("{program} has no usable host script {path}: {reason}"),
        {"program": str(agent_file), "path": str(path), "reason": reason},
    )
    action = Message(
        message_id("write {path}: a function build() that returns an agentl.Host"), {"path": str(path)}
    )
    return HostError("H101", message, place=Place(path=str(path)), action=action)


def _raised(path: Path, error: BaseException) -> HostError:
    text = str(error) or type(error).__name__
    message = Message(
        message_id("{path}, line {line}: {error} while the host script was loading: {text}"),
        {"path": str(path), "line": _line(path, error), "error": type(error).__name__, "text": text},
    )
    action = Message(
        message_id("mend the host script; `python {path}` shows the whole traceback"), {"path": str(path)}
    )
    return HostError("H102", message, place=Place(path=str(path)), action=action)


def _line(path: Path, error: BaseException) -> int:
    """Return the deepest line of the script itself that the error passed through, counted from 1."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return (lines[-1] if lines else None) or 1


def _unusable(path: Path, message: Message) -> HostError:
    action = Message(message_id("let build() return a Host, or a Host and a model"))
    return HostError("H103", message, place=Place(path=str(path)), action=action)
