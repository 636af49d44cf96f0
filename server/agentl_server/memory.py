"""Garbage collection in a process that holds large trees for long and must answer fast."""

from __future__ import annotations

import gc

_COLLECTIONS = (10_000, 10, 100)
"""A keystroke in a long POLICY makes it anew, fifteen thousand objects: by Python's numbers all that is alive
would be looked through at every fifth, for garbage that is not there."""


def settle() -> None:
    """Take what is alive now out of the collector's sight, and let it look seldom at what comes.

    The tree of a large program takes it 50 ms to look through, in the middle of typing, and holds no cycles:
    what is no longer needed of it goes by itself.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTIONS)
