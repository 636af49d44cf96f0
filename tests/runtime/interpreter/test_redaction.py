"""NEVER SEND beyond the path: what was copied or made of a secret (language.md §5.12, §11 ⚠33)."""

from itertools import permutations

from agentl import Host, MockLLM, Symbol
from agentl.redaction import Redactor


class Listener(MockLLM):
    """Keeps the context it was told."""

    def reason(self, task, context, schema):
        self.heard = context
        return {}


def told(run_agent, never: str, statements: str, using: str, world: tuple[str, Host]):
    """Return the focus that the model was told after `statements` ran."""
    members, host = world
    program = f"""{members} POLICY {{ NEVER SEND {never} }}
    PLAN p WHEN 1 == 1 {{ {statements} REASON "t" {{ USING {{ {using} }} }} }}"""
    model = Listener()
    machine = run_agent(program, host, model)
    return model.heard["focus"], machine


def sensing(**readings: object) -> tuple[str, Host]:
    host = Host()
    for name, value in readings.items():
        host.sensors[name.replace("_", ".", 1)] = lambda value=value: value
    return f"OBSERVE {{ {' '.join(host.sensors)} }}", host


def test_a_copy_of_a_secret_is_not_sent_nor_what_is_computed_from_it(run_agent):
    world = sensing(my_pin=77, my_name="Ada")
    focus, machine = told(
        run_agent,
        "my.pin",
        "SET copy = my.pin SET twice = copy * 2 + 1 SET held = [1, twice] SET who = my.name",
        "copy, twice, held, who",
        world,
    )
    hidden = dict.fromkeys(("copy", "twice", "held"), "[redacted]")
    assert focus == {**hidden, "who": "Ada"}
    assert machine.metrics["redactions"] == 3
    assert machine.state.get("twice") == 155


def test_a_copy_of_what_holds_a_secret_is_not_sent(run_agent):
    world = sensing(box_c={"token": 77, "user": "Ada"})
    focus, _ = told(run_agent, "box.c.token", "SET copy = box.c SET user = box.c.user", "copy user", world)
    assert focus == {"copy": "[redacted]", "user": "Ada"}


def test_a_believed_copy_of_a_secret_is_not_sent_in_the_whole_context(run_agent):
    world = sensing(my_pin=77)
    model = Listener()
    run_agent(
        f"""BELIEF {{ kept = 0 }} {world[0]} POLICY {{ NEVER SEND my.pin }}
        PLAN p WHEN 1 == 1 {{ SET kept = my.pin REASON "t" {{ }} }}""",
        world[1],
        model,
    )
    assert model.heard["beliefs"]["kept"]["value"] == "[redacted]"


def test_what_was_decided_on_a_secret_is_sent(run_agent):
    world = sensing(my_pin=77)
    focus, _ = told(run_agent, "my.pin", "IF my.pin > 5 THEN { SET verdict = high }", "verdict", world)
    assert focus == {"verdict": "high"}


def test_the_output_of_a_tool_is_protected_under_every_name(run_agent):
    host = Host()
    host.tools["find"] = lambda: {"pin": 77, "name": "Ada"}
    focus, _ = told(
        run_agent,
        "find.pin",
        "find()",
        "find.pin, result.find.pin, result.pin, pin, result, name",
        ("TOOL find { OUTPUT { pin: Int name: String } }", host),
    )
    assert {value for path, value in focus.items() if path != "name"} == {"[redacted]"}
    assert focus["name"] == "Ada"


def test_a_payload_is_protected_under_its_bare_names(run_agent):
    host = Host()
    host.emit("mail", pin=77, name="Ada")
    model = Listener()
    run_agent(
        """POLICY { NEVER SEND payload.pin }
        EVENT mail { REASON "t" { USING { pin payload.pin payload name } } }""",
        host,
        model,
    )
    assert model.heard["focus"] == {
        "pin": "[redacted]",
        "payload.pin": "[redacted]",
        "payload": '{pin: "[redacted]", name: "Ada"}',
        "name": "Ada",
    }


def test_the_text_of_a_secret_is_taken_out_of_what_others_say(run_agent):
    world = sensing(my_key="s3cret", log_line="login with s3cret failed")
    focus, machine = told(run_agent, "my.key", "", "log.line", world)
    assert focus == {"log.line": "login with [redacted] failed"}
    assert machine.metrics["redactions"] == 1


