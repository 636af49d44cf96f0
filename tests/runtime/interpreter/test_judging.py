"""JUDGE: three kinds of questions, probabilities, discarded answers (language.md §5.12, 1.10)."""

import pytest

from agentl import UNDEFINED, Host, MockLLM, ScriptedLLM, Symbol

QUESTIONS = """ok NOUL "is it fine?" how SCORE "how bad?" ["fine", "poor", "ruined"]
which CHOICE "whose?" { ours: "we did it" theirs: "they did it" }"""


def judged(run_agent, answers, questions: str = QUESTIONS, members: str = "", host: Host | None = None):
    program = f'{members} PLAN p WHEN 1 == 1 {{ JUDGE "weigh it" {{ {questions} }} }}'
    return run_agent(program, host, MockLLM({"weigh": answers}))


def test_each_kind_has_its_type_and_is_published_with_its_probability(run_agent):
    machine = judged(
        run_agent,
        {
            "ok": {"value": "yes", "p": 0.9, "confidence": 0.5},
            "how": {"value": 1, "p": 0.25},
            "which": Symbol("ours"),
        },
    )
    local = machine.state.locals
    assert (local["ok"], local["how"], local["which"]) == (True, 1.0, Symbol("ours"))
    for name in ("ok", "how", "which"):
        assert (
            local[name] == local[f"reason.{name}"] == local[f"judge.{name}"] == local[f"judge.{name}.value"]
        )
    assert (local["judge.ok.p"], local["judge.ok.confidence"]) == (0.9, 0.5)
    assert (local["judge.how.p"], local["judge.how.confidence"]) == (0.25, 0.25)
    assert (local["judge.which.p"], local["judge.which.confidence"]) == (UNDEFINED, UNDEFINED)
    assert (machine.state.get("reason.degraded"), machine.state.get("reason.missing")) == (False, 0)


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ('f SCORE "?" ["a", "b"]', 9, 1.0),
        ('f SCORE "?" ["a", "b"]', -1, 0.0),
        ('f SCORE "?" ["a", "b"] DEFAULT 0', 9, 0.0),
        ('f CHOICE "?" { a: "A" b: "B" }', "z", Symbol("b")),
        ('f CHOICE "?" { a: "A" b: "B" } DEFAULT a', "z", Symbol("a")),
        ('f CHOICE "?" { a: "A" b: "B" }', None, UNDEFINED),
        ('f NOUL "?"', "perhaps", UNDEFINED),
        ('f NOUL "?" DEFAULT no', "perhaps", False),
        ('f NOUL "?"', {"value": "non", "p": 1}, False),
    ],
)
def test_an_answer_is_treated_as_that_of_reason(run_agent, question: str, answer: object, expected: object):
    found = judged(run_agent, {"f": answer}, question).state.locals["f"]
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("p", "taken"),
    [
        (0.7, True),
        (1, True),
        (0.69, False),
        (None, False),
        (1.5, False),
        (float("nan"), False),
        (True, False),
    ],
)
def test_an_answer_less_probable_than_asked_for_is_discarded(run_agent, codes, p: object, taken: bool):
    machine = judged(run_agent, {"f": {"value": True, "p": p}}, 'f NOUL "?" ABSTAIN BELOW 0.7')
    assert machine.state.locals["f"] is (True if taken else UNDEFINED)
    assert machine.state.get("reason.missing") == (0 if taken else 1)
    assert machine.metrics["judge_abstained"] == (0 if taken else 1)
    assert ("judge.abstained" in codes(machine)) is not taken


def test_a_discarded_answer_makes_way_for_the_default_and_a_bare_one_is_discarded(run_agent):
    machine = judged(run_agent, {"f": True}, 'f NOUL "?" ABSTAIN BELOW 0.5 DEFAULT no')
    assert machine.state.locals["f"] is False
    assert machine.state.get("reason.degraded") is True


@pytest.mark.parametrize("p", [-0.1, 1.1, float("inf"), float("nan"), "0.5", True, None])
def test_what_is_no_probability_is_ignored(run_agent, p: object):
    machine = judged(run_agent, {"f": {"value": True, "p": p, "confidence": p}}, 'f NOUL "?"')
    assert machine.state.locals["f"] is True
    assert machine.state.locals["judge.f.p"] is machine.state.locals["judge.f.confidence"] is UNDEFINED


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ('f CHOICE "?" { us: "A" them: "B" }', "we"),
        ('f CHOICE "?" { us: "A" them: "B" } DEFAULT us', "we"),
        ('f NOUL "?" ABSTAIN BELOW 0.8 DEFAULT no', "dunno"),
        ('f NOUL "?" DEFAULT no', None),
        ('f SCORE "?" ["low", "high"]', 7),
        ('f SCORE "?" ["low", "high"] DEFAULT 0', 7),
    ],
)
def test_what_stands_in_the_place_of_an_answer_has_no_probability(run_agent, question: str, answer: object):
    said = {"f": {"value": answer, "p": 0.99, "confidence": 0.98}}
    found = judged(run_agent, said, question).state.locals
    assert found["f"] is not UNDEFINED
    assert found["judge.f.p"] is found["judge.f.confidence"] is UNDEFINED


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        ('f CHOICE "?" { us: "A" them: "B" } DEFAULT us', "us", Symbol("us")),
        ('f NOUL "?" ABSTAIN BELOW 0.8 DEFAULT no', "no", False),
        ('f SCORE "?" ["low", "high"] DEFAULT 1', 1, 1.0),
    ],
)
def test_an_answer_that_is_the_default_too_keeps_its_probability(run_agent, question, answer, value):
    found = judged(run_agent, {"f": {"value": answer, "p": 0.99}}, question).state.locals
    assert (found["f"], found["judge.f.p"]) == (value, 0.99)


