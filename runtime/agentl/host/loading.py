"""Loading the host script beside a program (language.md §8.1)."""

from __future__ import annotations

import difflib
import errno
import hashlib
import importlib.util
import json
import os
import shlex
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from agentl.errors import Abort, AgentlError, HostError, Place
from agentl.host.registry import Host
from agentl.host.streams import lent_streams
from agentl.host.tables import refuse_odd_tables
from agentl.oracles.model import Model
from agentl.secret import conceal_everywhere
from agentl_grammar.problems import Message, message_id

MODULE_NAME = "agentl_host"
"""The name under which every host script is imported."""


@dataclass(frozen=True, slots=True)
class LoadedHost:
    """A host script that was run: its host, its model if it has one, the file, the SHA-256 of its bytes."""

    host: Host
    model: Model | None
    path: Path
    digest: str


def host_path(agent_file: Path) -> Path:
    """Return where the host script of `agent_file` lies: `X.py` beside `X.agent`."""
    return agent_file.with_suffix(".py")


def load_host(agent_file: Path) -> LoadedHost:
    """Run the host script beside `agent_file`. What it prints goes to stderr.

    Raises HostError: H101 there is none, H102 it raises while it loads, H103 it offers no host, H104 it
    declares what cannot be meant. An AgentlError that the script raises goes through, with its place.
    """
    path = host_path(agent_file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _missing(path, agent_file, error) from None
    try:
        with lent_streams():
            built = _build(path, _import(path))
        host, model = _checked(path, built)
        refuse_odd_tables(host)
        host.refuse_generators()
    except AgentlError as error:
        if error.place == Place():
            error.place = Place(path=str(path))
        raise
    except (KeyboardInterrupt, Abort):
        raise
    except BaseException as error:  # a script may raise anything; none of it is a bug of ours
        raise _raised(path, error) from error
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


def _build(path: Path, module: ModuleType) -> Any:
    """Return what `build()` returns; without one, the attributes `host` and `llm` of the script."""
    build = getattr(module, "build", None)
    if build is not None:
        return build()
    if not hasattr(module, "host"):
        raise _offers_nothing(path, module)
    return module.host, getattr(module, "llm", None)


def _offers_nothing(path: Path, module: ModuleType) -> HostError:
    message = Message(
        message_id("{path} has neither a function build() nor a Host named host"), {"path": str(path)}
    )
    action = Message(message_id("define build() that returns a Host, or set host = Host() in the module"))
    near = _near_miss(module)
    if near:
        text = message_id("did you mean {wanted} where the script says {name}? {action}")
        action = Message(text, {"wanted": near[0], "name": near[1], "action": action})
    return HostError("H103", message, place=Place(path=str(path)), action=action)


def _near_miss(module: ModuleType) -> tuple[str, str] | None:
    """Return what was wanted and the name of the script that comes close to it."""
    names = {name.lower(): name for name in vars(module) if not name.startswith("__")}
    for wanted, kind in (("build", FunctionType), ("host", Host)):
        fitting = [short for short, name in names.items() if isinstance(getattr(module, name), kind)]
        near = difflib.get_close_matches(wanted, fitting, n=1)
        if near:
            return wanted, names[near[0]]
    return None


def _checked(path: Path, built: Any) -> tuple[Host, Model | None]:
    parts = cast("tuple[Any, ...]", built) if isinstance(built, tuple) else (built,)
    host = parts[0] if parts else None
    model = parts[1] if len(parts) > 1 else None
    if not isinstance(host, Host):
        raise _unusable(
            path, Message(message_id("build() returned {type}, not a Host"), {"type": _type(host)})
        )
    if model is None:
        return host, None
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
    if error.errno in (errno.EACCES, errno.EPERM):
        action = Message(message_id("give yourself the right to read {path}"), {"path": str(path)})
    else:
        action = Message(
            message_id("write {path}: a function build() that returns an agentl.Host"), {"path": str(path)}
        )
    return HostError("H101", message, place=Place(path=str(path)), action=action)


def _raised(path: Path, error: BaseException) -> HostError:
    text = conceal_everywhere(str(error)) or type(error).__name__
    message = Message(
        message_id("{path}, line {line}: {error} while the host script was loading: {text}"),
        {"path": str(path), "line": _line(path, error), "error": type(error).__name__, "text": text},
    )
    shown = f'import runpy; runpy.run_path({json.dumps(str(path))})["build"]()'
    action = Message(
        message_id("mend the host script; `{command}` shows the whole traceback"),
        {"command": f"python -c {shlex.quote(shown)}"},
    )
    return HostError("H102", message, place=Place(path=str(path)), action=action)


def _line(path: Path, error: BaseException) -> int:
    """Return the deepest line of the script itself that the error passed through, counted from 1."""
    name = os.path.abspath(path)  # noqa: PTH100  # as importlib names it in tracebacks: links are not resolved
    if isinstance(error, SyntaxError) and error.filename == name:
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == name]
    return (lines[-1] if lines else None) or 1


def _unusable(path: Path, message: Message) -> HostError:
    action = Message(message_id("let build() return a Host, or a Host and a model"))
    return HostError("H103", message, place=Place(path=str(path)), action=action)