def test_a_label_of_a_secret_changes_no_verdict_and_no_origin(run_agent, codes):
    members, host = sensing(my_pin=77)
    host.tools["act"] = dict
    machine = run_agent(
        f"""{members} TOOL act {{ INPUT {{ a: Int }} }}
        POLICY {{ NEVER SEND my.pin NEVER act WHEN UNTRUSTED(a) }}
        PLAN p WHEN 1 == 1 {{ SET origin = ORIGIN(my.pin) act(a: my.pin) }}""",
        host,
    )
    assert "tool.called" in codes(machine)
    assert machine.state.get("origin") == [Symbol("OBSERVED")]


def test_a_remembered_secret_is_not_sent(run_agent):
    members, host = sensing(my_pin=77)
    model = Listener()
    run_agent(
        f"""{members} POLICY {{ NEVER SEND my.pin }}
        MEMORY {{ LONG_TERM {{ kept }} SHARED {{ told }}
          WRITE {{ WHEN 1 == 1 STORE {{ my.pin }} INTO LONG_TERM.kept }}
          WRITE {{ WHEN my.pin > 1 STORE {{ my.pin }} INTO SHARED.told }} }}
        LOOP {{ OBSERVE UPDATE_MEMORY SELECT_PLAN EXECUTE }}
        PLAN p WHEN 1 == 1 {{ SET last = SHARED.told.last SET count = SHARED.told.count
          REASON "t" {{ USING {{ kept last count }} }} }}""",
        host,
        model,
    )
    assert model.heard["focus"] == {"kept": "[redacted]", "last": "[redacted]", "count": "1"}


def test_an_element_shows_what_is_no_secret(run_agent):
    host = Host()
    host.emit("mail", items=[{"pin": 77, "name": "Ada"}, {"pin": 78, "name": "Bob"}])
    heard: list[dict[str, str]] = []

    class Lasting(MockLLM):
        def reason(self, task, context, schema):
            heard.append(context["focus"])
            return {}

    run_agent(
        """POLICY { NEVER SEND payload.items.pin }
        EVENT mail {
          SET copy = payload.items
          FOREACH item IN payload.items { REASON "t" { USING { item.pin item.name } } }
          FOREACH item IN copy { REASON "t" { USING { item.name } } }
        }""",
        host,
        Lasting(),
    )
    assert heard[:2] == [
        {"item.pin": "[redacted]", "item.name": "Ada"},
        {"item.pin": "[redacted]", "item.name": "Bob"},
    ]
    assert heard[2:] == [{"item.name": "[redacted]"}] * 2


def test_what_a_person_or_a_sub_agent_says_is_protected_under_both_its_names(run_agent):
    host = Host()
    host.asker = lambda question, reason: 4711
    host.subagents["clerk"] = lambda payload: {"pin": 78}
    focus, _ = told(
        run_agent,
        "answer.boss, clerk.pin",
        'ASK boss { QUESTION "the pin?" } DELEGATE clerk { EXPECT { pin } }',
        "answer, answer.boss, clerk.pin, pin",
        ("", host),
    )
    assert set(focus.values()) == {"[redacted]"}


def test_a_symbol_that_spells_a_secret_is_not_sent(run_agent):
    members, host = sensing(my_word="swordfish", her_words=["swordfish"])
    focus, _ = told(
        run_agent,
        "my.word",
        'FOREACH w IN her.words { SET copy = w REASON "t" { USING { copy } } }',
        "her.words",
        (members, host),
    )
    assert focus == {"her.words": '["[redacted]"]'}


def test_overlapping_secrets_are_taken_out_in_the_same_order_whatever_the_hash_seed():
    texts = {"abcd", "cdab", "dabc", "bcda", "abcdef"}
    orders = [Redactor((), secrets=dict.fromkeys(order)) for order in permutations(sorted(texts))]  # type: ignore[arg-type]
    assert {redactor.scrub("1 abcdab 2 abcdef") for redactor in orders} == {"1 [redacted]ab 2 [redacted]"}


def test_a_protected_number_is_kept_back_in_texts_and_in_what_tools_return(run_agent):
    members, host = sensing(my_pin=123456789, my_note="pin 123456789 of Ada", my_sum=123456790)
    host.tools["look"] = lambda k: {"r": k, "f": float(k)}
    tool = "TOOL look { INPUT { k: Any } OUTPUT { r: Any f: Any } }"
    using = "my.note, look.r, r, f, result, my.sum"
    focus, machine = told(run_agent, "my.pin", "look(k = my.pin)", using, (f"{members} {tool}", host))
    assert focus == {
        "my.note": "pin [redacted] of Ada",
        **dict.fromkeys(("look.r", "r", "f", "result"), "[redacted]"),
        "my.sum": "123456790",
    }
    assert "123456789" not in machine.trace.render()
    assert "look(k=" in machine.trace.render()


