"""`agentl check`."""

import json

import pytest

GOOD = "AGENT a {\n  GOAL { x.y == 1 }\n  OBSERVE { x.y }\n}\n"
WARNED = """AGENT a {
  OBSERVE { x.y }
  GOAL { x.y == 1 AND flag }
  TOOL pay { RISK HIGH }
  POLICY { DEFAULT ALLOW }
}
"""
WRONG = "AGENT a {\n  GOAL { x.y == 1 }\n  TOOL pay { }\n  PLAN p WHEN x.y > 1 { pya() }\n}\n"
BROKEN = "AGENT a {\n  GOAL { x > }\n}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with four programs in it."""
    for name, text in (("good", GOOD), ("warned", WARNED), ("wrong", WRONG), ("broken", BROKEN)):
        (tmp_path / f"{name}.agent").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def agentl(in_process):
    return in_process


def test_a_program_without_problems_is_passed_over_in_silence(agentl, folder):
    ended = agentl("check", folder / "good.agent")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "1 checked: 0 errors, 0 warnings, 0 hints\n"


def test_a_finding_has_its_place_an_excerpt_with_carets_and_the_next_step(agentl, folder):
    ended = agentl("check", "wrong.agent")
    assert ended.returncode == 1
    assert ended.stdout == (
        "wrong.agent:4:25: error E001: no tool pya is declared\n"
        "4 |   PLAN p WHEN x.y > 1 { pya() }\n"
        "  |                         ^^^\n"
        "help: did you mean pay?\n"
    )


def test_warnings_do_not_fail(agentl, folder):
    assert agentl("check", folder / "warned.agent").returncode == 0


def test_broken_syntax_exits_2_through_the_same_command(agentl, folder):
    ended = agentl("check", folder / "broken.agent")
    assert ended.returncode == 2
    assert "error S101" in ended.stdout


@pytest.mark.parametrize(
    ("name", "code"), [("none.agent", "U102"), ("bytes.agent", "U105"), ("good.agent/a.agent", "U103")]
)
def test_a_file_that_cannot_be_read_is_a_finding_and_hides_no_other(agentl, folder, name, code):
    (folder / "bytes.agent").write_bytes(b"\xff")
    ended = agentl("check", name, "wrong.agent")
    told = ended.stdout.splitlines()
    assert ended.returncode == 2
    assert told[0].startswith(f"{name}: error {code}: ")
    assert told[1].startswith("help: ")
    assert "wrong.agent:4:25: error E001: no tool pya is declared" in told


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_every_format_tells_a_file_that_cannot_be_read_and_the_rest(agentl, folder, form):
    (folder / "bytes.agent").write_bytes(b"\xff")
    ended = agentl("check", "bytes.agent", "wrong.agent", "--format", form)
    assert ended.returncode == 2
    assert all(each in ended.stdout for each in ("U105", "bytes.agent", "E001", "wrong.agent"))
    if form != "github":
        json.loads(ended.stdout)


def test_a_host_or_settings_that_cannot_be_read_are_told_once_beside_the_rest(agentl, folder):
    (folder / "good.py").write_bytes(b"\xff")
    ended = agentl("check", "good.agent", "wrong.agent")
    assert ("good.py: error U105" in ended.stdout, "E001" in ended.stdout) == (True, True)
    (folder / "agentl.toml").write_bytes(b"\xff")
    ended = agentl("check", "good.agent", "wrong.agent")
    assert (ended.returncode, ended.stdout.count("error U105")) == (2, 1)


@pytest.mark.parametrize(
    "words", [["."], [], ["*.agent"], ["good.agent", "wrong.agent", "warned.agent", "broken.agent"]]
)
def test_folders_patterns_and_several_files_are_checked(agentl, folder, words):
    ended = agentl("check", *words)
    assert ended.stderr.startswith("4 checked: ")


def test_a_file_that_is_named_twice_is_checked_once(agentl, folder):
    ended = agentl("check", "good.agent", "good.agent")
    assert ended.stderr.startswith("1 checked: ")


