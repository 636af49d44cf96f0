"""A host whose functions, sensors and person say what has a label, and what labels a value has."""

from agentl import Host, MockLLM, Symbol, untrusted

ACT = "TOOL act { INPUT { p: Any } OUTPUT { ok: Any } EFFECT { door.state = p } }"
MODEL = MockLLM({"Guess": {"guess": 1}})


def labelled_host() -> Host:
    host = Host()
    host.tools["look"] = lambda: {"seen": 1, "also": untrusted("third party")}
    host.tools["act"] = lambda p: {"ok": p}
    host.sensors["room.temp"] = lambda: 20
    host.sensors["mail.text"] = lambda: untrusted("hello")
    host.sensors["mail.parts"] = lambda: {"head": "h", "body": untrusted("b")}
    host.asker = lambda question, reason: Symbol("yes")
    return host


def sources(machine, path: str) -> set[str]:
    return set(machine.state.label(path))
