"""One rendering of every error and notice, on standard error.

    error R304: another process holds this run
      at: runs/payments
      pid 4711, since 10:31:02
      help: wait until it ends, or stop it
      more: agentl explain R304
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from agentl.errors import Explained, Place, ProgramError
from agentl.messages import translate
from agentl_grammar.problems import Message, message_id
from agentl_grammar.source import Source, Span

from agentl_grammar.rendering import excerpt, render


def notice(message: Message) -> None:
    """Say something about the run that is no result: on standard error."""
    print(translate(message), file=sys.stderr, flush=True)  # noqa: T201  # this is the command line
