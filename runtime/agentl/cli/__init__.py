"""The `agentl` command. Its start is kept short: a command imports what it needs when it runs.

Standard output carries results (trace, settled actions, metrics, tables), standard error notices and errors.
Exit codes are those of durability.md §7.
"""

from __future__ import annotations

import gc
import os
import sys
import threading

from agentl.cli.streams import leave_streams, mend_streams
from agentl.errors import Abort, AgentlError, Explained, UsageError
from agentl.messages import choose_language
from agentl_grammar.problems import Message, message_id

INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143
CRASHED = 70
"""Exit code of an error of agentl itself (EX_SOFTWARE of sysexits.h)."""

_USUAL_COLLECTIONS = gc.get_threshold()
_COLLECTIONS_AT_START = (200_000, 2, 2)
"""A start makes half as many objects, and all of them stay: to look for garbage there takes a tenth of it."""


class Terminated(BaseException):
    """SIGTERM arrived; like KeyboardInterrupt, nothing on the way may keep it."""


def main() -> None:
    """Run the command line of this process and exit."""
    gc.set_threshold(*_COLLECTIONS_AT_START)
    mend_streams()
    code = run(sys.argv[1:])
    _tell_of_threads()
    sys.exit(code)


def _tell_of_threads() -> None:
    """Say what Python waits for now: threads that a host left behind and that are no daemons."""
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    names = [each.name for each in others if not each.daemon]
    if names:
        from agentl.cli.reporting import notice  # a host that leaves threads only

        template = message_id("the command is done and waits for threads that the host left: {names}")
        notice(Message(template, {"names": ", ".join(names)}))


def collect_as_usual() -> None:
    """Let garbage be collected as Python does from now on: what begins may take long."""
    if gc.get_threshold() == _COLLECTIONS_AT_START:
        gc.freeze()  # what was loaded stays, and is looked through no more
        gc.set_threshold(*_USUAL_COLLECTIONS)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; nothing a user can cause ends in a traceback."""
    arguments, wanted = take_language(arguments)
    choose_language(wanted)
    try:
        return _guarded(arguments)
    finally:
        leave_streams()


def _guarded(arguments: list[str]) -> int:
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
    except (KeyboardInterrupt, Terminated) as signal:
        return INTERRUPTED if isinstance(signal, KeyboardInterrupt) else TERMINATED
    except BrokenPipeError:
        return BROKEN_PIPE
    except (AgentlError, Abort) as error:
        return _tell(error)
    except OSError as error:
        return _tell(from_os_error(error))
    except Exception as error:  # noqa: BLE001  # the last net: a bug is told in two lines
        return _tell_bug(error)
    else:
        return code


def _dispatch(arguments: list[str]) -> int:
    from agentl.cli.app import invoke  # kept out of the start of `import agentl.cli`

    return invoke(arguments)


def take_language(arguments: list[str]) -> tuple[list[str], str | None]:
    """Take `--lang X` or `--lang=X` out of `arguments`, wherever it stands: usage errors speak it too."""
    rest: list[str] = []
    wanted: str | None = None
    words = iter(arguments)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word == "--lang":
            wanted = next(words, None)
        elif word.startswith("--lang="):
            wanted = word.removeprefix("--lang=")
        else:
            rest.append(word)
    return rest, wanted


def from_os_error(error: OSError) -> AgentlError:
    """Return what the system refused, as an error with a code."""
    from agentl.files import explain_os_error  # errors only

    return explain_os_error(error)


def _tell(error: Explained) -> int:
    from agentl.cli.reporting import report  # errors only

    report(error)
    return error.exit_code


def _tell_bug(error: Exception) -> int:
    """Say that agentl itself failed; the traceback is for those who ask for it."""
    if os.environ.get("AGENTL_DEBUG"):
        raise error
    _tell(
        UsageError(
            "U901",
            Message(
                message_id("agentl itself failed: {error}"),
                {"error": f"{type(error).__name__}: {error}".strip(": ")},
            ),
            action=Message(message_id("run it again with AGENTL_DEBUG=1 and report what it prints as a bug")),
        )
    )
    return CRASHED
