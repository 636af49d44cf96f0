"""Starting, resuming, deriving again (durability.md §6, §12)."""

import pytest

from agentl import Host, MockLLM, ProgramError, Symbol, UsageError, parse_source
from agentl.durable import DurableError, DurableRun, FileStore, MemoryStore
from agentl_grammar.printer import print_program
from agentl_grammar.source import Source


def kinds(run) -> list[str]:
    return [record.kind for record in run.journal.records]


def test_a_run_is_recorded_crossing_by_crossing(durable, bank, store) -> None:
    run = durable(bank.host(), store=store)
    run.run()
    assert kinds(run) == [
        "header", "read", "drain", "verdict", "intent", "invoke", "checkpoint",
        "read", "drain", "checkpoint", "ended",
    ]  # fmt: skip


def test_a_completed_run_is_derived_again_quietly_without_a_host(durable, bank, payer, store) -> None:
    told = []
    run = durable(bank.host(), store=store)
    run.run()
    before = store.records()
    again = DurableRun(parse_source(payer), store=store, notify=told.append)
    again.run()
    assert again.trace_text() == run.trace_text()
    assert again.runtime.state.digest() == run.runtime.state.digest()
    assert (again.run_id, again.resumed, told) == ("run1", False, [])
    assert store.records() == before
    assert len(bank.calls) == 1


def test_the_facts_of_a_resume_come_with_the_last_journaled_outcome(durable, bank, crash, store) -> None:
    bank.before = [crash(), crash()]
    for _ in range(2):
        with pytest.raises(crash):
            durable(bank.host(), store=store).run()
    run = durable(bank.host(), store=store)
    assert run.resumed
    machine = run.run()
    assert (machine.state.get("run.resumed"), machine.state.get("run.resumes")) == (True, 2)
    assert [record.count for record in run.journal.records if record.kind == "resumed"] == [1, 2]
    assert kinds(run)[4:10] == ["intent", "resumed", "resolution", "resumed", "resolution", "invoke"]
    again = durable(bank.host(), store=store)
    assert again.run().state.digest() == machine.state.digest()


def test_a_run_that_is_new_is_not_resumed_and_writes_no_resumed_record(durable, bank, store) -> None:
    run = durable(bank.host(), store=store)
    machine = run.run()
    assert not run.resumed
    assert machine.state.get("run.resumes") == 0
    assert "resumed" not in kinds(run)


ASKING = """
AGENT asker {
  TOOL send { INPUT { to: String } }
  POLICY { DEFAULT ALLOW REQUIRE APPROVAL FOR send }
  PLAN go WHEN done != yes {
    STEP one {
      ASK operator { QUESTION "Whom?" REASON cost }
      REASON "Pick" { PRODUCE { c: Symbol IN [a, b] DEFAULT b } }
    }
    STEP two { send(to = "a") SET done = yes }
  }
  LOOP MAX 2 { SELECT_PLAN EXECUTE }
}
"""


class Person:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.model = MockLLM({"Pick": {"c": Symbol("a")}})
        self.sent: list[str] = []
        self.dies: list[BaseException] = []

    def host(self) -> Host:
        host = Host()
        host.asker = lambda question, reason: self.say(f"{question} {reason}", Symbol("bob"))
        host.approver = lambda request: self.say(request.tool, "yes")

        @host.tool("send")
        def send(to: str) -> None:
            self.sent.append(to)
            if self.dies:
                raise self.dies.pop()

        return host

    def say(self, question: str, answer: object) -> object:
        self.asked.append(question)
        return answer


def test_answers_approvals_and_the_model_are_served_from_the_journal(durable, crash, store) -> None:
    person = Person()
    person.dies = [crash()]
    with pytest.raises(crash):
        durable(person.host(), ASKING, llm=person.model, store=store).run()
    asked, calls = list(person.asked), list(person.model.calls)
    assert asked == ["Whom? cost", "send"]
    assert len(calls) == 1
    run = durable(person.host(), ASKING, llm=person.model, store=store)
    machine = run.run()
    assert (person.asked, person.model.calls, person.sent) == (asked, calls, ["a"])
    assert machine.state.get("answer.operator") == Symbol("bob")
    assert machine.state.get("c") == Symbol("a")
    assert [record.kind for record in run.journal.records][2:6] == ["answer", "reason", "verdict", "approve"]


def test_a_question_in_flight_is_asked_again(durable, crash, store) -> None:
    person = Person()
    host = person.host()

    def dying(question: str, reason: str | None) -> object:
        raise crash

    host.asker = dying
    with pytest.raises(crash):
        durable(host, ASKING, llm=person.model, store=store).run()
    durable(person.host(), ASKING, llm=person.model, store=store).run()
    assert person.asked == ["Whom? cost", "send"]


def test_a_reordered_program_is_told_as_such(durable, bank, crash, store) -> None:
    one, two = "PLAN a { SET x.y = 1 }", "PLAN b { SET x.y = 2 }"
    durable(Host(), f"AGENT o {{ {one} {two} }}", store=store).run()
    with pytest.raises(DurableError) as refused:
        durable(Host(), f"AGENT o {{ {two} {one} }}", store=store)
    assert refused.value.code == "R101"
    assert "order" in str(refused.value.details[0])


def test_an_altered_source_is_not_exported(durable, bank, tmp_path) -> None:
    run = durable(bank.host(), store=FileStore(tmp_path / "run"))
    run.run()
    source = next((tmp_path / "run" / "programs").iterdir())
    text = source.read_text()
    for other in (
        f"{text}// a comment that no run began with\n",
        text.replace("10", "9"),
    ):
        source.write_text(other)
        with pytest.raises(DurableError) as refused:
            run.export()
        assert refused.value.code == "R206"
    source.write_text(text)
    assert run.export().partial is False


