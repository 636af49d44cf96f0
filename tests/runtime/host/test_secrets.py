"""host.secret: the run knows the name, only the host the value (durability.md §5 "Secrets")."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest

from agentl import Host, HostError, MockLLM, Symbol, parse_source
from agentl.cli import run
from agentl.codec import decode, encode, round_trip
from agentl.drivers.driving import drive
from agentl.drivers.live import LiveDriver
from agentl.durable import DurableRun, FileStore, read_records
from agentl.interpreter.machine import Machine
from agentl.kernel import action_digest
from agentl.secret import Secret
from agentl.values import Datetime, Untrusted, show, text_of

VALUE = "sk-0815-canary"
PROGRAM = """AGENT a {
  OBSERVE { bank.token  bank.note }
  TOOL pay { INPUT { token: String amount: Number } OUTPUT { receipt: String } }
  POLICY { DEFAULT ALLOW REQUIRE APPROVAL FOR pay WHEN action.origin == plan }
  PLAN p WHEN 1 == 1 {
    REASON "how much" { PRODUCE { mood: Symbol } }
    pay(token = bank.token, amount = 5)
    DELEGATE courier { INPUT { bank.token } EXPECT { place } }
    pay(token = bank.token, amount = 6)
    ROLLBACK
  }
  LOOP MAX 1 { OBSERVE UPDATE_BELIEFS SELECT_PLAN EXECUTE }
}"""


@pytest.fixture(autouse=True)
def _value(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("BANK_TOKEN", VALUE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def careless() -> tuple[Host, list, list]:
    """Return a host that says the value wherever it can, what it is given, and what people and sinks hear."""
    host, given, heard = Host(), [], []
    token = host.secret("BANK_TOKEN")
    host.sensors["bank.token"] = lambda: token
    host.sensors["bank.note"] = lambda: {
        f"key {VALUE}": [f"the token is {VALUE}!", Symbol(VALUE), VALUE.encode()]
    }
    host.approver = lambda request: heard.append(request.render()) or True
    host.trace_sink = lambda event: heard.append((event.text, event.detail))

    @host.tool("pay")
    def pay(token: str, amount: float) -> dict:
        given.append(token)
        host.emit("paid", by=VALUE)
        if amount == 6:
            raise type(f"No{VALUE}", (ValueError,), {})(f"401 for {token}")
        return {"receipt": f"by {token}"}

    host.subagents["courier"] = lambda payload: given.append(payload["bank.token"]) or {"place": VALUE}
    host.compensation("pay")(lambda arguments, result: given.append(arguments["token"]) or VALUE)
    return host, given, heard


class Curious(MockLLM):
    """Keeps what it is told, and says what it should not know."""

    seen: list

    def reason(self, task: str, context: dict, schema: dict) -> dict:
        self.seen = [context]
        return {"mood": f"mood {VALUE}"}


def test_the_host_is_given_the_value_and_nothing_else_ever_holds_it(tmp_path) -> None:
    host, given, heard = careless()
    model, store = Curious(), FileStore(tmp_path / "run")
    run = DurableRun(parse_source(PROGRAM), host, model, store=store, run_id="run1")
    machine = run.run()
    assert given == [VALUE] * 4
    kept = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert VALUE.encode() not in kept
    assert b'{"$secret":"BANK_TOKEN"}' in kept
    assert VALUE not in run.trace_text() + repr(heard) + repr(model.seen) + repr(machine.state.encoded())
    assert "<secret BANK_TOKEN>" in run.trace_text()
    assert "401 for <secret BANK_TOKEN>" in run.trace_text()
    assert heard.count("pay(token=<secret BANK_TOKEN>, amount=5)") == 1


def test_a_secret_that_does_not_open_ends_the_run_before_anything_happens(tmp_path, monkeypatch) -> None:
    host, given, _ = careless()
    host.vault._opened.clear()
    monkeypatch.delenv("BANK_TOKEN")
    with pytest.raises(HostError, match="R306") as refused:
        DurableRun(parse_source(PROGRAM), host, store=FileStore(tmp_path / "run")).run()
    assert str(refused.value.action) == "set the environment variable BANK_TOKEN, then run again"
    assert given == []
    assert [record.kind for record in read_records(tmp_path / "run")].count("intent") == 0
    monkeypatch.setenv("BANK_TOKEN", VALUE)
    DurableRun(parse_source(PROGRAM), host, store=FileStore(tmp_path / "run")).run()
    assert given == [VALUE] * 4


@pytest.mark.parametrize("opened", [lambda: None, lambda: "", lambda: 5, lambda: 1 / 0])
def test_what_opens_to_no_text_is_refused_where_it_is_named(opened) -> None:
    with pytest.raises(HostError, match="R306"):
        Host().secret("KEY", opened)


def test_a_function_may_open_a_secret_and_is_asked_once() -> None:
    host, asked = Host(), []
    secret = host.secret("KEY", lambda: asked.append(1) or "value")
    assert host.vault.open({"a": [secret, (secret,)], "b": 1}) == {"a": ["value", ("value",)], "b": 1}
    assert asked == [1]


def test_a_secret_is_a_value_of_its_own() -> None:
    secret = Secret("KEY")
    assert (encode(secret), decode({"$secret": "KEY"}), round_trip([secret])) == (
        {"$secret": "KEY"},
        secret,
        [secret],
    )
    assert show(secret) == text_of(secret) == "<secret KEY>"
    assert action_digest("invoke", "t", {"a": secret}) != action_digest("invoke", "t", {"a": Secret("OTHER")})
    assert action_digest("invoke", "t", {"a": secret}) != action_digest("invoke", "t", {"a": "<secret KEY>"})


def test_the_longest_secret_is_replaced_first() -> None:
    host = Host()
    host.secret("SHORT", lambda: "abc")
    host.secret("LONG", lambda: "abcdef")
    assert host.vault.conceal("abcdef abc") == "<secret LONG> <secret SHORT>"


def test_secrets_are_opened_and_concealed_inside_every_kind_of_value() -> None:
    host = Host()
    secret = host.secret("KEY", lambda: "abc")
    marked = Untrusted({"a": [secret], "b": (secret, 1)})
    assert host.vault.open(marked) == Untrusted({"a": ["abc"], "b": ("abc", 1)})
    said = Untrusted([Datetime("2026-01-01"), b"abc", Symbol("abc"), {"abc": 1.5}, None])
    hidden = "<secret KEY>"
    assert host.vault.conceal(said) == Untrusted(
        [Datetime("2026-01-01"), hidden.encode(), Symbol(hidden), {hidden: 1.5}, None]
    )


PEM = "-----BEGIN\nSUPERSECRETKEY\n-----END"
ODD = "pa\"ss\\wörd's &x"
WIDE = 'pa/ss w+örd <&> "é" rd'
URLS = (quote(WIDE), quote(WIDE, safe=""), quote_plus(WIDE))
TOLD = [
    (PEM, f"bad key {PEM!r}"),
    (PEM, "line 2: SUPERSECRETKEY is odd"),
    (PEM, json.dumps({"key": PEM})),
    (ODD, f"bad {ODD!r}"),
    (ODD, repr({"a'b": ODD})),
    (ODD, json.dumps(ODD)),
    (ODD, json.dumps(ODD, ensure_ascii=False)),
    (ODD, f"https://bank/?key={quote(ODD)}"),
    (ODD, ODD.encode()),
    (ODD, ODD.encode("latin-1")),
    *((WIDE, f"https://bank/?key={form}") for form in URLS),
    *((WIDE, f"https://bank/?key={re.sub('%..', lambda found: found[0].lower(), form)}") for form in URLS),
    (WIDE, json.dumps(WIDE).replace("/", "\\/")),
    (WIDE, json.dumps({"body": json.dumps({"key": WIDE})})),
    (WIDE, json.dumps({"body": json.dumps({"key": WIDE}, ensure_ascii=False)}, ensure_ascii=False)),
    (WIDE, repr(WIDE.encode())),
    (WIDE, repr(b"it's \"" + WIDE.encode())),
    (ODD, repr(ODD.encode())),
    (WIDE, html.escape(WIDE)),
    (WIDE, html.escape(WIDE, quote=False)),
    ("98765432", -98765432),
    ("98765432", -98765432.0),
    ("-98765432", 98765432),
    ("98765432", 98765432),
    ("98765432", 98765432.0),
    ("0098765432", [98765432]),
    ("0098765432", "pin=98765432"),
]


@pytest.mark.parametrize(("value", "said"), TOLD)
def test_a_secret_is_found_in_every_form_it_may_be_told_in(value: str, said: object) -> None:
    host = Host()
    host.secret("KEY", lambda: value)
    told = repr(host.vault.conceal(said))
    assert "<secret KEY>" in told
    assert not any(part in told for part in ("SUPERSECRET", "pa", "rd", "98765432"))


def test_a_secret_of_half_a_character_is_concealed_as_any_other() -> None:
    host = Host()
    host.secret("KEY", lambda: "pass\ud800word")
    assert host.vault.conceal(["a pass\ud800word", json.dumps("pass\ud800word")]) == [
        "a <secret KEY>",
        '"<secret KEY>"',
    ]


@pytest.mark.parametrize("said", [1, 12, True, None, 98765433, "BEGIN", ["98", 765432]])
def test_what_only_resembles_a_secret_is_left_alone(said: object) -> None:
    host = Host()
    for name, value in (("A", "12"), ("B", "98765432"), ("C", PEM)):
        host.secret(name, lambda value=value: value)
    assert host.vault.conceal(said) == said


def test_a_secret_that_names_an_event_is_not_in_the_inbox(tmp_path) -> None:
    host = Host()
    host.secret("BANK_TOKEN")
    host.emit(VALUE, x=VALUE)
    host.emit("ev", x="1")
    program = parse_source("AGENT a { EVENT ev { SET x = 1 } LOOP MAX 1 { SELECT_PLAN } }")
    DurableRun(program, host, store=FileStore(tmp_path / "run")).run()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert b"secret BANK_TOKEN" in kept
    assert VALUE.encode() not in kept


SCRIPT = """from agentl import Host
import sys
def build():
    host = Host()
    key = host.secret("BANK_TOKEN")
    {build}
    host.sensors["key"] = lambda: key
    @host.tool("use")
    def use(k): sys.exit("cannot log in with " + k)
    return host
