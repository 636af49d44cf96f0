import json
import multiprocessing
from pathlib import Path

import pytest

from agentl.durable import DurableError
from agentl.durable.inbox import Inbox

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
    assert path.read_bytes() == b'{"id":"a"}\n{"id":"b"}\n'


@pytest.mark.parametrize("line", [b"nonsense", b"[]", b"{}", b'{"id":1}'])
def test_a_damaged_line_is_refused_with_its_number(path: Path, line: bytes) -> None:
    path.write_bytes(b'{"id":"a"}\n' + line + b"\n")
    with pytest.raises(DurableError) as refusal:
        Inbox(path).entries()
    assert (refusal.value.code, refusal.value.place.record) == ("R203", 2)


def test_reading_an_inbox_that_is_not_there_makes_none(path: Path) -> None:
    assert list(Inbox(path).entries()) == []
    assert not path.exists()
