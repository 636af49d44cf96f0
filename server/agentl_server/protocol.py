"""The custom messages, as docs/editor-protocol.md describes them (camelCase on the wire)."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import unquote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

PROTOCOL_VERSION = 1
log = logging.getLogger("agentl_server")
_Model = TypeVar("_Model", bound=BaseModel)


class _Wire(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=True)


def _a_path(value: str) -> str:
    if "\0" in value:
        raise ValueError("no file has NUL in its name")
    os.fsencode(value)
    return value


def _directory(value: str) -> str:
    if not Path(_a_path(value)).is_absolute():
        raise ValueError("a directory is an absolute path")
    return value


def _uri(value: str) -> str:
    _a_path(unquote(value))
    return value


Directory = Annotated[str, AfterValidator(_directory)]
Uri = Annotated[str, AfterValidator(_uri)]


class ClientFeatures(_Wire):
    """`capabilities.experimental.agentl`: what the client can show beyond LSP."""

    run_output: bool = False
    run_changed: bool = False
    inspect: bool = False


class Options(_Wire):
    """`initializationOptions`. `features` turns single features off by name."""

    interpreter: str | None = None
    runs: list[str] = Field(default_factory=lambda: ["**/runs/*/wal.jsonl"])
    features: dict[str, bool] = Field(default_factory=dict)


class RunArguments(_Wire):
    """Start a new run of the program at `uri`; `ticks` is its length."""

    uri: Uri
    ticks: int | None = Field(default=None, ge=1)


class ResumeArguments(_Wire):
    """Go on with the run in `directory`."""

    uri: Uri
    directory: Directory


class InspectArguments(_Wire):
    """Read the journal of the run in `directory`."""

    directory: Directory


class StopArguments(_Wire):
    """Ask the run in `directory` to stop at its next safe point."""

    directory: Directory


class Started(_Wire):
    """A run's process was started. `run_id` is None while the run has no journal yet."""

    directory: str
    run_id: str | None
    pid: int


class Inspection(_Wire):
    """The journal as a document to be shown."""

    title: str
    text: str
    language_id: Literal["markdown"] = "markdown"


class Stopped(_Wire):
    """Whether there was a process to stop."""

    stopped: bool


class RunChanged(_Wire):
    """`agentl/runChanged`: a run's journal or state is another than before."""

    directory: str
    program: str | None
    run_id: str
    state: str
    entries: int
    open_intents: int
    in_doubt: int
    command: str


class RunOutput(_Wire):
    """`agentl/runOutput`: what a run started from the editor printed."""

    directory: str
    run_id: str | None
    text: str


def validated(model: type[_Model], told: object) -> _Model:
    """Return what a client said of itself; what does not fit is logged, and everything is at its default."""
    try:
        return model.model_validate({} if told is None else told)
    except ValidationError as error:
        log.warning("%s are ignored: %s", model.__name__, misfits(error))
        return model()


def misfits(error: ValidationError) -> str:
    """Return what does not fit, field by field, in one line."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, part['loc'])) or 'argument'}: {part['msg']}" for part in found)