def test_an_answer_that_was_discarded_leaves_its_default_without_a_probability(run_agent):
    found = judged(run_agent, {"f": {"value": False, "p": 0.5}}, 'f NOUL "?" ABSTAIN BELOW 0.8 DEFAULT no')
    assert found.state.locals["f"] is False
    assert found.state.locals["judge.f.p"] is UNDEFINED


def test_nothing_answered_is_degraded(run_agent):
    machine = judged(run_agent, {})
    assert (machine.state.get("reason.degraded"), machine.state.get("reason.missing")) == (True, 3)
    assert machine.state.locals["ok"] is UNDEFINED
    assert machine.state.locals["judge.ok.p"] is UNDEFINED


@pytest.mark.parametrize("answer", [None, [], "text", OSError("no line")])
def test_an_answer_that_is_none_ends_in_missing_fields(run_agent, answer: object):
    program = f'PLAN p WHEN 1 == 1 {{ JUDGE "t" {{ {QUESTIONS} }} }}'
    machine = run_agent(program, None, ScriptedLLM([answer]))
    assert machine.state.get("reason.degraded") is True
    assert machine.metrics["llm_calls"] == 1


def test_the_model_is_told_the_questions_and_no_secret(run_agent):
    class Listener(MockLLM):
        def judge(self, task, context, questions):
            self.heard = (task, context, questions)
            return {}

    model = Listener()
    run_agent(
        f"""BELIEF {{ my.key = "s3cret" }} POLICY {{ NEVER SEND my.key }}
        PLAN p WHEN 1 == 1 {{ JUDGE "weigh" {{ USING {{ my.key }} {QUESTIONS} ABSTAIN BELOW 0.5 }} }}""",
        None,
        model,
    )
    task, context, questions = model.heard
    assert (task, context) == ("weigh", {"tick": 1, "focus": {"my.key": "[redacted]"}})
    assert questions == {
        "ok": {"kind": "NOUL", "instructions": "is it fine?", "schema": "Bool", "abstain_below": None},
        "how": {
            "kind": "SCORE",
            "instructions": "how bad?",
            "levels": ["fine", "poor", "ruined"],
            "schema": "Number IN [0, 2]",
            "abstain_below": None,
        },
        "which": {
            "kind": "CHOICE",
            "instructions": "whose?",
            "criteria": {"ours": "we did it", "theirs": "they did it"},
            "schema": "Symbol IN [ours, theirs]",
            "abstain_below": 0.5,
        },
    }


def test_a_model_without_judge_is_asked_in_words_and_gives_no_probability(run_agent):
    class Plain:
        last_reason_missing = ("which",)

        def reason(self, task, context, schema):
            self.heard = (task, schema)
            return {"ok": True, "how": 2, "which": "ours"}

        def select_plan(self, context, candidates):
            return None

    model = Plain()
    machine = run_agent(f'PLAN p WHEN 1 == 1 {{ JUDGE "weigh" {{ {QUESTIONS} }} }}', None, model)
    task, schema = model.heard
    assert task.splitlines() == [
        "weigh",
        "- ok: is it fine?",
        "- how: how bad? (0 = fine; 1 = poor; 2 = ruined)",
        "- which: whose? (ours = we did it; theirs = they did it)",
    ]
    assert schema == {"ok": "Bool", "how": "Number IN [0, 2]", "which": "Symbol IN [ours, theirs]"}
    local = machine.state.locals
    assert (local["ok"], local["how"], local["which"], local["judge.ok.p"]) == (
        True,
        2.0,
        UNDEFINED,
        UNDEFINED,
    )


def test_a_judgement_is_the_models_and_counts_as_untrusted(run_agent, codes):
    host = Host()
    host.tools["act"] = dict
    machine = run_agent(
        """TOOL act { INPUT { a: Bool } } POLICY { NEVER act WHEN LLM_DERIVED(a) }
        PLAN p WHEN 1 == 1 { JUDGE "t" { f NOUL "?" } act(a: judge.f.value) }""",
        host,
        MockLLM({"t": {"f": {"value": True, "p": 1}}}),
    )
    assert "policy.denied" in codes(machine)
