"""The page about the grids says what they are held to, and names where the others stand."""

import re

import crash_table

PAGE = crash_table.PAGE.read_text("utf-8")


def rows() -> dict[str, tuple[int, ...]]:
    found = re.findall(
        r"^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE
    )
    return {name: tuple(map(int, counts)) for name, *counts in found}


def test_every_grid_has_a_row_with_the_cells_that_are_expected_and_no_fewer_that_ran() -> None:
    everything = crash_table.WRITTEN["all"] in PAGE
    told = rows()
    assert [*told] == [*crash_table.EXPECTED, "**all**"]
    for grid, parts in crash_table.EXPECTED.items():
        expected, ran, *ends = told[grid]
        assert expected == sum(counts[everything] for counts in parts.values()), grid
        assert ran == sum(ends) >= expected, grid


def test_fewer_cells_than_expected_are_a_failure() -> None:
    table = crash_table.Table()
    for grid, parts in crash_table.EXPECTED.items():
        for part, counts in parts.items():
            for everything in (False, True):
                try:
                    table.note(grid, ["same"] * (counts[everything] - 1), part, everything=everything)
                except AssertionError:
                    continue
                raise AssertionError((grid, part))


def test_what_stands_elsewhere_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)` \((\w+)\)", PAGE)
    assert len(named) >= 7
    for path, test in named:
        text = (crash_table.ROOT / path).read_text("utf-8")
        assert re.search(rf"^(def|class) {test}\b|^{test}\b", text, re.MULTILINE), (path, test)
