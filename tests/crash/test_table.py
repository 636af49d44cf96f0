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


WAYS = (
    "SIGKILL at every system call |",
    "EIO at every system call |",
    "ENOSPC at every system call |",
    "SIGKILL at every system call of the recovery |",
    "SIGKILL three times, twice while it recovers |",
    "(cut, flip, NUL-fill, swap, delete, duplicate) |",
    "a crash between any two bytes of a journal |",
    "(RLIMIT_FSIZE) |",
    "(tmpfs), page by page |",
    "eight processes behind a barrier |",
    "eight processes behind a barrier, in a directory, SQLite and PostgreSQL |",
    "a state machine that starts, cuts off anywhere, resumes, copies and prunes runs",
    "the same run in every store: the same records |",
    "another hash seed, locale, time zone, directory, Python |",
)


def test_every_way_in_which_a_run_is_to_be_broken_has_a_row() -> None:
    table = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert [way for way in WAYS if not any(way in line for line in table)] == []
