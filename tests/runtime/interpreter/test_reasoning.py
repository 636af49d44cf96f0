"""REASON: what a model sees and what of its answer counts (language.md §5.12, §0 ⚠20)."""

import pytest

from agentl import UNDEFINED, Host, MockLLM, Symbol


def answer_of(run_agent, field: str, answer: object) -> object:
    model = MockLLM({"task": {"f": answer}})
    machine = run_agent(f'PLAN p WHEN 1 == 1 {{ REASON "task" {{ PRODUCE {{ {field} }} }} }}', None, model)
    assert (
        machine.state.locals["f"] == machine.state.locals["reason.f"]
        or machine.state.locals["f"] is UNDEFINED
    )
    return machine.state.locals["f"]


@pytest.mark.parametrize(
    ("field", "answer", "expected"),
    [
        ("f: Number", "2.5", 2.5),
        ("f: Float", 3, 3.0),
        ("f: Int", 3.9, 3),
        ("f: Int", "7", 7),
        ("f: Number", True, UNDEFINED),
        ("f: Number", float("nan"), UNDEFINED),
        ("f: Number", "many", UNDEFINED),
        ("f: Number", None, UNDEFINED),
        ("f: Number DEFAULT 4", "many", 4.0),
        ("f: Number DEFAULT 4", None, 4.0),
        ("f: Bool", "Oui", True),
        ("f: Bool", 0, False),
        ("f: Bool", "faux", False),
        ("f: Bool", True, True),
        ("f: Bool", "perhaps", UNDEFINED),
        ("f: String", 5, "5"),
        ("f: Symbol", "word", Symbol("word")),
        ("f", [1, 2], [1, 2]),
        ("f: Number IN [0, 1]", 0.5, 0.5),
        ("f: Number IN [0, 1]", 7, 1.0),
        ("f: Number IN [0, 1]", -7, 0.0),
        ("f: Number IN [0, 1] DEFAULT 0.2", 7, 0.2),
        ("f: Number IN [0, 1] DEFAULT 9", 7, 1.0),
        ("f: Number IN [0, 1] DEFAULT 0.2", "many", 0.2),
        ("f: Number IN [0, 1] DEFAULT 9", "many", UNDEFINED),
        ("f: Number IN [0, 1] DEFAULT 9", float("inf"), UNDEFINED),
        ("f: Int IN [-5, 5]", -9, -5),
        ("f: Number IN [1, 2, 3]", 2, 2.0),
        ("f: Number IN [1, 2, 3]", 9, 3.0),
        ("f: Symbol IN [a, b]", "a", Symbol("a")),
        ("f: Symbol IN [a, b]", "z", Symbol("b")),
        ("f: Symbol IN [a, b] DEFAULT a", "z", Symbol("a")),
        ("f: Symbol IN [a, b]", ["a"], UNDEFINED),
        ("f: Symbol IN [a, b]", {"f": "a"}, UNDEFINED),
        ("f: Symbol IN [a, b]", None, UNDEFINED),
        ("f: Symbol IN [a, b]", float("nan"), UNDEFINED),
        ("f: Symbol IN [a, b]", 7, UNDEFINED),
        ("f: Symbol IN [a, b]", True, UNDEFINED),
        ("f: Symbol IN [yes, no]", True, Symbol("yes")),
        ("f: Symbol IN [a, b] DEFAULT a", ["b"], Symbol("a")),
        ("f IN [a, b]", ["a"], UNDEFINED),
        ("f: Any IN [a, b]", ["a"], UNDEFINED),
        ("f: String", ["a"], UNDEFINED),
        ("f: Symbol", {"a": 1}, UNDEFINED),
        ("f: Bool", [], UNDEFINED),
        ("f: Any", {"a": 1}, {"a": 1}),
        ("f: String IN [a, b]", "a", "a"),
        ('f: Symbol IN ["two words", b]', "two words", Symbol("two words")),
        ("f IN [a, b]", "a", Symbol("a")),
    ],
)
def test_types_and_domains(run_agent, field: str, answer: object, expected: object):
    found = answer_of(run_agent, field, answer)
    assert found == expected
    assert type(found) is type(expected)


