"""`agentl test`: what it prints, what it chooses, and its exit codes."""

import json
from pathlib import Path

import pytest

LAMP = """\
AGENT lamp {
  OBSERVE { dark }
  BELIEF { lamp.state = off }
  TOOL switch { INPUT { to: Symbol }  EFFECT { lamp.state = to } }
  POLICY {
    NEVER switch WHEN fuse.state == blown
  }
  BELIEF { fuse.state = fine }
  PLAN light WHEN dark == yes { switch(to = on) }

  SCENARIO lights_in_the_dark {
    GIVEN { dark = yes }
    EXPECT { lamp.state == on }
  }

  SCENARIO stays_off_by_day {
    GIVEN { dark = no }
    EXPECT NEVER CALL switch
  }

  SCENARIO lights_with_a_blown_fuse {
    GIVEN { dark = yes  fuse.state = blown }
    EXPECT { lamp.state == on }
    EXPECT CALL switch
  }
}
"""

REPORT = """\
lamp.agent
  ✓ lamp/lights_in_the_dark
  ✓ lamp/stays_off_by_day
  ✗ lamp/lights_with_a_blown_fuse
      lamp.state == on never held until tick 1
        lamp.state = off
        tick 1: switch(to=on) is denied: NEVER switch WHEN fuse.state == blown
        at: lamp.agent:23:14
        23 |     EXPECT { lamp.state == on }
           |              ^^^^^^^^^^^^^^^^
        decided by: lamp.agent:6:5
        6 |     NEVER switch WHEN fuse.state == blown
          |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      switch was not called
        tick 1: switch(to=on) is denied: NEVER switch WHEN fuse.state == blown
        at: lamp.agent:24:5
        24 |     EXPECT CALL switch
           |     ^^^^^^^^^^^^^^^^^^
        decided by: lamp.agent:6:5
        6 |     NEVER switch WHEN fuse.state == blown
          |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
2 passed, 1 failed
"""


@pytest.fixture
def lamp(room: Path) -> Path:
    (room / "lamp.agent").write_text(LAMP)
    return room


def test_a_failure_shows_the_expectation_its_values_the_tick_and_the_rule_that_decided(lamp, agentl) -> None:
    done = agentl("test", "lamp.agent")
    assert done.stdout == REPORT
    assert (done.returncode, done.stderr) == (1, "")


def test_all_passing_is_exit_code_0_and_needs_no_host(lamp, agentl) -> None:
    done = agentl("test", "lamp.agent", "-k", "not blown")
    assert done.stdout.splitlines()[-1] == "2 passed, 0 failed"
    assert done.returncode == 0


def test_a_k_that_chooses_nothing_or_cannot_be_understood_is_refused(lamp, agentl) -> None:
    done = agentl("test", "lamp.agent", "-k", "not (lights or stays)")
    assert "error U114: no scenario matches -k not (lights or stays)" in done.stderr
    assert done.returncode == 2
    done = agentl("test", "lamp.agent", "-k", "lights and")
    assert "error U113: -k lights and cannot be understood" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


def test_json_holds_the_same_as_data(lamp, agentl) -> None:
    done = agentl("test", "lamp.agent", "--format", "json")
    document = json.loads(done.stdout)
    assert (document["passed"], document["failed"]) == (2, 1)
    failed = document["scenarios"][2]
    assert (failed["agent"], failed["scenario"], failed["outcome"]) == (
        "lamp",
        "lights_with_a_blown_fuse",
        "failed",
    )
    first = failed["failures"][0]
    assert first["kind"] == "expectation"
    assert (first["file"], first["line"], first["column"], first["tick"]) == ("lamp.agent", 23, 14, 1)
    assert first["values"] == {"lamp.state": {"$symbol": "off"}}
    assert first["rule"]["line"] == 6
    assert "trace" not in failed


def test_trace_is_added_on_request(lamp, agentl) -> None:
    told = agentl("test", "lamp.agent", "--trace", "-k", "day").stdout
    assert "      [t1] OBSERVE     dark = no\n" in told
    document = json.loads(agentl("test", "lamp.agent", "--trace", "--format", "json").stdout)
    assert document["scenarios"][0]["trace"][0].startswith("[t1] TICK")


def test_an_agent_without_a_scenario_is_exit_code_2_unless_that_is_meant(lamp, agentl) -> None:
    (lamp / "bare.agent").write_text("AGENT bare { PLAN p WHEN go { SET x = 1 } }")
    done = agentl("test", "bare.agent")
    assert "error U114: bare has no SCENARIO" in done.stderr
    assert done.returncode == 2
    assert agentl("test", "bare.agent", "--allow-empty").returncode == 0
    both = agentl("test", "bare.agent", "lamp.agent", "-k", "dark")
    assert "1 passed, 0 failed" in both.stdout
    assert both.returncode == 2


def test_a_broken_file_is_told_and_the_others_are_still_tested(lamp, agentl) -> None:
    (lamp / "broken.agent").write_text("AGENT broken { SCENARIO }")
    done = agentl("test", "broken.agent", "missing.agent", "lamp.agent", "-k", "dark")
    assert done.returncode == 2
    assert "broken.agent:1:" in done.stderr
    assert "error U102: there is no missing.agent" in done.stderr
    assert "✓ lamp/lights_in_the_dark" in done.stdout


def test_a_program_with_a_static_error_is_refused_with_exit_code_1(lamp, agentl) -> None:
    (lamp / "wrong.agent").write_text(
        "AGENT wrong { PLAN p WHEN go { SET run.resumes = 1 } SCENARIO s { EXPECT NO ERROR } }"
    )
    done = agentl("test", "wrong.agent")
    assert "error E019" in done.stderr
    assert done.returncode == 1


def test_every_agent_of_a_file_is_tested_alone(lamp, agentl) -> None:
    agent = "AGENT {} {{ PLAN p WHEN go {{ SET x.y = 1 }} SCENARIO s {{ EXPECT {{ x.y == 1 }} }} }}\n"
    (lamp / "two.agent").write_text(agent.format("one") + agent.format("two"))
    done = agentl("test", "two.agent")
    assert done.stdout == "two.agent\n  ✓ one/s\n  ✓ two/s\n2 passed, 0 failed\n"


def test_the_report_speaks_french_and_the_trace_does_not(lamp, agentl) -> None:
    told = agentl("test", "lamp.agent", "--lang", "fr").stdout
    assert told.splitlines()[-1] == "2 réussi(s), 1 échoué(s)"
    assert "switch(to=on) is denied" in told