def test_an_argument_made_of_a_secret_is_masked_in_the_trace_however_short_it_is(run_agent):
    members, host = sensing(my_pin=77, my_name="Ada")
    host.tools["look"] = lambda k, n: {}
    tool = "TOOL look { INPUT { k: Any n: Any } }"
    statements = "look(k = my.pin * 2, n = my.name) look(k = 155, n = my.name)"
    _, machine = told(run_agent, "my.pin", statements, "my.name", (f"{members} {tool}", host))
    called = [machine.trace.text(event) for event in machine.trace.events if event.code == "tool.called"]
    assert called[0].startswith('look(k="[redacted]", n="Ada")')
    assert called[1].startswith('look(k=155, n="Ada")')
    shown = [machine.trace.masked(event.arguments, event.hidden) for event in machine.trace.events]
    assert "154" not in repr(shown)


def test_a_tool_hands_no_secret_of_an_earlier_call_on_to_a_model(run_agent):
    members, host = sensing(my_name="Ada")
    members = f"{members} OBSERVE {{ my.pin }} TOOL look {{ INPUT {{ k: Any }} OUTPUT {{ r: Any ok: Any }} }}"
    host.sensors["my.pin"] = iter(["1111-1111", "2222-2222"]).__next__
    host.tools["look"] = lambda k: {"r": f"file of {k}", "ok": True}
    model = Listener()
    run_agent(
        f"""{members} POLICY {{ NEVER SEND my.pin }}
        PLAN p WHEN 1 == 1 {{ REASON "t" {{ USING {{ look.r r look.ok result }} }} look(k = my.pin) }}""",
        host,
        model,
        ticks=2,
    )
    hidden = dict.fromkeys(("look.r", "r", "result"), "[redacted]")
    assert model.heard["focus"] == {**hidden, "look.ok": "true"}


def test_a_sub_agent_hands_no_secret_back_in_the_clear(run_agent):
    members, host = sensing(my_pin=77)
    host.subagents["helper"] = lambda given: {"same": given["my.pin"], "other": 5}
    using = "helper.same, helper.other"
    statements = "DELEGATE helper { INPUT { my.pin } EXPECT { same other } }"
    focus, _ = told(run_agent, "my.pin", statements, using, (members, host))
    assert focus == {"helper.same": "[redacted]", "helper.other": "5"}


def test_short_secrets_are_masked_where_they_override_a_name_and_where_they_are_kept(run_agent):
    members, host = sensing(my_pin=77, my_ill=True)
    host.tools["look"] = lambda k: {}
    world = f"""{members} BELIEF {{ k = 5 }} TOOL look {{ INPUT {{ k: Any }} }}
        MEMORY {{ LONG_TERM {{ r }} WRITE {{ STORE {{ my.pin my.ill }} INTO LONG_TERM.r }} }}"""
    _, machine = told(run_agent, "my.pin, my.ill", "look(k = my.pin)", "k", (world, host))
    lines = machine.trace.render()
    assert 'the argument k = "[redacted]" stands for "[redacted]"' in lines
    assert 'LONG_TERM.r gets {my.pin: "[redacted]", my.ill: "[redacted]"}' in lines
    assert "77" not in lines


def test_what_holds_a_secret_beside_another_copy_of_it_shows_neither(run_agent):
    secret = "TOKENSECRET9"  # noqa: S105
    held = {
        "token": secret,
        "before": f"it was {secret}",
        secret: 1,
        "deep": [{"more": secret}],
        "user": "Ada",
    }
    focus, machine = told(run_agent, "my.c.token", "SET n = 1", "my.c", sensing(my_c=held))
    assert secret not in str(focus)
    assert "Ada" in focus["my.c"]
    assert machine.metrics["redactions"] == 1


def test_a_secret_in_the_elements_of_a_list_is_taken_out_of_other_values(run_agent):
    world = sensing(my_list=[{"tok": "LISTSECRET5", "n": 1}], my_note="it is LISTSECRET5", my_n=5)
    focus, _ = told(run_agent, "my.list.tok", "SET n = 1", "my.note, my.n", world)
    assert focus == {"my.note": "it is [redacted]", "my.n": "5"}
