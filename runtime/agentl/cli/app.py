"""The commands and their options. Bodies live in the modules that they import when they run.

A package above may add commands: an entry point of the group `agentl.commands` is a function of the app.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from agentl.cli.commands_from_above import add_commands_from_above
from agentl.cli.durable_commands import add_to
from agentl.cli.usage import understand
from agentl.messages import language


class Format(StrEnum):
    """How a result is printed."""

    TEXT = "text"
    JSON = "json"


app = typer.Typer(
    name="agentl",
    help="Run .agent programs. A durable run survives kill -9: the same command resumes it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
durable = typer.Typer(
    name="durable",
    help="Look at durable runs, tell them what they wait for, and tidy up.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
add_to(durable)
app.add_typer(durable)

Program = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", readable=False, help="The .agent file; its host is the .py file beside it."
    ),
]
ProgramText = Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="The .agent file.")]
Places = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Programs, folders or patterns, or - for standard input; without any, this folder.",
    ),
]
RunPlace = Annotated[
    str, typer.Argument(metavar="PLACE", help="Where the run lies: DIR, FILE.db#RUN or postgresql://…#RUN.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the trace at the end, not while it grows.")]
OutputFormat = Annotated[str, typer.Option("--format", metavar="F", help="text or json.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _show_version(wanted: bool) -> None:  # the signature of a typer callback
    if wanted:
        from importlib.metadata import version  # only for --version

        print(f"agentl {version('agentl')}")  # the command line
        raise typer.Exit


@app.callback()
def main_options(
    version: Annotated[  # acted on by its callback
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
    lang: Annotated[  # taken before parsing, so that usage errors speak it too
        str | None, typer.Option("--lang", metavar="en|fr", help="Language of messages; also AGENTL_LANG.")
    ] = None,
) -> None:
    """Run .agent programs. A durable run survives kill -9: the same command resumes it."""


@app.command()
def run(
    file: Program,
    durable: Annotated[
        str | None,
        typer.Option(
            "--durable",
            metavar="PLACE",
            help="Journal the run here, or resume it: DIR, FILE.db#RUN or postgresql://…#RUN.",
        ),
    ] = None,
    run_id: Annotated[
        str | None, typer.Option("--run-id", metavar="ID", help="Name of a new durable run.")
    ] = None,
    ticks: Annotated[
        int | None, typer.Option("--ticks", metavar="N", min=1, help="Length of the run.")
    ] = None,
    quiet: Quiet = False,
    fail_on_goal: Annotated[
        bool, typer.Option("--fail-on-goal", help="Exit 3 when goals are unmet at the end.")
    ] = False,
    events: Annotated[
        Path | None,
        typer.Option(
            "--events", metavar="F", help="Also write each trace event to F, one JSON object a line."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="Ask this model, such as anthropic:…, in place of the host's."
        ),
    ] = None,
) -> int:
    """Run a program, or resume it: with --durable, the journal says which."""
    from agentl.cli.running import RunOptions, run_program

    return run_program(RunOptions(file, durable, run_id, ticks, quiet, fail_on_goal, events, model))


@app.command("test")
def run_scenarios(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", readable=False, help="Programs; their hosts are not touched."),
    ],
    keyword: Annotated[
        str | None,
        typer.Option(
            "-k", metavar="EXPR", help="Only the scenarios whose agent/name matches: parts, and, or, not, ()."
        ),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Also print the trace of every scenario.")] = False,
    form: Annotated[
        Format, typer.Option("--format", help="text, or one JSON document at the end.")
    ] = Format.TEXT,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="An agent without a scenario is no error.")
    ] = False,
) -> int:
    """Run the scenarios of programs, each in a world of its own that GIVEN describes."""
    from agentl.cli.testing import ScenarioOptions, run_tests

    return run_tests(ScenarioOptions(files, keyword, trace, form is Format.JSON, allow_empty))


@app.command()
def replay(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", readable=False, help="A journal that `agentl durable export` wrote."),
    ],
    quiet: Quiet = False,
) -> int:
    """Derive a finished run anew from its exported journal, without its host."""
    from agentl.cli.replaying import replay_journal

    return replay_journal(file, quiet=quiet)


@app.command()
def check(
    files: Places = None,
    output_format: Annotated[
        str, typer.Option("--format", metavar="F", help="text, json, sarif or github.")
    ] = "text",
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODES", help="Only codes that begin so; by commas, or repeated."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODES", help="No warnings that begin so.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Apply the fixes there are, and say what is left.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="CODE", help="Print the page of a code instead.")
    ] = None,
) -> int:
    """Tell what is wrong with programs, before anything runs. Exit 1: errors; 2: broken syntax."""
    if explain is not None:
        from agentl.cli.explaining import explain_code

        return explain_code(explain)
    from agentl.cli.checking import CheckOptions, check_programs

    return check_programs(CheckOptions(files or [], output_format, select or [], ignore or [], fix))


@app.command()
def fmt(
    files: Places = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 when a file would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what would change instead; exit 1 when something would.")
    ] = False,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read standard input, write to standard output.")
    ] = False,
) -> int:
    """Lay programs out anew: only white space changes. Exit 2: mistakes; what is around them is laid out."""
    from agentl.cli.formatting import FormatOptions, format_programs

    return format_programs(FormatOptions(files or [], check, diff, stdin))


@app.command()
def digest(file: ProgramText, output_format: OutputFormat = "text") -> int:
    """Print the digests of a program: what a journal holds it to, without layout and comments."""
    from agentl.cli.digesting import show_digests

    return show_digests(file, output_format)


@app.command()
def diff(
    before: ProgramText,
    after: Annotated[
        Path, typer.Argument(metavar="FILE2", readable=False, help="The .agent file to compare with.")
    ],
    output_format: OutputFormat = "text",
) -> int:
    """Tell which declarations of two programs differ for a run. Exit 0: none; 1: some."""
    from agentl.cli.diffing import show_differences

    return show_differences(before, after, output_format)


@app.command()
def review(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Programs, folders or patterns; without any, this folder."),
    ] = None,
    output_format: Annotated[
        str, typer.Option("--format", metavar="F", help="text, json or sarif.")
    ] = "text",
) -> int:
    """Tell what to know of programs and hosts before they are deployed. Exit 1: warnings; 2: unreadable."""
    from agentl.cli.reviewing import review_programs

    return review_programs(files or [], output_format)


@app.command()
def ast(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", readable=False, help="The .agent file; - is standard input."),
    ],
    as_json: AsJson = False,
) -> int:
    """Print the syntax tree of a program, with the place of every node; of a broken one, what stands."""
    from agentl.cli.tree_view import show_tree

    return show_tree(file, as_json=as_json)


@app.command()
def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="A code such as R304; without it, all are listed.")
    ] = None,
) -> int:
    """Print the page of an error code."""
    from agentl.cli.explaining import explain_code

    return explain_code(code)


@durable.command("list")
def list_runs(
    place: Annotated[
        str, typer.Argument(metavar="[DIR|FILE|DSN]", help="Where to look: a directory, or a database.")
    ] = ".",
    state: Annotated[
        list[str] | None, typer.Option("--status", metavar="S", help="Only runs that stand so; repeatable.")
    ] = None,
    program: Annotated[
        str | None, typer.Option("--program", metavar="P", help="Only runs of this file, or of this digest.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="A", help="Only runs of this agent.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="T", help="Only runs begun since: 2026-11-29, …T08:30, 90m, 12h, 7d."
        ),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="text, or one JSON document.")] = Format.TEXT,
) -> int:
    """List the runs in a directory or a database, and how each stands."""
    from agentl.cli.listing import Filter, print_runs

    return print_runs(place, Filter(tuple(state or ()), program, agent, since), as_json=form is Format.JSON)


@durable.command()
def status(
    place: RunPlace,
    as_json: AsJson = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Look only at the end of a long journal; do not verify all of it.")
    ] = False,
) -> int:
    """Tell how a run stands, without resuming it."""
    from agentl.cli.status_view import show_status

    return show_status(place, as_json=as_json, quick=quick)


@durable.command()
def show(
    place: RunPlace,
    tick: Annotated[int | None, typer.Option("--tick", metavar="T", min=0, help="Only this tick.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on as the journal grows; Ctrl-C ends it.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Show the journal as a person reads it, tick by tick."""
    from agentl.cli.journal_view import show_journal

    return show_journal(place, tick=tick, follow=follow, as_json=as_json)


@durable.command()
def export(
    place: RunPlace,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="F", help="Where to write it (default: standard output)."),
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="Write only the program, as the run began with it.")
    ] = False,
) -> int:
    """Write the run as a replay journal; one that has not ended is marked partial."""
    from agentl.cli.journal_view import export_program, export_run

    return export_program(place, output) if program else export_run(place, output)


def _command() -> Any:
    """Return the command of typer that `app` describes; its help in the language in force."""
    command = get_command(app)
    if language() != "en":
        from agentl.cli.help_texts import translate_help

        translate_help(command)
    return command


def invoke(arguments: list[str]) -> int:
    """Run the command that `arguments` name and return its exit code. Raises UsageError U101.

    Where only a command is missing, its help is what helps.
    """
    add_commands_from_above(app, arguments)
    with understand():
        try:
            return _command()(arguments, standalone_mode=False, prog_name="agentl") or 0
        except typer.TyperException as error:
            if type(error).__name__ != "NoArgsIsHelpError":  # typer does not export this class
                raise
            print(error.format_message(), file=sys.stderr)
            return error.exit_code
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # typer makes an exit 1 of it
                raise end.__context__ from None
            raise
