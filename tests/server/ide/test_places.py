"""Results stay with their own statement when the declaration around it changes; a new one shows nothing."""

from __future__ import annotations

import pytest
from pages import PAYMENTS, drawn, page, run, transfer_in_doubt

from agentl import Host


@pytest.mark.parametrize(
    ("then", "calls"),
    [
        ('notify(msg="paid")', ['notify(msg="new")', '*notify(msg="paid")']),
        ('notify(msg="paid")', ['*notify(msg="paid")', 'notify(msg="new")']),
        ('notify(msg="paid")', ['IF x == 1 THEN { notify(msg="new") }', "SET x = 1", '*notify(msg="paid")']),
        ('notify(msg="paid")', ['*notify(msg="edited")']),
        ('SET x = 1 notify(msg="paid")', ['*notify(msg="edited")', "SET x = 2"]),
    ],
)
def test_result_stays_with_the_call_that_says_what_it_said(tmp_path, then, calls):
    program = PAYMENTS.replace('notify(msg="paid")', then)
    run(tmp_path, program)
    edited = program.replace(then, "\n".join(["", *(call.removeprefix("*") for call in calls), ""]))
    lines = drawn(page(tmp_path, edited)).split("\n")
    for call in calls:
        shown = "   «→ {sent: true} (t1, t2) · stale»" if call.startswith("*") else ""
        assert call.removeprefix("*") + shown in lines


def test_each_of_several_calls_keeps_its_own_result(tmp_path):
    def host() -> Host:
        made = transfer_in_doubt()

        @made.tool("notify")
        def notify(msg: str) -> dict[str, object]:
            return {"sent": msg}

        return made

    first, second = 'notify(msg="one")', 'notify(msg="two")'
    run(tmp_path, PAYMENTS.replace('notify(msg="paid")', f"{first} {second}"), host, ticks=1)
    lines = drawn(page(tmp_path, PAYMENTS.replace('notify(msg="paid")', f"{second}\n{first}"))).split("\n")
    assert f'    STEP tell {{ {second}   «→ {{sent: "two"}} (t1) · stale»' in lines
    assert f'{first} }}   «→ {{sent: "one"}} (t1) · stale»' in lines
    added = f'notify(msg="new")\n{first}\nnotify(msg="x") {second}'
    text = drawn(page(tmp_path, PAYMENTS.replace('notify(msg="paid")', added)))
    assert text.count("→ {sent:") == 2
    assert f'\n{first}   «→ {{sent: "one"}} (t1) · stale»\n' in text
