"""Exceptions as data (durability.md §5)."""

import pytest

from agentl.failures import failure_of, without_volatile


@pytest.mark.parametrize(
    ("volatile", "stable"),
    [
        ("<Account object at 0x7f3a2b10>", "<Account object at <address>>"),
        ("cannot open '/srv/run 7/bank.sqlite'", "cannot open '<path>'"),
        ("cannot open /srv/run/bank.sqlite: no", "cannot open <path>: no"),
        ("bad value (host.py, line 12)", "bad value (host.py, line <number>)"),
        ("POST https://bank.test/v1/transfers failed", "POST https://bank.test/v1/transfers failed"),
        ("3 and/or 4 / 5", "3 and/or 4 / 5"),
        (r"C:\runs\a.txt is gone", "<path> is gone"),
        ("see file:///tmp/x/y", "see <path>"),
    ],
)
def test_paths_addresses_and_line_numbers_leave_an_error_text(volatile: str, stable: str) -> None:
    assert without_volatile(volatile) == stable


def test_an_exception_becomes_class_message_and_code() -> None:
    class Declined(Exception):  # noqa: N818
        code = "card_expired"

    class Rude(Exception):  # noqa: N818
        def __str__(self) -> str:
            raise RuntimeError

        @property
        def code(self) -> str:
            raise RuntimeError

    declined = failure_of(Declined("no funds"))
    assert (declined.class_name, declined.message, declined.code) == ("Declined", "no funds", "card_expired")
    missing = failure_of(FileNotFoundError(2, "No such file or directory", "/var/lib/bank"))
    assert (missing.message, missing.code) == ("[Errno 2] No such file or directory: '<path>'", "ENOENT")
    rude = failure_of(Rude())
    assert (rude.class_name, rude.message, rude.code) == ("Rude", "", None)
