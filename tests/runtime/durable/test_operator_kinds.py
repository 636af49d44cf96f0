"""An operator settles sub-agents and undoings as tools; approvals, and several doubts of one tool."""

import pytest

from agentl import Host, InDoubt, current_action, parse_source
from agentl.durable import DurableError, DurableRun, MemoryStore, read_records, status
from agentl.durable.settling import Word, settle
from agentl.errors import UsageError


class Stop(BaseException):
    """Stands for the death of the process."""


class World:
    """A host whose first `doubts` actions end in doubt, and that dies at the start of tick `dies`."""

    def __init__(self) -> None:
        self.doubts = 1
        self.dies: int | None = 2
        self.done: list[tuple[str, str, int]] = []
        self.approvals: list[str] = []

    def act(self, name: str, answer: dict) -> dict:
        action = current_action()
        self.done.append((name, action.idempotency_key, action.attempt))
        if self.doubts:
            self.doubts -= 1
            raise InDoubt("no answer")
        return answer

    def host(self) -> Host:
        host = Host()

        @host.sensor("clock")
        def clock() -> int:
            if self.dies is not None and self.ticks() >= self.dies:
                raise Stop
            return 1

        host.tool("book")(lambda n: self.act("book", {"reference": f"r{n}"}))
        host.subagent("courier")(lambda payload: self.act("courier", {"place": "hall"}))
        host.compensation("book")(lambda args, result: self.act("undo", {}))
        host.approver = lambda request: self.approvals.append(request.render()) or True
        return host


def start(world: World, text: str, store: MemoryStore) -> DurableRun:
    run = DurableRun(parse_source(text), world.host(), store=store, run_id="r")
    world.ticks = lambda: run.runtime.state.tick
    return run


def interrupted(world: World, text: str) -> MemoryStore:
    store = MemoryStore()
    with pytest.raises(Stop):
        start(world, text, store).run()
    world.dies = None
    return store


TOOL = """TOOL book {
  INPUT { n: Number } OUTPUT { reference: String } SIDE_EFFECT { hotel } EFFECT { booked = n }
}"""
COURIER = """AGENT a { OBSERVE { clock } BELIEF { size = 3 }
  PLAN p WHEN tick.first != no { SET tick.first = no
    DELEGATE courier { TASK "bring it" INPUT { size } EXPECT { place } } }
  LOOP MAX 3 { OBSERVE SELECT_PLAN EXECUTE } }"""


def test_a_sub_agent_that_happened_binds_what_was_expected_of_it() -> None:
    world = World()
    store = interrupted(world, COURIER)
    assert [doubt.key for doubt in status(store).in_doubt] == ["courier"]
    for value in ("hall", [1]):
        with pytest.raises(UsageError, match="a JSON object expected"):
            settle(store, "courier", Word("operator_happened", value))
    settle(store, "courier", Word("operator_happened", {"place": "cellar", "other": 1}, "ada"))
    machine = start(world, COURIER, store).run()
    assert machine.state.get("courier.place") == "cellar"
    assert machine.state.get("tools.courier.in_doubt") is False
    assert len(world.done) == 1


def test_a_sub_agent_is_sent_again_with_its_old_key() -> None:
    world = World()
    store = interrupted(world, COURIER)
    settle(store, None, Word("operator_resend", who="ada"))
    run = start(world, COURIER, store)
    machine = run.run()
    (_, first, one), (_, second, two) = world.done
    assert (first, one, two) == (second, 1, 2)
    assert machine.state.get("courier.place") == "hall"
    assert start(world, COURIER, store).run().trace.render() == run.trace_text()


UNDO = f"""AGENT a {{ OBSERVE {{ clock }} {TOOL}
  PLAN p WHEN tick.first != no {{ SET tick.first = no book(n = 1)
    VERIFY {{ 1 == 2 ON FAIL {{ ROLLBACK }} }} }}
  LOOP MAX 3 {{ OBSERVE SELECT_PLAN EXECUTE }} }}"""


@pytest.mark.parametrize("how", ["operator_happened", "operator_not", "operator_resend"])
def test_an_undoing_in_doubt_is_settled(how) -> None:
    world = World()
    world.doubts = 0
    host_act = world.act

    def act(name: str, answer: dict) -> dict:
        if name == "undo" and not any(done[0] == "undo" for done in world.done):
            world.doubts = 1
        return host_act(name, answer)

    world.act = act
    store = interrupted(world, UNDO)
    (doubt,) = status(store).in_doubt
    settle(store, doubt.action, Word(how, None, "ada"))
    run = start(world, UNDO, store)
    machine = run.run()
    assert machine.state.get("tools.book.in_doubt") is False
    undone = [(key, attempt) for name, key, attempt in world.done if name == "undo"]
    assert [attempt for _, attempt in undone] == ([1, 2] if how == "operator_resend" else [1])
    assert len({key for key, _ in undone}) == 1
    assert ("book(n=1) is undone" in run.trace_text()) is (how != "operator_not")
    assert start(world, UNDO, store).run().trace.render() == run.trace_text()


