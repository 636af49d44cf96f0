"""Text → Program, for those who run programs from Python (durability.md §12)."""

from __future__ import annotations

from pathlib import Path

from agentl.errors import Place, ProgramError, UsageError
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Severity, message_id
from agentl_grammar.tree import Program


def parse_source(text: str, name: str = "<text>") -> Program:
    """Return the program that `text` says; `name` is what messages call it. Raises ProgramError."""
    result = parse(text, name)
    errors = [problem for problem in result.problems if problem.severity is Severity.ERROR]
    if errors or result.program is None:
        raise ProgramError(result.source, errors or result.problems)
    return result.program


def parse_file(path: str | Path) -> Program:
    """Return the program in the file `path`, read as UTF-8. Raises ProgramError, and UsageError when unreadable."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _unreadable(
            path, Message(message_id("{path} cannot be read: {reason}"), {"path": path, "reason": reason})
        ) from None
    except UnicodeDecodeError as error:
        raise _unreadable(
            path, Message(message_id("{path} is not UTF-8: byte {byte}"), {"path": path, "byte": error.start})
        ) from None
    return parse_source(text, str(path))


def _unreadable(path: str | Path, message: Message) -> UsageError:
    action = Message(message_id("give the path of an .agent file, in UTF-8"))
    return UsageError("U104", message, place=Place(path=str(path)), action=action)
