"""Every error of agentl, as one tree (durability.md §8).

AgentlError(Exception)            code, message, place, action: something a person can mend
├── ProgramError                  the program has problems (S…, E…, C…)
├── UsageError                    a command was called wrongly (U…)
├── HostError                     the host script cannot be used (H…)
├── ModelError                    the model cannot be used (M…)
└── DurableError                  a run is refused (R…)
    └── ReplayDivergence          the program and the journal part ways (R102, R103)
Abort(BaseException)              ends the run; neither a program nor a host can catch it
├── PermitError                   a tool was reached without the permit for it
└── StoreFailure                  the journal can no longer be written (R601)
InDoubt(Exception)                raised by a tool: the effect may have happened
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentl_grammar.problems import Message, Problem
from agentl_grammar.source import Source, Span


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is wrong: what is known of it.

    `path` is a file or a run directory as the person named it, `record` a record number of the journal,
    `declaration` a key such as `payments/plan:pay`, `source` and `span` the text and the part of it to show.
    """

    path: str | None = None
    record: int | None = None
    declaration: str | None = None
    source: Source | None = None
    span: Span | None = None


class Explained(BaseException):
    """What every error carries: a stable code, the place, what is wrong, and what to do next.

    `details` are further sentences, shown below the message, one a line.
    """

    exit_code: int = 2

    def __init__(
        self,
        code: str,
        message: Message,
        *,
        place: Place | None = None,
        action: Message | None = None,
        details: Sequence[Message] = (),
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.place = place or Place()
        self.action = action
        self.details = tuple(details)


class AgentlError(Explained, Exception):
    """The root of what a person can mend. `exit_code` is the command line's (durability.md §7)."""


class ProgramError(AgentlError):
    """The program cannot be run. `problems` are in the order of the text; `source` is that text."""

    def __init__(self, source: Source, problems: Sequence[Problem], *, exit_code: int = 2) -> None:
        first = problems[0]
        super().__init__(
            first.code, first.message, place=Place(path=source.name, source=source, span=first.span)
        )
        self.source = source
        self.problems = tuple(problems)
        self.exit_code = exit_code


class UsageError(AgentlError):
    """A command, or a function of the API, was called with something it cannot take."""


class HostError(AgentlError):
    """The host script is missing, or raises while it loads, or does not offer a Host (language.md §8.1)."""


class ModelError(AgentlError):
    """The model that was named cannot be used (language.md §8.3)."""


class DurableError(AgentlError):
    """A durable run is refused (durability.md §8)."""


class ReplayDivergence(DurableError):  # noqa: N818  # the term of the field
    """The program asks for another crossing, or reaches another state, than the journal holds."""

    exit_code = 1


class Abort(Explained, BaseException):
    """Ends the run. A BaseException, so that no `except Exception` of a host keeps it from doing so."""


class PermitError(Abort):
    """A tool or sub-agent was reached without an active permit for exactly this action (language.md §6.3)."""


class StoreFailure(Abort):
    """The journal could not be written; nothing more is tried (durability.md §5)."""


class InDoubt(Exception):  # noqa: N818  # the name is the language's term, and authors of hosts write it
    """Raised by a tool that cannot tell whether its effect happened (durability.md §3)."""