def test_a_folder_without_programs_is_told(agentl, tmp_path):
    (tmp_path / "empty").mkdir()
    ended = agentl("check", tmp_path / "empty")
    assert (ended.returncode, "there is no program in" in ended.stderr) == (2, True)


def test_select_and_ignore_leave_warnings_out(agentl, folder):
    def codes(*words):
        ended = agentl("check", "warned.agent", "--format", "json", *words)
        return [problem["code"] for problem in json.loads(ended.stdout)["problems"]]

    assert codes() == ["W137", "W101"]
    assert codes("--select", "W101") == ["W101"]
    assert codes("--ignore", "W101,W137") == []


@pytest.mark.parametrize("words", [["--select", "W9"], ["--ignore", "X"], ["--format", "xml"]])
def test_an_option_that_cannot_be_is_refused(agentl, folder, words):
    ended = agentl("check", folder / "good.agent", *words)
    assert (ended.returncode, "U101" in ended.stderr) == (2, True)


def test_json_has_places_related_places_and_edits(agentl, folder):
    ended = agentl("check", "warned.agent", "--format", "json", "--select", "W101")
    (problem,) = json.loads(ended.stdout)["problems"]
    assert (problem["path"], problem["severity"], problem["start"]) == (
        "warned.agent",
        "warning",
        {"line": 4, "column": 8},
    )
    assert problem["fixes"][0]["edits"][0]["text"].strip() == "REQUIRE APPROVAL FOR pay"


def test_sarif_has_what_2_1_0_asks_for(agentl, folder):
    ended = agentl("check", "--format", "sarif")
    log = json.loads(ended.stdout)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "agentl"
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(".agent")
        region = place["region"]
        assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
        assert min(region.values()) >= 1
    fixes = [fix for result in run["results"] for fix in result.get("fixes", ())]
    replacement = fixes[0]["artifactChanges"][0]["replacements"][0]
    assert replacement["insertedContent"]["text"]
    assert replacement["deletedRegion"]["startLine"] >= 1


def test_sarif_of_nothing_is_a_log_without_results(agentl, folder):
    ended = agentl("check", folder / "good.agent", "--format", "sarif")
    assert json.loads(ended.stdout)["runs"][0]["results"] == []


def test_github_gets_one_annotation_a_finding_on_one_line(agentl, folder):
    ended = agentl("check", "wrong.agent", "--format", "github")
    assert ended.stdout == (
        "::error file=wrong.agent,line=4,endLine=4,col=25,endColumn=28,title=E001::"
        "no tool pya is declared%0Adid you mean pay?\n"
    )
    assert agentl("check", folder / "good.agent", "--format", "github").stdout == ""


def test_findings_are_told_in_french(agentl, folder):
    ended = agentl("--lang", "fr", "check", "wrong.agent")
    assert "erreur E001: aucun outil pya n'est déclaré" in ended.stdout
    assert "aide: vouliez-vous dire pay ?" in ended.stdout


def test_explain_prints_the_page_with_a_wrong_and_a_right_example(agentl):
    ended = agentl("check", "--explain", "W131")
    assert ended.returncode == 0
    assert ended.stdout.startswith("# W131: a guard on a mute sensor\n")
    assert ended.stdout.count("```agentl") == 2


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_a_byte_order_mark_moves_no_column_in_any_format(agentl, folder, form):
    text = "AGENT a { FOO }\n"
    told = []
    for before in ("", "\ufeff"):
        (folder / "broken.agent").write_text(before + text, encoding="utf-8")
        told.append(agentl("check", "--format", form, "broken.agent").stdout)
    assert told[0]
    assert told[1] == told[0]


def test_a_byte_order_mark_moves_no_column_where_a_run_is_refused(agentl, folder):
    (folder / "broken.agent").write_text("\ufeffAGENT a { FOO }\n", encoding="utf-8")
    assert "  at: broken.agent:1:11\n" in agentl("run", "broken.agent").stderr


