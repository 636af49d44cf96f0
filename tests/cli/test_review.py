"""`agentl review`."""

import json

import pytest

CLEAN = """AGENT clean {
  OBSERVE { queue.pending }
  TOOL pay { INPUT { amount: Number } OUTPUT { entry: Number } SIDE_EFFECT { ledger } RISK HIGH }
  POLICY {
    NEVER pay WHEN tools.pay.in_doubt == true
    REQUIRE APPROVAL FOR pay WHEN run.resumed == true
    NEVER SEND queue.account
  }
  PLAN p WHEN queue.pending > 0 {
    pay(amount = 3)
    VERIFY { queue.pending == 0 ON FAIL { ASK clerk { QUESTION "Now?" DEFAULT no } } }
    DELEGATE auditor { TASK "look" }
  }
  LOOP MAX 3 { OBSERVE SELECT_PLAN EXECUTE }
}
"""
CLEAN_HOST = """from agentl import NOT_EXECUTED, Host, current_action

host = Host()
host.sensors["queue.pending"] = lambda: queue.pending()
host.approver = lambda request: False


@host.tool("pay")
def pay(amount):
    return bank.pay(amount, current_action().idempotency_key)


@host.reconciler("pay")
def find(args, action):
    entry = bank.find(action.idempotency_key)
    return NOT_EXECUTED if entry is None else {"entry": entry}


@host.subagent("auditor")
def auditor(payload):
    return {}
"""
REPORT = """clean.agent + clean.py

Activities
  tool pay: reconcilable: an interrupted call is asked about
    clean.agent:3, clean.py:9
    acts on ledger
    risk HIGH
    NEVER pay WHEN tools.pay.in_doubt == true
    REQUIRE APPROVAL FOR pay WHEN run.resumed == true
  reconciler pay: tells after an interruption whether a call happened
    clean.agent:3, clean.py:14
  sub-agent auditor: no promise: an interrupted call is in doubt
    clean.agent:12, clean.py:20
    no rule is about it
  sensor queue.pending: read again after an interruption
    clean.agent:2, clean.py:4

Determinism
  as far as the host script shows, every decision is on what the journal knows

Store
  the host script makes none: the journal of a run is where --durable DIR says
  hidden where values are shown: queue.account

People
  clean.agent:6: REQUIRE APPROVAL FOR pay WHEN run.resumed == true
  clean.agent:11: ASK clerk { QUESTION "Now?" DEFAULT no }
  the host script answers by host.approver

After an interruption
  clean.agent:5: NEVER pay WHEN tools.pay.in_doubt == true
  clean.agent:6: REQUIRE APPROVAL FOR pay WHEN run.resumed == true

Findings
  none
"""
NAIVE = """AGENT naive {
  TOOL pay { INPUT { amount: Number } SIDE_EFFECT { ledger } }
}
"""
NAIVE_HOST = """import time
from agentl import Host
from agentl.durable import MemoryStore

host = Host()
store = MemoryStore()


@host.tool("pay")
def pay(amount):
    if time.time() > 5:
        bank.pay(amount)
    return {}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with programs and hosts in it."""
    texts = {"clean.agent": CLEAN, "clean.py": CLEAN_HOST, "naive.agent": NAIVE, "naive.py": NAIVE_HOST}
    texts |= {"broken.agent": "AGENT a { GOAL { x > } }\n", "alone.agent": NAIVE}
    texts |= {"unreadable.agent": NAIVE, "unreadable.py": "def build(:\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def agentl(in_process):
    return in_process


def test_report_has_what_a_reviewer_wants_to_see(agentl, folder):
    ended = agentl("review", "clean.agent")
    assert ended.stdout == REPORT
    assert ended.returncode == 0


def test_findings_have_excerpts_of_both_files_and_exit_1(agentl, folder):
    ended = agentl("review", "naive.agent")
    assert ended.returncode == 1
    assert "MemoryStore forgets everything when its process ends" in ended.stdout
    assert "  the function of pay decides by the wall clock" in ended.stdout
    found = ended.stdout.partition("Findings\n")[2]
    assert "naive.py:11:8: warning D208:" in found
    assert (
        "11 |     if time.time() > 5:\n   |        ^^^^^^^^^^^\nnaive.agent:2:8: note: declared here\n"
        in found
    )
    assert "naive.agent:2:8: warning D201:" in found
    assert "naive.agent:2:8: warning D210:" in found


def test_json_has_the_sections_and_the_problems_with_their_files(agentl, folder):
    ended = agentl("review", "--format", "json", "naive.agent", "clean.agent")
    naive, clean = json.loads(ended.stdout)["programs"]
    assert [(problem["code"], problem["path"]) for problem in naive["problems"]] == [
        ("D201", "naive.agent"),
        ("D208", "naive.py"),
        ("D210", "naive.agent"),
    ]
    assert naive["determinism"] == ["D208"]
    assert naive["store"]["made"] == ["MemoryStore"]
    assert clean["problems"] == []
    pay = clean["activities"][0]
    assert (pay["promise"], pay["risk"], pay["effects"], len(pay["rules"])) == (
        "reconcilable",
        "HIGH",
        ["ledger"],
        2,
    )
    assert [wait["kind"] for wait in clean["waits"]] == ["approval", "question"]
    assert clean["host"] == {"path": "clean.py", "complete": True, "error": None, "answers": ["approver"]}


def test_sarif_has_the_place_in_the_host_script(agentl, folder):
    ended = agentl("review", "--format", "sarif", "naive.agent")
    results = json.loads(ended.stdout)["runs"][0]["results"]
    places = {each["ruleId"]: each["locations"][0]["physicalLocation"] for each in results}
    assert places["D208"]["artifactLocation"] == {"uri": "naive.py"}
    assert places["D208"]["region"]["startLine"] == 11
    assert places["D210"]["artifactLocation"] == {"uri": "naive.agent"}


def test_hints_alone_are_clean(agentl, folder):
    (folder / "naive.py").write_text("from bank import host\n")
    (folder / "agentl.toml").write_text('ignore = ["D210"]\n')
    ended = agentl("review", "naive.agent")
    assert "hint D201: whether pay may end in doubt cannot be told" in ended.stdout
    assert "not all that the host script registers can be read without running it" in ended.stdout
    assert ended.returncode == 0


def test_settings_choose_codes_and_severities(agentl, folder):
    (folder / "agentl.toml").write_text('ignore = ["D208"]\nseverity = { D201 = "hint", D210 = "hint" }\n')
    ended = agentl("review", "naive.agent")
    assert ended.returncode == 0
    assert "hint D201" in ended.stdout
    assert "D208" not in ended.stdout


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
@pytest.mark.parametrize(("settings", "code"), [(b"\xff", "U105"), (b'ignor = ["D208"]', "U112")])
def test_settings_that_cannot_be_used_are_told_once_and_exit_2(agentl, folder, settings, code, form):
    (folder / "agentl.toml").write_bytes(settings)
    ended = agentl("review", "clean.agent", "naive.agent", "--format", form)
    assert ended.returncode == 2
    assert "agentl.toml" in ended.stdout
    shown = {"text": f"error {code}", "json": f'"code": "{code}"', "sarif": f'"ruleId": "{code}"'}
    assert ended.stdout.count(shown[form]) == 1


def test_mistake_in_the_settings_hides_no_report(agentl, folder):
    (folder / "agentl.toml").write_text('ignor = ["D208"]')
    ended = agentl("review", "clean.agent")
    assert (ended.returncode, REPORT.strip() in ended.stdout) == (2, True)


def test_program_that_cannot_be_read_hides_no_report(agentl, folder):
    (folder / "bytes.agent").write_bytes(b"\xff")
    ended = agentl("review", "bytes.agent", "clean.agent")
    assert (ended.returncode, "error U105" in ended.stdout, REPORT.strip() in ended.stdout) == (2, True, True)


@pytest.mark.parametrize("program", ["broken.agent", "unreadable.agent"])
def test_what_cannot_be_read_exits_2_and_the_others_are_still_told(agentl, folder, program):
    ended = agentl("review", program, "clean.agent")
    assert ended.returncode == 2
    assert REPORT.strip() in ended.stdout
    assert "S101" in ended.stdout or "its host script cannot be read (line 1: invalid syntax)" in ended.stdout


def test_program_without_a_host_script_is_reviewed_and_that_is_said(agentl, folder):
    ended = agentl("review", "alone.agent")
    assert ended.stderr == "there is no host script alone.py\n"
    assert "only running the host script would tell what it promises" in ended.stdout


def test_folder_is_reviewed_and_a_format_that_is_not_there_is_refused(agentl, folder):
    assert "naive.agent + naive.py" in agentl("review", ".").stdout
    ended = agentl("review", "--format", "github", ".")
    assert ended.returncode == 2
    assert "the formats are text, json, sarif" in ended.stderr


def test_report_speaks_french(agentl, folder):
    ended = agentl("--lang", "fr", "review", "clean.agent")
    assert "Activités\n  outil pay : réconciliable" in ended.stdout


def test_nothing_of_the_script_is_run(agentl, folder):
    (folder / "naive.py").write_text(f"open({str(folder / 'mark')!r}, 'w')\n{NAIVE_HOST}")
    agentl("review", "naive.agent")
    assert not (folder / "mark").exists()
