"""What a host script registers, and what its branches have in common."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Registration:
    """One thing the script tells its host.

    `kind` is tool, sensor, reconciler, subagent or compensation, or `idempotent tool` and so on (the set of
    those); `no tool` and so on when it is taken back. `idempotent` is what the registration itself says, None
    when that depends on a value known only at run time. `always` is False below a condition. `node` is where
    it stands: the function, else the call.
    """

    kind: str
    name: str
    node: ast.AST
    parameters: tuple[str, ...] = ()
    idempotent: bool | None = False
    always: bool = True


@dataclass(slots=True)
class HostWalk:
    """The registrations in the order of the script; `complete` is False when some could not be read.

    `hosts` is how many places make a host; which of them a registration is for is not told apart.
    """

    registrations: list[Registration] = field(default_factory=list[Registration])
    complete: bool = True
    hosts: int = 0


def merged(branches: list[list[Registration]]) -> list[Registration]:
    """Return what the branches register: as it is when every one of them says so, else only sometimes."""
    if len(branches) == 1:
        return branches[0]
    said = [
        {(made.kind, made.name, made.idempotent) for made in branch if made.always} for branch in branches
    ]
    return [
        replace(
            made,
            always=made.always and all((made.kind, made.name, made.idempotent) in other for other in said),
        )
        for branch in branches
        for made in branch
    ]
