"""What the static rules cost for what is there very often, or is very long; texts of one run are compared."""

from collections.abc import Callable
from functools import partial
from time import process_time

from agentl_grammar.checks import check
from agentl_grammar.checks.remembering import Roster
from agentl_grammar.parser import parse

# Four times the length is about four times the time, and the square of it sixteen.
TIMES, MOST_TIMES = 4, 9


def seconds(work: Callable[[], object]) -> float:
    """Return the least time of three."""
    taken: list[float] = []
    for _ in range(3):
        start = process_time()
        work()
        taken.append(process_time() - start)
    return min(taken)


def test_four_times_as_long_a_name_takes_about_four_times_as_long():
    results = [parse(f"AGENT a {{ PLAN {'p' * size} {{ f() }} }}") for size in (4_000, TIMES * 4_000)]
    once, more = (seconds(partial(check, result)) for result in results)
    assert more < MOST_TIMES * max(once, 0.005)


def test_four_times_as_many_members_of_one_text_take_about_four_times_as_long():
    results = [parse("AGENT a {\n" + "PLAN p { f() }\n" * many + "}") for many in (1_000, TIMES * 1_000)]
    agents = [(result.program.agents[0], result.source) for result in results if result.program]
    once, more = (seconds(lambda agent=agent: Roster().update(*agent)) for agent in agents)
    assert more < MOST_TIMES * max(once, 0.005)


def test_four_times_as_many_tools_with_requires_take_about_four_times_as_long():
    tool = "TOOL t%d { INPUT { a: Number } REQUIRES { a < 1 } }\n"
    texts = ["AGENT a {" + "".join(tool % at for at in range(many)) + "}" for many in (1_500, TIMES * 1_500)]
    once, more = (seconds(partial(check, parse(text))) for text in texts)
    assert more < MOST_TIMES * max(once, 0.005)
