"""An untrusted reading changes no payment that the policy lets through as trusted (I8 of language.md §6.5).

A program is run with two readings of one untrusted sensor. Its rule denies every payment with an untrusted
source, so what is paid has none by its labels: then it must be the same in both runs.
"""

from __future__ import annotations

from random import Random

import pytest
from attacking import join_nothing
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from steered_programs import READINGS, Writer, paid, world

few = settings(
    max_examples=150,
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    phases=(Phase.generate,),
)


@few
@given(st.randoms(use_true_random=False))
def no_reading_changes_a_payment(random: Random) -> None:
    text, around = Writer(random).program(), world(random)
    one, other = (paid(text, reading, around) for reading in random.sample(READINGS, 2))
    assert one is None or other is None or one == other, text


def test_no_untrusted_reading_changes_a_trusted_payment():
    no_reading_changes_a_payment()


def test_without_the_sources_of_what_did_not_happen_one_does(monkeypatch: pytest.MonkeyPatch):
    join_nothing(monkeypatch)
    with pytest.raises(AssertionError):
        no_reading_changes_a_payment()