def test_an_answer_outside_its_domain_is_told_and_counted(run_agent):
    model = MockLLM({"task": {"f": "z", "g": 5}})
    machine = run_agent(
        'PLAN p WHEN 1 == 1 { REASON "task" { PRODUCE { f: Symbol IN [a, b] g: Number IN [0, 9] } } }',
        None,
        model,
    )
    clamped = [(e.kind, e.arguments["field"]) for e in machine.trace.events if e.code == "reason.clamped"]
    assert clamped == [("BLOCKED", "f")]
    assert machine.metrics["domain_clamps"] == machine.metrics["llm_calls"] == 1


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("f: Symbol IN [a, b]", UNDEFINED),
        ("f: Symbol IN [a, b] DEFAULT a", Symbol("a")),
        ("f: Number", UNDEFINED),
        ("f: Number IN [0, 1]", UNDEFINED),
        ("f: Number IN [0, 1] DEFAULT 9", 1.0),
        ("f: Symbol IN [a, b] DEFAULT c", Symbol("c")),
    ],
)
def test_a_missing_field_is_its_default_or_undefined_never_invented(run_agent, field: str, expected: object):
    machine = run_agent(f'PLAN p WHEN 1 == 1 {{ REASON "task" {{ PRODUCE {{ {field} }} }} }}')
    assert machine.state.locals["f"] == expected
    assert (machine.state.get("reason.missing"), machine.state.get("reason.degraded")) == (1, True)
    assert machine.metrics["reason_degraded"] == 1


def test_degraded_means_that_all_fields_were_missing(run_agent):
    members = 'PLAN p WHEN 1 == 1 { REASON "task" { PRODUCE { f g } } }'
    machine = run_agent(members, None, MockLLM({"task": {"f": 1}}))
    assert (machine.state.get("reason.missing"), machine.state.get("reason.degraded")) == (1, False)
    machine = run_agent('PLAN p WHEN 1 == 1 { REASON "task" { } }')
    assert machine.state.get("reason.degraded") is False


@pytest.mark.parametrize("answer", [None, "text", 5, [1], ValueError("offline")])
def test_an_answer_that_is_no_dict_leaves_all_fields_missing(run_agent, codes, answer: object):
    class Odd(MockLLM):
        def reason(self, task, context, schema):
            if isinstance(answer, Exception):
                raise answer
            return answer

    machine = run_agent(
        'PLAN p WHEN 1 == 1 { REASON "task" { PRODUCE { f: Number DEFAULT 2 } } }', None, Odd()
    )
    assert machine.state.get("f") == 2.0
    assert machine.state.get("reason.degraded") is True
    assert ("reason.failed" in codes(machine)) is isinstance(answer, Exception)


def test_what_the_adapter_reports_as_missing_is_missing(run_agent):
    class Honest(MockLLM):
        def reason(self, task, context, schema):
            self.last_reason_missing = ["f"]
            return {"f": 1, "g": 2, "operator": "yes"}

    machine = run_agent('PLAN p WHEN 1 == 1 { REASON "task" { PRODUCE { f g } } }', None, Honest())
    assert (machine.state.locals["f"], machine.state.locals["g"]) == (UNDEFINED, 2)
    assert "operator" not in machine.state.locals


def test_a_silent_model_makes_a_never_rule_apply(run_agent, codes):
    host = Host()
    host.tools["act"] = dict
    machine = run_agent(
        """TOOL { act } POLICY { NEVER act WHEN risk > 5 }
        PLAN p WHEN 1 == 1 { REASON "task" { PRODUCE { risk: Number } } act() }""",
        host,
    )
    assert "policy.denied" in codes(machine)


# ------------------------------------------------------------------------------------------ what it sees


class Listener(MockLLM):
    """Keeps what it was told."""

    def reason(self, task, context, schema):
        self.heard = (task, context, schema)
        return {}


def heard(run_agent, members: str, host: Host | None = None):
    model = Listener()
    machine = run_agent(members, host, model)
    return model.heard, machine


def test_using_sends_its_paths_as_text_and_nothing_else(run_agent):
    host = Host()
    host.sensors["note.text"] = lambda: {"by": "Ada", "urgent": True}
    (task, context, schema), _ = heard(
        run_agent,
        """OBSERVE { note.text } PLAN p WHEN 1 == 1 { REASON "old" {
        TASK "new" USING { note.text no.thing } PRODUCE { f: Symbol IN [a, "b c"] DEFAULT a g } } }""",
        host,
    )
    assert task == "new"
    assert context == {
        "tick": 1,
        "focus": {"note.text": '{by: "Ada", urgent: true}', "no.thing": "undefined"},
    }
    assert schema == {"f": 'Symbol IN [a, "b c"] DEFAULT a', "g": "Any"}


def test_without_using_the_agent_is_told(run_agent):
    (_, context, _), _ = heard(
        run_agent,
        """GOAL g { ACHIEVE 1 == 2 } BELIEF { a.b = 3 CONFIDENCE 50% SOURCE lore }
        TOOL act { INPUT { p: Int } RISK HIGH }
        PLAN p WHEN 1 == 1 { REASON "t" { PRODUCE { f } } }""",
    )
    assert context == {
        "tick": 1,
        "goals": {"g": {"mode": "ACHIEVE", "score": 0.0}},
        "beliefs": {"a.b": {"value": "3", "confidence": 0.5, "source": "lore"}},
        "tools": {"act": {"risk": "HIGH", "inputs": ["p"]}},
        "plans": ["p"],
    }


