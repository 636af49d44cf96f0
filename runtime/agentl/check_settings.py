"""The settings of the checks: `[tool.agentl]` of pyproject.toml, or agentl.toml, in the nearest folder.

select = ["W1"]                      # codes, or how they begin; without it all are told
ignore = ["W124"]
severity = { W120 = "error", W102 = "hint" }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from agentl.files import read_text
from agentl.review import CODES as REVIEW_CODES
from agentl_grammar.checks import CODES, Selection
from agentl_grammar.problems import Message, Problem, Severity, message_id
from agentl_grammar.source import Position, Source, Span

_TOLD = frozenset({*CODES, *REVIEW_CODES, "W141", "W142"})
_PLACE = re.compile(r"\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)")


def unknown_code(code: str) -> bool:
    """Tell whether no code of the checks begins so."""
    return not any(known.startswith(code.upper()) for known in _TOLD) or not code


def _known(code: str) -> str:
    if unknown_code(code):
        raise ValueError(code)
    return code.upper()


def _changeable(code: str) -> str:
    if code.upper() not in _TOLD or code.upper().startswith("E"):
        raise ValueError(code)
    return code.upper()


class CheckSettings(BaseModel):
    """What a settings file says; anything else in it is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    select: tuple[Annotated[str, AfterValidator(_known)], ...] = ()
    ignore: tuple[Annotated[str, AfterValidator(_known)], ...] = ()
    severity: dict[Annotated[str, AfterValidator(_changeable)], Severity] = Field(
        default_factory=dict[str, Severity]
    )

    def selection(self) -> Selection:
        """Return these settings as the checks take them."""
        return Selection(self.select, self.ignore, self.severity)


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file: what it says, as far as it is understood, and what is wrong with it."""

    source: Source
    selection: Selection
    problems: tuple[Problem, ...] = ()


def settings_for(program: Path) -> SettingsFile | None:
    """Return the settings that hold for a file: of the nearest folder that has some. Raises UsageError."""
    for folder in program.resolve().parents:
        found = _settings_in(folder)
        if found is not None:
            return found
    return None


@cache
def _read(path: Path, stamp: tuple[int, int]) -> SettingsFile | None:  # noqa: ARG001 (read again when it changes)
    source = Source(read_text(path), str(path))
    try:
        said: dict[str, Any] = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        return _broken(source, error) if path.name == "agentl.toml" or "tool.agentl" in source.text else None
    if path.name == "pyproject.toml":
        tools: object = said.get("tool", {})
        if not isinstance(tools, dict):
            return SettingsFile(source, Selection(), (_no_table(source, "tool"),))
        if "agentl" not in tools:
            return None
        said = cast("dict[str, Any]", tools["agentl"])
        if not isinstance(said, dict):  # pyright: ignore[reportUnnecessaryIsInstance]  # it is what a file says
            return SettingsFile(source, Selection(), (_no_table(source, "agentl"),))
    try:
        return SettingsFile(source, CheckSettings.model_validate(said).selection())
    except ValidationError as error:
        return SettingsFile(source, Selection(), tuple(_wrong(source, error)))


def _settings_in(folder: Path) -> SettingsFile | None:
    for name in ("agentl.toml", "pyproject.toml"):
        path = folder / name
        if path.is_file():
            stat = path.stat()
            found = _read(path, (stat.st_mtime_ns, stat.st_size))
            if found is not None:
                return found
    return None


def _problem(span: Span, message: Message) -> Problem:
    help_text = Message(message_id("`agentl explain U112` shows the settings there are"))
    return Problem("U112", Severity.ERROR, span, message, help_text)


def _no_table(source: Source, name: str) -> Problem:
    return _problem(
        _place(source, name), Message(message_id("{name} is no table of settings"), {"name": name})
    )


def _broken(source: Source, error: tomllib.TOMLDecodeError) -> SettingsFile:
    place = _PLACE.search(str(error))
    start = len(source.text)
    if place and place["line"]:
        start = source.offset(Position(int(place["line"]) - 1, int(place["column"]) - 1))
    message = Message(
        message_id("the settings are not TOML: {reason}"), {"reason": _PLACE.sub("", str(error)).strip()}
    )
    return SettingsFile(source, Selection(), (_problem(Span(start, start + 1), message),))


def _wrong(source: Source, error: ValidationError) -> Iterator[Problem]:
    for each in error.errors():
        key = str(each["loc"][0]) if each["loc"] else ""
        value = str(each["input"])
        inside = len(each["loc"]) > 1 and each["type"] == "value_error"
        span = _place(source, value if inside else key)
        if each["type"] == "extra_forbidden":
            message = Message(message_id("there is no setting {name}"), {"name": key})
        elif inside and key == "severity":
            message = Message(message_id("{code} has no severity that could be changed"), {"code": value})
        elif inside:
            message = Message(message_id("no code of the checks begins with {code}"), {"code": value})
        else:
            message = Message(
                message_id("{name} does not fit: {reason}"), {"name": key, "reason": each["msg"]}
            )
        yield _problem(span, message)


def _place(source: Source, word: str) -> Span:
    """Return where a word of the settings stands, behind the head of their table."""
    head = re.search(r"^\s*\[tool\.agentl", source.text, re.MULTILINE)
    found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(
        source.text, head.end() if head else 0
    )
    return Span(*found.span()) if found else Span(0, 0)
