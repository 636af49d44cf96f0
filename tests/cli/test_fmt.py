"""`agentl fmt`: what it writes, what it prints, and how it ends."""

import io
import sys

import pytest

from agentl.cli import run
from agentl_grammar.formatter import concrete

TIDY = "AGENT a {\n  GOAL { x.y == 1 }\n}\n"
UNTIDY = "AGENT a{ // one\n GOAL{x.y==1}}"
LAID_OUT = "AGENT a {  // one\n  GOAL { x.y == 1 }\n}\n"
BROKEN = "AGENT a {\n GOAL { x >  }\n\n PLAN p{b()}\n}\n"
AROUND_BROKEN = "AGENT a {\n GOAL { x >  }\n\n  PLAN p { b() }\n}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with three programs in it."""
    (tmp_path / "inner").mkdir()
    for name, text in (("tidy", TIDY), ("untidy", UNTIDY), ("inner/broken", BROKEN)):
        (tmp_path / f"{name}.agent").write_text(text)
    (tmp_path / "notes.txt").write_text(UNTIDY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def agentl(in_process):
    return in_process


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.*")}


def test_a_file_is_laid_out_named_and_told(agentl, folder):
    ended = agentl("fmt", "untidy.agent", "tidy.agent")
    assert (ended.returncode, ended.stdout) == (0, "untidy.agent\n")
    assert ended.stderr == "2 looked at: 1 laid out anew, 0 with mistakes\n"
    assert (folder / "untidy.agent").read_text() == LAID_OUT
    assert agentl("fmt", "untidy.agent", "tidy.agent").stdout == ""


def test_a_folder_is_looked_through_for_programs_and_only_those(agentl, folder):
    ended = agentl("fmt")
    assert ended.returncode == 2
    assert ended.stdout == "inner/broken.agent\nuntidy.agent\n"
    assert files(folder) == {
        "inner/broken.agent": AROUND_BROKEN,
        "notes.txt": UNTIDY,
        "tidy.agent": TIDY,
        "untidy.agent": LAID_OUT,
    }


def test_a_pattern_names_files(agentl, folder):
    assert agentl("fmt", "u*.agent").stdout == "untidy.agent\n"


def test_a_broken_member_is_left_told_and_ends_with_2(agentl, folder):
    ended = agentl("fmt", "inner/broken.agent")
    assert ended.returncode == 2
    assert "error S101: expected an expression behind `>`\n  at: inner/broken.agent:2:12\n" in ended.stderr
    assert (folder / "inner" / "broken.agent").read_text() == AROUND_BROKEN


def test_a_member_that_is_nested_deeper_than_the_layout_walks_is_left_and_told(agentl, folder, monkeypatch):
    monkeypatch.setattr(concrete, "_DEEPEST", 10)
    text = f"AGENT a {{\n  GOAL {{ {'(' * 20}x{')' * 20} }}\n}}\n"
    (folder / "deep.agent").write_text(text)
    ended = agentl("fmt", "deep.agent")
    assert (ended.returncode, ended.stdout) == (0, "")
    told = "deep.agent: 1 members are nested too deep to be laid out, and stay as they are\n"
    assert ended.stderr.startswith(told)
    assert (folder / "deep.agent").read_text() == text


def test_the_longest_row_that_is_read_is_laid_out(agentl, folder):
    (folder / "long.agent").write_text(f"AGENT a {{ GOAL {{ {' AND '.join(['x'] * 399)} }} }}\n")
    ended = agentl("fmt", "long.agent")
    assert (ended.returncode, ended.stdout) == (0, "long.agent\n")
    assert "nested" not in ended.stderr
    assert (folder / "long.agent").read_text().count("\n") > 399
    assert agentl("fmt", "--check", "long.agent").returncode == 0


def test_a_member_that_is_nested_too_deep_is_a_mistake_and_left(agentl, folder):
    text = f"AGENT a {{\n  GOAL {{ {'(' * 400}x{')' * 400} }}\n}}\n"
    (folder / "deep.agent").write_text(text)
    ended = agentl("fmt", "deep.agent")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "S112" in ended.stderr
    assert (folder / "deep.agent").read_text() == text


def test_check_writes_nothing_and_ends_with_1(agentl, folder):
    before = files(folder)
    ended = agentl("fmt", "--check", "tidy.agent", "untidy.agent")
    assert (ended.returncode, ended.stdout) == (1, "untidy.agent\n")
    assert ended.stderr == "2 looked at: 1 would be laid out anew, 0 with mistakes\n"
    assert agentl("fmt", "--check", "tidy.agent").returncode == 0
    assert agentl("fmt", "--check", ".").returncode == 2
    assert files(folder) == before


def test_diff_prints_the_difference_and_writes_nothing(agentl, folder):
    ended = agentl("fmt", "--diff", "untidy.agent")
    assert ended.returncode == 1
    assert ended.stdout == (
        "--- untidy.agent\n"
        "+++ untidy.agent\n"
        "@@ -1,2 +1,3 @@\n"
        "-AGENT a{ // one\n"
        "- GOAL{x.y==1}}\n"
        "\\ No newline at end of file\n"
        "+AGENT a {  // one\n"
        "+  GOAL { x.y == 1 }\n"
        "+}\n"
    )
    assert (folder / "untidy.agent").read_text() == UNTIDY


def test_one_file_that_cannot_be_used_stops_no_other(agentl, folder):
    (folder / "latin.agent").write_bytes(b"AGENT a { } // \xe9")
    ended = agentl("fmt", "none.agent", "latin.agent", "untidy.agent")
    assert (ended.returncode, ended.stdout) == (2, "untidy.agent\n")
    codes = [line[6:10] for line in ended.stderr.splitlines() if line.startswith("error")]
    assert codes == ["U102", "U105"]
    assert ended.stderr.endswith("3 looked at: 1 laid out anew, 2 with mistakes\n")


def test_a_folder_without_programs_is_refused(agentl, tmp_path):
    ended = agentl("fmt", tmp_path)
    assert ended.returncode == 2
    assert "error U102" in ended.stderr


def test_line_ends_byte_order_mark_and_rights_of_a_file_stay(agentl, folder):
    file = folder / "untidy.agent"
    file.write_bytes(b"\xef\xbb\xbfAGENT a {\r\nGOAL { x }\r\n}")
    file.chmod(0o640)
    assert agentl("fmt", file).returncode == 0
    assert file.read_bytes() == b"\xef\xbb\xbfAGENT a {\r\n  GOAL { x }\r\n}\r\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_a_link_stays_a_link(agentl, folder):
    (folder / "link.agent").symlink_to("untidy.agent")
    assert agentl("fmt", "link.agent").returncode == 0
    assert (folder / "link.agent").is_symlink()
    assert (folder / "untidy.agent").read_text() == LAID_OUT


def test_a_file_that_needs_nothing_is_not_written(agentl, folder):
    stamp = (folder / "tidy.agent").stat()
    agentl("fmt", "tidy.agent")
    assert (folder / "tidy.agent").stat().st_ino == stamp.st_ino
    assert (folder / "tidy.agent").stat().st_mtime_ns == stamp.st_mtime_ns


@pytest.fixture
def through(monkeypatch, agentl):
    """Give `agentl fmt --stdin` some bytes; return how it ended and the bytes that came out."""

    def command(given, *words):
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        monkeypatch.setattr(sys, "stdout", out)
        return run(["fmt", "--stdin", *words]), out.buffer.getvalue()

    return command


def test_standard_input_comes_out_laid_out_with_its_line_ends(through):
    assert through(UNTIDY.encode()) == (0, LAID_OUT.encode())
    assert through(b"AGENT a {\r\n}\r\n") == (0, b"AGENT a { }\r\n")
    assert through(b"\xef\xbb\xbfAGENT \xc3\xa9") == (2, b"\xef\xbb\xbfAGENT \xc3\xa9")
    assert through(BROKEN.encode()) == (2, AROUND_BROKEN.encode())


def test_standard_input_may_be_named_as_other_commands_name_it(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNTIDY.encode())))
    monkeypatch.setattr(sys, "stdout", out)
    assert (run(["fmt", "-"]), out.buffer.getvalue()) == (0, LAID_OUT.encode())


def test_standard_input_can_be_checked(through):
    assert through(UNTIDY.encode(), "--check") == (1, b"")
    assert through(TIDY.encode(), "--check") == (0, b"")
    assert through(UNTIDY.encode(), "--diff")[0] == 1


def test_standard_input_and_files_together_are_refused(agentl, folder):
    ended = agentl("fmt", "--stdin", "tidy.agent")
    assert ended.returncode == 2
    assert "error U101: --stdin takes no files" in ended.stderr


def test_standard_input_that_is_no_text_is_refused(through, capsys):
    assert through(b"AGENT \xff")[0] == 2
    assert "U105" in capsys.readouterr().err


def test_mixed_line_ends_become_the_most_frequent_one_and_that_is_said(agentl, tmp_path):
    file = tmp_path / "a.agent"
    file.write_bytes(b"AGENT a {\r\nGOAL { x }\r\n\nGOAL y { z }\r\n}\r\n")
    ended = agentl("fmt", file)
    assert file.read_bytes() == b"AGENT a {\r\n  GOAL { x }\r\n\r\n  GOAL y { z }\r\n}\r\n"
    assert ended.stderr.startswith(f"{file}: line ends are mixed; ")
    assert "mixed" not in agentl("fmt", file).stderr