def redacted(run_agent, never: str, using: str, **readings: object):
    host = Host()
    for name, value in readings.items():
        host.sensors[name.replace("_", ".", 1)] = lambda value=value: value
    observed = " ".join(host.sensors)
    members = f"""POLICY {{ NEVER SEND {never} }} OBSERVE {{ {observed} }}
    PLAN p WHEN 1 == 1 {{ REASON "t" {{ USING {{ {using} }} }} }}"""
    (_, context, _), machine = heard(run_agent, members, host)
    return context["focus"], machine


def test_never_send_hides_a_leaf_of_what_is_sent(run_agent):
    focus, machine = redacted(run_agent, "box.c.token", "box.c", box_c={"token": "s3cret", "user": "Ada"})
    assert focus == {"box.c": '{token: "[redacted]", user: "Ada"}'}
    assert machine.metrics["redactions"] == 1
    told = next(e for e in machine.trace.events if e.code == "reason.redacted")
    assert (told.kind, told.arguments) == ("BLOCKED", {"path": "box.c.token"})


def test_never_send_hides_a_leaf_in_each_element_of_a_list(run_agent):
    focus, _ = redacted(
        run_agent, "box.c.token", "box.c", box_c=[{"token": "s1"}, {"user": 1, "token": "s2"}]
    )
    assert "s1" not in str(focus)
    assert "s2" not in str(focus)


def test_never_send_hides_all_of_a_value_that_cannot_be_walked(run_agent):
    focus, _ = redacted(run_agent, "box.c.token", "box.c", box_c="token=s3cret")
    assert focus == {"box.c": "[redacted]"}


def test_never_send_covers_what_lies_below_and_not_what_only_looks_alike(run_agent):
    focus, _ = redacted(
        run_agent,
        "my.cred, other.thing",
        "my.cred, my.cred.inner, my.cred_public",
        my_cred={"inner": "s3cret"},
        my_cred_public="open",
    )
    assert focus == {"my.cred": "[redacted]", "my.cred.inner": "[redacted]", "my.cred_public": "open"}


def test_never_send_hides_beliefs_of_the_whole_context(run_agent):
    (_, context, _), _ = heard(
        run_agent,
        'BELIEF { a.secret = "s3cret" } POLICY { NEVER SEND a.secret } PLAN p WHEN 1 == 1 { REASON "t" { } }',
    )
    assert context["beliefs"]["a.secret"]["value"] == "[redacted]"


def test_never_send_changes_nothing_in_the_run_and_masks_the_trace(run_agent):
    _, machine = redacted(run_agent, "box.c.token", "box.c", box_c={"token": "s3cret"})
    assert machine.state.get("box.c.token") == "s3cret"
    assert "s3cret" not in machine.trace.render()


def test_an_answer_is_the_models_and_what_decided_to_ask_has_its_part(run_agent):
    host = Host()
    host.emit("mail", urgent=True)
    machine = run_agent(
        """EVENT mail { IF urgent THEN { REASON "t" { PRODUCE { f: Int } } SET origin = ORIGIN(f) } }""",
        host,
        MockLLM({"t": {"f": 1}}),
    )
    assert machine.state.label("f") == machine.state.label("reason.f")
    assert machine.state.label("f") >= {"LLM", "EVENT"}
    assert machine.state.label("reason.degraded") == {"RUNTIME", "LLM", "EVENT", "DECLARED"}


def test_an_answer_of_another_shape_counts_as_missing(run_agent):
    machine = run_agent(
        'LOOP { REASON "t" { PRODUCE { f: Symbol IN [buy, sell] } } }', Host(), MockLLM({"t": {"f": ["buy"]}})
    )
    assert (machine.state.get("reason.missing"), machine.state.get("reason.degraded")) == (1, True)


def test_a_text_that_a_model_writes_keeps_its_lines(run_agent):
    machine = run_agent(
        'LOOP { REASON "t" { PRODUCE { body: String } } }', Host(), MockLLM({"t": {"body": "Dear\nAda\t!"}})
    )
    assert machine.state.get("body") == "Dear\nAda\t!"


def test_a_default_keeps_its_sources_where_it_counts_and_nowhere_else(run_agent):
    host = Host()
    host.sensors["a.x"] = lambda: "b"
    machine = run_agent(
        """OBSERVE { a.x } LOOP { OBSERVE
        REASON "t" { PRODUCE { said: Symbol DEFAULT a.x  left: Symbol DEFAULT a.x } } }""",
        host,
        MockLLM({"t": {"said": "a"}}),
    )
    assert machine.state.label("reason.said") == machine.state.label("said") == {"LLM"}
    assert machine.state.label("reason.left") == machine.state.label("left") == {"LLM", "OBSERVED"}
