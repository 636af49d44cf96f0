import json
import multiprocessing
from pathlib import Path

import pytest

from agentl.durable import DurableError
from agentl.durable.inbox import EMPTY, read_head, seal_entry
from agentl.durable.inbox import Inbox as AnyInbox

HEAD = "inbox.head"


def Inbox(path: Path) -> AnyInbox:  # noqa: N802  # the class, with the place of its head
    return AnyInbox(path, path.with_name(HEAD))


spawn = multiprocessing.get_context("fork")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inbox.jsonl"


def put_many(path: Path, name: str) -> None:
    inbox = Inbox(path)
    for number in range(25):
        inbox.put_in({"id": f"{name}:{number}"})
        inbox.put_in({"id": f"shared:{number}"})


def test_many_processes_put_in_at_once_and_every_id_is_there_once(path: Path) -> None:
    senders = [spawn.Process(target=put_many, args=(path, str(number))) for number in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
        assert sender.exitcode == 0
    ids = [json.loads(line)["id"] for line in path.read_text().splitlines()]
    assert len(ids) == len(set(ids)) == 5 * 25


def test_what_another_sender_put_in_later_is_seen(path: Path) -> None:
    reader, sender = Inbox(path), Inbox(path)
    assert list(reader.entries()) == []
    sender.put_in({"id": "a"})
    assert [entry["id"] for entry in reader.entries()] == ["a"]
    Inbox(path).put_in({"id": "b"})
    assert [entry["id"] for entry in reader.entries(1)] == ["b"]
    assert not sender.put_in({"id": "b"})


def test_an_entry_whose_sender_died_in_the_middle_was_never_in(path: Path) -> None:
    Inbox(path).put_in({"id": "a"})
    with path.open("ab") as file:
        file.write(b'{"id":"half')
    assert [entry["id"] for entry in Inbox(path).entries()] == ["a"]
    assert Inbox(path).put_in({"id": "b"})
    assert [entry["id"] for entry in Inbox(path).entries()] == ["a", "b"]
    assert [json.loads(line)["n"] for line in path.read_text().splitlines()] == [1, 2]


@pytest.mark.parametrize("line", [b"nonsense", b"[]", b"{}", b'{"id":1}'])
def test_a_damaged_line_is_refused_with_its_number(path: Path, line: bytes) -> None:
    Inbox(path).put_in({"id": "a"})
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(DurableError) as refusal:
        Inbox(path).entries()
    assert (refusal.value.code, refusal.value.place.record) == ("R203", 2)


def test_reading_an_inbox_that_is_not_there_makes_none(path: Path) -> None:
    assert list(Inbox(path).entries()) == []
    assert not path.exists()


def three(path: Path) -> list[bytes]:
    for name in "abc":
        Inbox(path).put_in({"id": name, "who": "root@vm"})
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("change", "code", "number"),
    [
        (lambda lines: [lines[0], lines[1].replace(b"root@vm", b"mall@vm"), lines[2]], "R201", 2),
        (lambda lines: [lines[0].replace(b'"id":"a"', b'"id":"x"'), *lines[1:]], "R201", 1),
        (lambda lines: [lines[0], lines[2]], "R202", 2),
        (lambda lines: [lines[1], lines[0], lines[2]], "R202", 1),
        (lambda lines: [lines[0], lines[0], *lines[1:]], "R201", 2),
        (lambda lines: lines[:2], "R202", 3),
        (lambda lines: [], "R202", 1),
        (lambda lines: [seal_entry(EMPTY, {"id": "z"})[0] + b"\n"], "R202", 2),
    ],
)
def test_an_entry_that_is_altered_or_gone_is_refused_to_readers_and_senders(
    path, change, code, number
) -> None:
    path.write_bytes(b"".join(change(three(path))))
    for attempt in (lambda: Inbox(path).entries(), lambda: Inbox(path).put_in({"id": "d"})):
        with pytest.raises(DurableError) as refusal:
            attempt()
        assert (refusal.value.code, refusal.value.place.record) == (code, number)
    assert read_head(path.with_name(HEAD)).n == 3


def test_an_inbox_that_is_gone_is_missed(path: Path) -> None:
    three(path)
    path.unlink()
    with pytest.raises(DurableError) as refusal:
        Inbox(path).entries()
    assert (refusal.value.code, refusal.value.place.record) == ("R202", 1)


def test_another_inbox_in_its_place_is_noticed(path: Path) -> None:
    three(path)
    head = path.with_name(HEAD).read_bytes()
    path.unlink()
    path.with_name(HEAD).unlink()
    for name in "xyz":
        Inbox(path).put_in({"id": name})
    path.with_name(HEAD).write_bytes(head)
    with pytest.raises(DurableError) as refusal:
        Inbox(path).entries()
    assert (refusal.value.code, refusal.value.place.record) == ("R201", 3)


def test_an_inbox_that_shrinks_under_a_reader_is_noticed(path: Path) -> None:
    lines = three(path)
    reader = Inbox(path)
    assert len(reader.entries()) == 3
    path.write_bytes(b"".join(lines[:2]))
    assert reader.grown(3)
    with pytest.raises(DurableError) as refusal:
        reader.entries()
    assert refusal.value.code == "R202"


@pytest.mark.parametrize("head", [b"", b"junk", b'{"n":1}', b"[]", b'{"n":1,"h":"x'])
def test_a_head_that_cannot_be_read_says_nothing(path: Path, head: bytes) -> None:
    """A sender that dies while it writes it leaves the entries as they are."""
    three(path)
    path.with_name(HEAD).write_bytes(head)
    assert len(Inbox(path).entries()) == 3


def test_a_reader_is_told_whether_there_is_more(path: Path) -> None:
    reader = Inbox(path)
    assert not reader.grown(0)
    three(path)
    assert reader.grown(0)
    assert AnyInbox(path.with_name("gone"), path.with_name(HEAD)).grown(0)
    assert len(reader.entries()) == 3
    assert reader.grown(2)
    assert not reader.grown(3)
    Inbox(path).put_in({"id": "d"})
    assert reader.grown(3)


def test_a_reader_is_told_when_what_it_read_is_gone(path: Path) -> None:
    three(path)
    reader = Inbox(path)
    reader.entries()
    path.unlink()
    path.with_name(HEAD).unlink()
    assert reader.grown(3)