TWICE = f"""AGENT a {{ OBSERVE {{ clock }} {TOOL}
  PLAN p WHEN tick.first != no {{ SET tick.first = no book(n = 1) book(n = 2) }}
  LOOP MAX 3 {{ OBSERVE SELECT_PLAN EXECUTE }} }}"""


def test_a_tool_is_in_doubt_while_one_of_its_actions_is() -> None:
    world = World()
    world.doubts = 2
    store = interrupted(world, TWICE)
    first, second = (doubt.action for doubt in status(store).in_doubt)
    with pytest.raises(UsageError, match="2 actions"):
        settle(store, "book", Word("operator_not"))
    settle(store, first, Word("operator_not", who="ada"))
    world.dies = 3
    with pytest.raises(Stop):
        start(world, TWICE, store).run()
    world.dies = None
    assert [doubt.action for doubt in status(store).in_doubt] == [second]
    assert start(world, TWICE, store).run().state.get("tools.book.in_doubt") is True


def test_two_words_are_taken_in_one_tick_in_the_order_they_came() -> None:
    world = World()
    world.doubts = 2
    store = interrupted(world, TWICE)
    first, second = (doubt.action for doubt in status(store).in_doubt)
    settle(store, second, Word("operator_happened", {"reference": "two"}, "ada"))
    settle(store, first, Word("operator_happened", {"reference": "one"}, "bob"))
    machine = start(world, TWICE, store).run()
    said = [(record.action, record.tick) for record in read_records(store) if getattr(record, "entry", None)]
    assert said == [(second, 2), (first, 2)]
    assert machine.state.get("book.reference") == "one"
    assert machine.state.get("booked") == 1
    assert machine.state.get("tools.book.in_doubt") is False


APPROVED = TWICE.replace("book(n = 2)", "").replace(
    "PLAN p", "POLICY { DEFAULT ALLOW REQUIRE APPROVAL FOR book } PLAN p"
)


def test_a_person_approves_anew_what_is_sent_again() -> None:
    world = World()
    store = interrupted(world, APPROVED)
    settle(store, None, Word("operator_resend", who="ada"))
    start(world, APPROVED, store).run()
    assert world.approvals == ["book(n=1)", "book(n=1)"]
    kinds = [record.kind for record in read_records(store)]
    place = len(kinds) - 1 - kinds[::-1].index("approve")
    assert kinds[place - 2 : place + 3] == ["resolution", "verdict", "approve", "intent", "invoke"]


def test_what_is_in_doubt_survives_the_encoding_of_the_state() -> None:
    world = World()
    store = interrupted(world, TWICE)
    settle(store, None, Word("operator_resend", who="ada"))
    machine = start(world, TWICE, store).run()
    state = type(machine.state)
    assert state.decoded(machine.state.encoded()).digest() == machine.state.digest()


@pytest.mark.parametrize("value", [None, {}, {"nope": 1}, "hall", {"places": "hall"}])
def test_a_value_that_lacks_what_expect_names_is_refused_before_it_is_put_in(value) -> None:
    world = World()
    store = interrupted(world, COURIER)
    with pytest.raises(UsageError, match="courier cannot have returned this") as refusal:
        settle(store, "courier", Word("operator_happened", value))
    assert refusal.value.code == "U121"
    assert status(store).put_in == ()
    settle(store, "courier", Word("operator_happened", {"place": "hall", "more": 1}))


def test_a_sub_agent_without_expect_may_have_answered_nothing() -> None:
    world = World()
    store = interrupted(world, COURIER.replace(" EXPECT { place }", ""))
    settle(store, "courier", Word("operator_happened", None))
    assert len(status(store).put_in) == 1


BOOK_THEN_COURIER = f"""AGENT a {{ OBSERVE {{ clock }} {TOOL}
  PLAN p WHEN tick.first != no {{ SET tick.first = no book(n = 1) }}
  PLAN q WHEN tick.first == no {{ DELEGATE courier {{ TASK "bring it" }} }}
  LOOP MAX 3 {{ OBSERVE SELECT_PLAN EXECUTE }} }}"""


def test_an_action_that_was_settled_is_told_so_while_another_is_performed() -> None:
    world = World()
    store = interrupted(world, BOOK_THEN_COURIER)
    settle(store, "book", Word("operator_not", who="ada"))
    told = []

    def deliver(payload: dict) -> dict:
        for which in ("book", "r:a:t1:a1"):
            with pytest.raises(DurableError) as refusal:
                settle(store, which, Word("operator_not"))
            told.append(refusal.value.code)
        return {"place": "hall"}

    world.doubts = 0
    run = start(world, BOOK_THEN_COURIER, store)
    run._host.subagents["courier"] = deliver
    run.run()
    assert told == ["R403"] * 4
