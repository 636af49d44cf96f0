"""`agentl run`: read, refuse what cannot run, load the host, run or resume, print (durability.md §1)."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from agentl.cli import INTERRUPTED, Terminated, collect_as_usual
from agentl.cli.output import TraceOutput, print_ledger, print_metrics, print_settled, trace_output
from agentl.cli.reporting import notice
from agentl.cli.streams import keep_results_apart
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.errors import Abort, HostError, ProgramError, UsageError
from agentl.files import read_text, refuse_overwriting
from agentl.host.loading import LoadedHost, host_path, load_host
from agentl.host.memory import refuse_undeclared_memory
from agentl.host.registry import Host
from agentl.host.sink import feed_sink
from agentl.interpreter.machine import Machine
from agentl.interpreter.support import unsupported
from agentl.oracles.choosing import choose_model
from agentl.oracles.model import Model
from agentl.secret import conceal_everywhere
from agentl_grammar.checks import check
from agentl_grammar.parser import parse
from agentl_grammar.problems import Message, Severity, message_id
from agentl_grammar.source import Source
from agentl_grammar.tree import Agent, Goal, Program

GOALS_UNMET = 3


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `agentl run`, as they were given."""

    file: Path
    durable: str | None
    run_id: str | None
    ticks: int | None
    quiet: bool
    fail_on_goal: bool
    events: Path | None
    model: str | None


def run_program(options: RunOptions) -> int:
    """Run or resume, and return the exit code. Raises AgentlError and Abort for every refusal."""
    if options.run_id is not None and options.durable is None:
        raise UsageError(
            "U109",
            Message(message_id("--run-id names a durable run, and there is none")),
            action=Message(message_id("add --durable DIR, or leave --run-id out")),
        )
    if options.events is not None:
        _refuse_events_over(options.events, options)
    source, program = read_program(options.file)
    collect_as_usual()
    keep_results_apart()
    loaded = load_host(options.file)
    model = choose_model(options.model, loaded.model, notice)
    with (
        terminate_like_interrupt(),
        trace_output(program.agents[0].name.text, quiet=options.quiet, events=options.events) as output,
    ):
        if options.durable is None:
            machine = _run_live(program, loaded.host, model, options.ticks, output)
        else:
            machine = _run_durable(source, program, loaded, model, options, output, options.durable)
    print_metrics(machine.metrics)
    print_ledger(machine.state.drift)
    return GOALS_UNMET if options.fail_on_goal and _goals_unmet(program.agents[0], machine) else 0


def _refuse_events_over(events: Path, options: RunOptions) -> None:
    for needed in (options.file, host_path(options.file)):
        refuse_overwriting(events, needed)
    if options.durable is not None:
        from agentl.durable.addressing import refuse_output_over  # only for a durable run

        refuse_output_over(options.durable, events)


def read_program(file: Path) -> tuple[Source, Program]:
    """Return a program that `run` can execute. Raises ProgramError, UsageError U105, OSError."""
    result = parse(read_text(file), str(file))
    if result.program is None or not result.complete:
        raise ProgramError(result.source, result.problems)
    errors = [problem for problem in check(result) if problem.severity is Severity.ERROR]
    refused = [*errors, *unsupported(result.program)]
    if refused:
        refused.sort(key=lambda problem: problem.span.start)
        raise ProgramError(result.source, refused, exit_code=1)
    return result.source, result.program


def _goals_unmet(agent: Agent, machine: Machine) -> bool:
    return bool(agent.of(Goal)) and machine.state.get("goal.satisfied") is not True


def _run_live(program: Program, host: Host, model: Model, ticks: int | None, output: TraceOutput) -> Machine:
    """Run without a journal. The run id is fresh, so that no idempotency key is ever used by two runs."""
    refuse_undeclared_memory(host, program.agents[0])
    machine = Machine(program, program.agents[0], run_id=secrets.token_hex(6), length=ticks)
    output.follow(machine.trace)
    feed_sink(host, machine.trace)
    with LiveDriver(host, model) as driver, _told_when_cut_short(output, durable=False):
        drive(machine, driver)
    return machine


def _run_durable(
    source: Source,
    program: Program,
    loaded: LoadedHost,
    model: Model,
    options: RunOptions,
    output: TraceOutput,
    place: str,
) -> Machine:
    """Start or resume the run in `place`, and print how interrupted actions were settled."""
    from agentl.durable import DurableRun  # its record models take longer to load than a short run
    from agentl.durable.addressing import store_at

    run = DurableRun(
        program,
        loaded.host,
        model,
        store=store_at(place),
        run_id=options.run_id,
        source=source,
        host_digest=loaded.digest,
        notify=notice,
        on_trace=output.follow,
    )
    with _told_when_cut_short(output, durable=True):
        machine = run.run(options.ticks)
    output.finish()
    print_settled(run.journal.resolutions)
    return machine


@contextmanager
def _told_when_cut_short(output: TraceOutput, *, durable: bool) -> Generator[None]:
    """Say why a run stops before its end. Raises HostError H105 for a BaseException of the host."""
    try:
        yield
    except BrokenPipeError:
        notice(Message(message_id("nobody reads the output of this run any more")))
        _tell_interrupted(durable=durable)
        raise KeyboardInterrupt from None
    except (KeyboardInterrupt, Terminated, OSError):
        _tell_interrupted(durable=durable)
        raise
    except (Exception, Abort):
        raise
    except BaseException as error:
        raise _ended_by_host(output.scrub(repr(error)), durable=durable) from error


def _tell_interrupted(*, durable: bool) -> None:
    if durable:
        notice(Message(message_id("interrupted; the same command resumes this run")))


def _ended_by_host(raised: str, *, durable: bool) -> HostError:
    action = Message(message_id("raise an Exception in the host script to report a failure"))
    if durable:
        action = Message(message_id("the same command resumes it; {action}"), {"action": action})
    message = Message(message_id("the host ended the run: {error}"), {"error": conceal_everywhere(raised)})
    refusal = HostError("H105", message, action=action)
    refusal.exit_code = INTERRUPTED
    return refusal


@contextmanager
def terminate_like_interrupt() -> Generator[None]:
    """Let SIGTERM unwind the run as SIGINT does: locks are released, what was kept back is printed."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