"""
ENDING = "AGENT a { OBSERVE { key } TOOL use { INPUT { k: Any } } PLAN p WHEN 1 == 1 { use(k = key) } }"


@pytest.mark.parametrize(
    ("build", "code"), [("", "H105"), (f"raise ValueError('cannot use {VALUE}')", "H102")]
)
def test_what_ends_a_run_does_not_tell_a_secret(tmp_path, capsys, build: str, code: str) -> None:
    (tmp_path / "a.agent").write_text(ENDING)
    (tmp_path / "a.py").write_text(SCRIPT.replace("{build}", build))
    assert run(["run", str(tmp_path / "a.agent")]) != 0
    output = "".join(capsys.readouterr())
    assert code in output
    assert "<secret BANK_TOKEN>" in output
    assert VALUE not in output


# ------------------------------------------------------------------------------------------------ redact

CARD = "4111111111111111"
CARD_PROGRAM = """AGENT a {
  OBSERVE { shop.card  shop.note }
  EVENT paid { SET last = payload.card }
  TOOL pay { INPUT { card: Any } OUTPUT { receipt: String } }
  POLICY { DEFAULT ALLOW REQUIRE APPROVAL FOR pay WHEN action.origin == plan }
  PLAN p WHEN 1 == 1 {
    REASON "how much" { PRODUCE { mood: Symbol } }
    ASK clerk "Which?"
    pay(card = shop.note)
    pay(card = shop.card)
  }
  LOOP MAX 2 { OBSERVE UPDATE_BELIEFS SELECT_PLAN EXECUTE }
}"""


def shop() -> tuple[Host, list, list]:
    """Return a host that says a card number wherever it can, what it is given, and what others hear."""
    host, given, heard = Host(), [], []
    host.redact(r"\b\d{13,19}\b")
    host.sensors["shop.card"] = lambda: int(CARD)
    host.sensors["shop.note"] = lambda: {f"card {CARD}": [CARD, Symbol(CARD), CARD.encode(), float(CARD)]}
    host.asker = lambda question, reason: f"that of {CARD}"
    host.approver = lambda request: heard.append(request.render()) or True
    host.trace_sink = lambda event: heard.append((event.text, event.detail))

    @host.tool("pay")
    def pay(card: object) -> dict:
        given.append(card)
        host.emit("paid", card=CARD)
        if card == "[redacted]":
            raise LookupError(f"no money on {CARD}")
        return {"receipt": f"by {CARD}"}

    return host, given, heard


class Clerk(Curious):
    def reason(self, task: str, context: dict, schema: dict) -> dict:
        self.seen = [context]
        return {"mood": CARD}


def test_what_a_pattern_matches_is_kept_by_nobody_and_the_journal_says_what_the_program_saw(tmp_path) -> None:
    host, given, heard = shop()
    model, place = Clerk(), tmp_path / "run"
    run = DurableRun(parse_source(CARD_PROGRAM), host, model, store=FileStore(place), run_id="run1")
    machine = run.run()
    kept = b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())
    assert CARD.encode() not in kept
    assert CARD not in run.trace_text() + repr(heard) + repr(model.seen) + repr(machine.state.encoded())
    assert given[:2] == [
        {"card [redacted]": ["[redacted]", Symbol("[redacted]"), b"[redacted]", "[redacted]"]},
        "[redacted]",
    ]
    assert "no money on [redacted]" in run.trace_text()
    assert machine.state.get("last") == "[redacted]"
    again = DurableRun(parse_source(CARD_PROGRAM), Host(), store=FileStore(place))
    again.run()
    assert again.trace_text() == run.trace_text()


def test_what_a_live_run_keeps_is_what_a_durable_run_keeps(tmp_path) -> None:
    live = run_live(parse_source(CARD_PROGRAM), shop()[0], Clerk())
    durable = DurableRun(
        parse_source(CARD_PROGRAM), shop()[0], Clerk(), store=FileStore(tmp_path), run_id="r"
    )
    assert live == durable.run().state.encoded()


def run_live(program, host: Host, model: MockLLM):
    machine = Machine(program, program.agents[0], run_id="r")
    with LiveDriver(host, model) as driver:
        drive(machine, driver)
    return machine.state.encoded()


@pytest.mark.parametrize("pattern", ["x*", "", "(", 5, None, b"x", "^"])
def test_a_pattern_that_is_none_or_matches_an_empty_text_is_refused(pattern: object) -> None:
    with pytest.raises(HostError, match=r"H104: host\.redact cannot use"):
        Host().redact(pattern)


def test_what_is_redacted_already_is_not_redacted_again() -> None:
    host = Host()
    host.redact(re.compile("[a-z]+", re.IGNORECASE))
    once = host.vault.conceal({"Key": "ab 12 cd", "n": [12, 1.5, True, None, Datetime("2026-01-01")]})
    assert once == {"[redacted]": [12, 1.5, True, None, Datetime("2026-01-01")]}
    assert host.vault.conceal("ab 12 cd") == "[redacted] 12 [redacted]"
    assert host.vault.conceal(host.vault.conceal("ab 12 cd")) == "[redacted] 12 [redacted]"


def test_a_secret_keeps_its_name_beside_patterns_and_an_error_of_the_script_is_redacted(tmp_path, capsys):
    host = Host()
    host.secret("KEY", lambda: "4111-key")
    host.redact(r"\d{4}")
    assert host.vault.conceal("4111-key 2222") == "<secret KEY> [redacted]"
    (tmp_path / "a.agent").write_text("AGENT a { }")
    (tmp_path / "a.py").write_text(
        f"from agentl import Host\nhost = Host()\nhost.redact('[0-9]{{16}}')\nraise ValueError('{CARD}')\n"
    )
    assert run(["run", str(tmp_path / "a.agent")]) == 2
    output = "".join(capsys.readouterr())
    assert "H102" in output
    assert CARD not in output
