"""Reading what a model wrote: JSON alone, in a fence, or with prose around it (language.md §8.3)."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from pydantic import ValidationError

from agentl.oracles.failures import Refused, Unfit

_LONGEST = 256 * 1024
"""Characters of an answer that is still read: far more than any number of output tokens asked for."""
_MOST_PLACES = 100
"""Opening braces at which a JSON object is looked for in prose."""
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)


def object_in(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` holds.

    Raises Unfit when there is none; Refused for a text so long that asking again would only pay twice.
    """
    if len(text) > _LONGEST:
        raise Refused(f"the answer has {len(text)} characters; at most {_LONGEST} are read")
    if not text.strip():
        raise Unfit("the answer is empty")
    for candidate in (text, *_FENCE.findall(text)):
        found = _object(candidate.strip())
        if found is not None:
            return found
    found = _object_inside(text)
    if found is None:
        raise Unfit(f"the answer is no JSON object{_why_unreadable(text.strip())}")
    return found


def _why_unreadable(text: str) -> str:
    """Return what is wrong with a text that begins like JSON; nothing about prose."""
    if not text.startswith(("{", "[")):
        return ""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f": {error}"
    except RecursionError:
        return ": it is nested too deeply"
    except ValueError:  # the one other that Python's reader raises
        return ": a number in it is too long"
    return ""


def _object(text: str) -> dict[str, Any] | None:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _object_inside(text: str) -> dict[str, Any] | None:
    """Return the first object in prose; none that is inside of one that cannot be read, or was cut off."""
    decoder = json.JSONDecoder()
    place = 0
    for _ in range(_MOST_PLACES):
        place = text.find("{", place)
        if place < 0:
            break
        try:
            return cast("dict[str, Any]", decoder.raw_decode(text, place)[0])
        except json.JSONDecodeError as error:
            place = max(error.pos, place + 1)
        except (ValueError, RecursionError):
            break
    return None


def problems_of(error: ValidationError) -> str:
    """Return what is wrong with an answer, one field a line, as a model is told."""
    lines = [f"- {'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()]
    return "\n".join(lines)
