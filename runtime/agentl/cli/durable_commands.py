"""The `agentl durable` commands that put something into a run, or tidy up."""

from __future__ import annotations

from typing import Annotated

import typer

Run = Annotated[
    str, typer.Argument(metavar="PLACE", help="Where the run lies: DIR, FILE.db#RUN or postgresql://…#RUN.")
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so (default: user@host).")]


def settle(
    place: Run,
    action: Annotated[
        str | None,
        typer.Argument(metavar="[ACTION|TOOL]", help="Which; needed when more than one is unsettled."),
    ] = None,
    happened: Annotated[
        str | None, typer.Option("--happened", metavar="JSON", help="It happened, and this is its result.")
    ] = None,
    did_not_happen: Annotated[
        bool, typer.Option("--did-not-happen", help="It did not happen, and will not.")
    ] = False,
    resend: Annotated[
        bool, typer.Option("--resend", help="Send it again with the same key, if the policy allows it.")
    ] = False,
    by: By = None,
) -> int:
    """Say what became of an action in doubt; the run takes it at its next tick."""
    from agentl.cli.putting_in import settle_action

    return settle_action(place, action, happened, did_not_happen=did_not_happen, resend=resend, by=by)


def send(
    place: Run,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The event, as EVENT declares it.")],
    payload: Annotated[str, typer.Argument(metavar="[JSON]", help="Its payload, an object.")] = "{}",
    id_: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Its name: sent twice under one name, it arrives once."),
    ] = None,
    by: By = None,
) -> int:
    """Send an event to a run: it is kept, and delivered exactly once."""
    from agentl.cli.putting_in import send_event

    return send_event(place, event, payload, id_, by)


def cancel(place: Run, by: By = None) -> int:
    """Cancel a run: it stops before its next step, and never goes on."""
    from agentl.cli.putting_in import cancel_run

    return cancel_run(place, by)


def prune(
    places: Annotated[
        list[str], typer.Argument(metavar="PLACE", help="Runs, or directories and databases of runs.")
    ],
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="Only what has not changed for: 90m, 12h, 30d."),
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            metavar="S",
            help="Which: completed, cancelled (the default), interrupted, corrupt, in_doubt; repeatable.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> int:
    """Delete runs that are over, and all that is left of them."""
    from agentl.cli.tidying import prune_runs

    return prune_runs(places, older_than, state, dry_run=dry_run)


def repair(
    place: Annotated[str, typer.Argument(metavar="DIR", help="The directory of a corrupt run.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    cancelled: Annotated[
        bool | None,
        typer.Option(
            "--cancelled/--not-cancelled",
            help="Whether an entry of the inbox that is lost had cancelled the run, where nobody can tell.",
        ),
    ] = None,
    by: By = None,
) -> int:
    """Show what of a corrupt run would go, ask, and keep the rest; the original is kept beside it."""
    from agentl.cli.tidying import repair_run

    return repair_run(place, by, yes=yes, cancelled=cancelled)


def add_to(durable: typer.Typer) -> None:
    """Register the commands."""
    for command in (settle, send, cancel, prune, repair):
        durable.command()(command)