def test_fix_applies_fixes_and_keeps_every_other_byte(agentl, folder):
    text = "\ufeff" + WRONG.replace("GOAL", "/* é\t */ GOAL").replace("\n", "\r\n")
    (folder / "wrong.agent").write_bytes(text.encode())
    (folder / "wrong.agent").chmod(0o640)
    ended = agentl("check", "--fix", folder / "wrong.agent")
    assert ended.returncode == 0
    assert "1 problems fixed" in ended.stderr
    assert (folder / "wrong.agent").read_bytes() == text.replace("pya", "pay").encode()
    assert (folder / "wrong.agent").stat().st_mode & 0o777 == 0o640


def test_fix_leaves_a_file_alone_when_there_is_nothing_to_fix(agentl, folder):
    before = (folder / "good.agent").stat()
    agentl("check", "--fix", folder / "good.agent")
    after = (folder / "good.agent").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_fix_applies_only_what_is_selected(agentl, folder):
    # W101 has a fix, W137 has none
    agentl("check", "--fix", "--select", "W137", folder / "warned.agent")
    assert (folder / "warned.agent").read_text() == WARNED
    agentl("check", "--fix", "--select", "W101", folder / "warned.agent")
    assert (folder / "warned.agent").read_text() != WARNED


def test_two_fixes_at_one_place_are_both_applied(agentl, tmp_path):
    file = tmp_path / "two.agent"
    file.write_text(
        "AGENT a {\n  TOOL s { RISK HIGH }\n  TOOL t { RISK HIGH }\n  POLICY { DEFAULT ALLOW }\n}\n"
    )
    agentl("check", "--fix", "--select", "W101", file)
    assert "FOR s" in file.read_text()
    assert "FOR t" in file.read_text()


def test_what_the_host_promises_is_read_and_not_run(agentl, tmp_path):
    (tmp_path / "a.agent").write_text(
        "AGENT a {\n  GOAL { x.y == 1 }\n  OBSERVE { x.y }\n  TOOL t { SIDE_EFFECT { x.y } }\n"
        "  PLAN p WHEN x.y > 1 { t() VERIFY { x.y == 0 ON FAIL { RETRY 1 ROLLBACK } } }\n}\n"
    )
    host = "from agentl import Host\nhost = Host()\n@host.tool('t')\ndef t(): ...\n"
    (tmp_path / "a.py").write_text(host + "raise SystemExit\n")
    codes = agentl("check", tmp_path / "a.agent").stdout
    assert ("W140" in codes, "W139" in codes) == (True, True)
    (tmp_path / "a.py").write_text(
        host.replace("'t'", "'t', idempotent=True")
        + "@host.compensation('t')\ndef u(): ...\nraise SystemExit\n"
    )
    codes = agentl("check", tmp_path / "a.agent").stdout
    assert ("W140" in codes, "W139" in codes) == (False, False)


def test_a_fact_of_the_runtime_that_is_set_is_told_as_well(agentl, tmp_path):
    (tmp_path / "a.agent").write_text("AGENT a { GOAL { x.y == 1 } BELIEF { tools.t.in_doubt = false } }")
    assert "E019" in agentl("check", tmp_path / "a.agent").stdout


def test_a_fact_of_the_runtime_that_an_outcome_predicts_is_told_and_another_path_is_not(agentl, tmp_path):
    program = "AGENT a { GOAL { x.y == 1 } TOOL t { OUTCOME ok WITH 1 { %s = true } } }"
    for path, told in (("tools.t.in_doubt", True), ("tools.t.known", False)):
        (tmp_path / "a.agent").write_text(program % path)
        assert ("E019" in agentl("check", tmp_path / "a.agent").stdout) == told


@pytest.mark.parametrize("durable", [[], ["--durable", "runs/1"]])
def test_run_refuses_a_program_with_errors_before_anything_runs(agentl, folder, durable):
    (folder / "wrong.py").write_text("open('ran', 'w').close()\nfrom agentl import Host\nhost = Host()\n")
    ended = agentl("run", "wrong.agent", *durable)
    assert ended.returncode == 1
    assert "error E001" in ended.stderr
    assert not (folder / "ran").exists()
    assert not (folder / "runs").exists()


