"""The sample programs use every alternative of every rule of agent.lark."""

from alternatives import PROGRAMS, used_by_samples

from agentl_grammar.parser import parse


def test_every_alternative_of_every_rule_is_used_by_a_sample():
    every, used = used_by_samples()
    assert len({rule for rule, *_ in every}) > 150
    assert len(every) > 400
    assert every - used == set()


def test_the_samples_are_right():
    assert len(PROGRAMS) > 3
    for program in PROGRAMS:
        assert parse(program.read_text(encoding="utf-8")).problems == (), program
