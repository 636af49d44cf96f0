"""A directory that is moved or deleted while its run goes on: the run stops before its next effect (R601)."""

import os
import shutil
from pathlib import Path

import pytest

from agentl.durable import DurableError, FileStore, StoreFailure, status
from agentl.durable.sending import cancel_run

MOVES = {
    "moved": lambda run, moved: run.rename(moved),
    "deleted": lambda run, moved: shutil.rmtree(run),
    "replaced": lambda run, moved: (run.rename(moved), shutil.copytree(moved, run)),
}


@pytest.fixture
def places(tmp_path) -> tuple[Path, Path]:
    return tmp_path / "run", tmp_path / "moved"


@pytest.mark.parametrize("how", MOVES)
def test_what_happens_between_two_effects_keeps_the_second_from_happening(durable, bank, places, how) -> None:
    def reading() -> int:
        if len(bank.ledger) == 1 and not places[1].exists() and places[0].exists():
            MOVES[how](*places)
        return 1

    host = bank.host()
    host.sensors["queue.pending"] = reading
    with pytest.raises(StoreFailure, match="moved or deleted while it ran") as refusal:
        durable(host).run()
    assert (refusal.value.code, len(bank.ledger)) == ("R601", 1)


def test_an_effect_that_has_happened_by_then_is_kept_and_the_run_goes_on_where_it_lies(
    durable, bank, places
) -> None:
    host = bank.host("none")
    host.sensors["queue.pending"] = lambda: 1
    transfer = bank.transfer

    def moving(amount: float) -> dict[str, str]:
        if places[0].exists():
            places[0].rename(places[1])
        return transfer(amount)

    host.tool("transfer")(moving)
    with pytest.raises(StoreFailure):
        durable(host).run()
    found = status(places[1])
    assert (found.state, found.open_intents, len(bank.ledger)) == ("interrupted", (), 1)
    assert durable(host, store=FileStore(places[1])).run().state.get("tools.transfer.in_doubt") is False
    assert len(bank.ledger) == 2


def test_a_cancellation_at_the_new_place_is_heeded(durable, bank, places) -> None:
    def reading() -> int:
        if len(bank.ledger) == 1 and places[0].exists():
            places[0].rename(places[1])
            cancel_run(places[1], who="ada")
        return 1

    host = bank.host()
    host.sensors["queue.pending"] = reading
    with pytest.raises(StoreFailure):
        durable(host).run()
    assert (len(bank.ledger), status(places[1]).state) == (1, "cancelled")
    with pytest.raises(DurableError) as refusal:
        durable(host, store=FileStore(places[1])).run()
    assert refusal.value.code == "R502"


def test_a_host_that_leaves_its_directory_moves_no_run(durable, bank, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    host = bank.host()
    host.sensors["queue.pending"] = lambda: os.chdir(tmp_path / "elsewhere") or 1
    store = FileStore("run")
    store.open(write=True)
    store.close()
    durable(host, store=store).run()
    assert len(bank.ledger) == 2
