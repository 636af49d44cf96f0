"""MockLLM (language.md §8.3)."""

from agentl import MockLLM


def test_the_first_key_found_in_the_task_answers_in_any_case():
    model = MockLLM({"Weather": {"sky": "blue"}, "weather today": {"sky": "grey"}})
    assert model.reason("the WEATHER today", {}, {"sky": "Symbol", "wind": "Number"}) == {"sky": "blue"}
    assert model.last_reason_missing == ["wind"]


def test_without_a_match_everything_is_missing():
    model = MockLLM()
    assert model.reason("anything", {}, {"a": "Any"}) == {}
    assert model.last_reason_missing == ["a"]


def test_plans_are_chosen_by_the_function_or_the_first():
    assert MockLLM().select_plan({}, ["p", "q"]) == "p"
    assert MockLLM().select_plan({}, []) is None
    assert MockLLM(plan_choice=lambda context, names: names[-1]).select_plan({}, ["p", "q"]) == "q"


def test_calls_are_logged():
    model = MockLLM()
    model.reason("t", {}, {})
    model.select_plan({}, ["p"])
    assert model.calls == [("reason", "t"), ("select_plan", ["p"])]