def test_values_that_cannot_be_kept_look_the_same_to_first_and_resumed_run(durable, store) -> None:
    host = Host()
    host.sensors["queue.pending"] = object
    run = durable(host, store=store)
    run.run()
    assert run.journal.records[1].value == {"$unencodable": "object"}
    assert durable(host, store=store).run().trace.render() == run.trace_text()


def test_the_length_of_the_first_run_is_that_of_the_resumed_one(durable, bank, crash, store) -> None:
    bank.before = [crash()]
    with pytest.raises(crash):
        durable(bank.host(), store=store).run(max_ticks=4)
    run = durable(bank.host(), store=store)
    assert run.run().state.tick == 4
    assert run.status.length == 4


def test_the_source_is_pinned_as_given_or_as_its_canonical_text(durable, bank, payer, tmp_path) -> None:
    text = "// mine\n" + payer
    given = durable(bank.host(), text, source=Source(text, str(tmp_path / "payer.agent")))
    given.run()
    header = given.journal.header
    assert given.journal.store.pinned(header.program) == text
    assert header.source == "../payer.agent"
    without = durable(bank.host(), store=MemoryStore())
    without.run()
    assert without.journal.store.pinned(header.program) == print_program(parse_source(payer))


def test_the_header_says_what_the_run_is(durable, bank, store) -> None:
    run = durable(bank.host("reconcilable"), store=store, host_digest="0" * 64)
    run.run(max_ticks=3)
    header = run.journal.header
    assert (header.n, header.key, header.format, header.semantics) == (0, "run1", "agentl.journal/1-draft", 2)
    assert header.agents == ["payer"]
    assert header.length == 3
    assert set(header.declarations) == {
        "payer/observe", "payer/tool:transfer", "payer/policy", "payer/plan:pay", "payer/loop",
    }  # fmt: skip
    assert header.host.model_dump() == {
        "digest": "0" * 64,
        "tools": {"transfer": "reconcilable"},
        "sensors": ["queue.pending"],
        "reconcilers": ["transfer"],
        "subagents": {},
        "compensations": {},
    }


def test_a_run_without_a_name_gets_twelve_random_digits(durable, bank, tmp_path) -> None:
    names = set()
    for number in range(3):
        run = durable(bank.host(), store=FileStore(tmp_path / str(number)), run_id=None)
        assert run.run_id is None
        run.run()
        names.add(run.run_id)
        assert len(run.run_id) == 12
        assert int(run.run_id, 16) >= 0
    assert len(names) == 3


@pytest.mark.parametrize("name", ["", "a:b", "../x", ".hidden", "a b", "x" * 65, "é", "a\n"])
def test_a_name_that_could_be_mistaken_is_refused(durable, bank, name: str) -> None:
    with pytest.raises(UsageError) as refusal:
        durable(bank.host(), run_id=name)
    assert refusal.value.code == "U110"


def test_a_construct_that_is_not_executed_yet_is_refused_before_anything_exists(durable, tmp_path) -> None:
    text = "AGENT a { HYPOTHESIS h { PRIOR 0.5 } LOOP MAX 1 { UPDATE_HYPOTHESES } }"
    with pytest.raises(ProgramError) as refusal:
        durable(Host(), text)
    assert refusal.value.code == "C101"
    assert not (tmp_path / "run").exists()


def test_an_agent_and_a_list_of_agents_are_programs_too(bank, payer) -> None:
    agent = parse_source(payer).agents[0]
    for program in (agent, [agent]):
        run = DurableRun(program, bank.host(), store=MemoryStore())
        run.run()
        assert run.status.state == "completed"


def test_the_runtime_is_there_after_run_only(durable, bank) -> None:
    run = durable(bank.host())
    with pytest.raises(RuntimeError):
        _ = run.runtime
    assert run.run() is run.runtime


def test_the_lock_is_given_back_when_run_raises(durable, bank, crash, store) -> None:
    bank.before = [crash()]
    run = durable(bank.host(), store=store)
    with pytest.raises(crash):
        run.run()
    assert store.holder() is None
    run.run()
    assert run.status.state == "completed"


def test_notices_are_told_in_order(durable, bank, crash, store) -> None:
    told: list[str] = []
    bank.after = [crash()]
    with pytest.raises(crash):
        durable(bank.host(), store=store, notify=lambda message: told.append(str(message))).run()
    durable(bank.host(), store=store, notify=lambda message: told.append(str(message))).run()
    assert told == [
        f"→ durable run run1: {store.journal_name}",
        "↻ resuming durable run run1: 4 journaled entries re-derived without effect",
        "  intent without result: transfer (run1:payer:t1:a1), to be settled",
        "  ↻ transfer (run1:payer:t1:a1): re-sent with the same idempotency key",
    ]


def test_an_integer_of_thousands_of_digits_is_read_shown_hashed_and_derived_again(durable, store) -> None:
    host, seen = Host(), []
    host.sensors["a.b"] = lambda: 10**5000

    @host.tool("t")
    def t(n: int) -> None:
        seen.append(n)

    text = "AGENT x { OBSERVE { a.b } TOOL { t(n) } LOOP MAX 1 { OBSERVE t(n = a.b) } }"
    first = durable(host, text, store=store)
    first.run()
    assert seen == [10**5000]
    assert hex(10**5000)[:40] in first.trace_text()
    again = durable(host, text, store=store)
    again.run()
    assert again.trace_text() == first.trace_text()