def test_run_is_not_stopped_by_warnings(agentl, folder):
    (folder / "warned.py").write_text("from agentl import Host\nhost = Host()\n")
    assert agentl("run", "warned.agent", "--ticks", "1").returncode == 0


# ------------------------------------------------------------------------------------------------- settings


def checked(agentl, program, *words):
    ended = agentl("check", program, "--format", "json", *words)
    return ended.returncode, {p["code"]: p["severity"] for p in json.loads(ended.stdout)["problems"]}


@pytest.mark.parametrize(
    ("name", "head"), [("agentl.toml", ""), ("pyproject.toml", "[project]\nname = 'x'\n[tool.agentl]\n")]
)
def test_settings_choose_and_change_severities(agentl, folder, name, head):
    (folder / name).write_text(head + 'ignore = ["W137"]\nseverity = { W101 = "error" }\n')
    assert checked(agentl, "warned.agent") == (1, {"W101": "error"})


def test_the_command_line_selects_in_place_of_the_settings_and_ignores_more(agentl, folder):
    (folder / "agentl.toml").write_text('select = ["W101"]\n')
    assert checked(agentl, "warned.agent") == (0, {"W101": "warning"})
    assert checked(agentl, "warned.agent", "--select", "W137") == (0, {"W137": "hint"})
    (folder / "agentl.toml").write_text('ignore = ["W101"]\n')
    assert checked(agentl, "warned.agent", "--ignore", "W137") == (0, {})


def test_the_nearest_folder_with_settings_counts(agentl, folder):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "warned.agent").write_text(WARNED)
    (folder / "agentl.toml").write_text('ignore = ["W1"]\n')
    assert checked(agentl, "inner/warned.agent")[1] == {}
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert checked(agentl, "inner/warned.agent")[1] == {}
    (inner / "agentl.toml").write_text("")
    assert sorted(checked(agentl, "inner/warned.agent")[1]) == ["W101", "W137"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('ignore = ["W120"\n', "the settings are not TOML", 2),
        ('\nignor = ["W120"]\n', "there is no setting ignor", 2),
        ('ignore = ["W120",\n "Q7"]\n', "no code of the checks begins with Q7", 2),
        ('severity = { W120 = "loud" }\n', "severity does not fit", 1),
        ('severity = { E001 = "hint" }\n', "E001 has no severity that could be changed", 1),
        ('select = "W1"\n', "select does not fit", 1),
    ],
)
def test_a_mistake_in_the_settings_is_told_with_code_and_place(agentl, folder, text, message, line):
    (folder / "agentl.toml").write_text(text)
    ended = agentl("check", "good.agent", "--format", "json")
    (problem,) = json.loads(ended.stdout)["problems"]
    assert (ended.returncode, problem["code"], problem["start"]["line"]) == (2, "U112", line)
    assert problem["path"].endswith("agentl.toml")
    assert problem["message"].startswith(message)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("tool = 3\n", "tool is no table of settings", 1),
        ("\n[[tool]]\nx = 1\n", "tool is no table of settings", 2),
        ("[tool]\nagentl = 3\n", "agentl is no table of settings", 2),
        ("[tool]\nother = 3\n", None, 0),
    ],
)
def test_a_pyproject_whose_tools_are_no_table_is_told(agentl, folder, text, message, line):
    (folder / "pyproject.toml").write_text(text)
    ended = agentl("check", "good.agent", "--format", "json")
    problems = json.loads(ended.stdout)["problems"]
    told = [(each["code"], each["message"], each["start"]["line"]) for each in problems]
    assert told == ([("U112", message, line)] if message else [])
    assert ended.returncode == (2 if message else 0)
    assert "U901" not in agentl("review", "good.agent").stderr


def test_a_name_that_looks_like_a_scheme_is_no_scheme_in_sarif(agentl, folder):
    (folder / "a:b").mkdir()
    (folder / "a:b" / "x y.agent").write_text(WRONG)
    log = json.loads(agentl("check", "a:b", "--format", "sarif").stdout)
    result = log["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%3Ab/x%20y.agent"
