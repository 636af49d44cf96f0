"""The sample programs do the same under any hash seed, locale, zone, directory and Python."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentl.interpreter.support import unsupported
from agentl.programs import parse_file

ROOT = Path(__file__).parents[2]
DERIVE = Path(__file__).with_name("derive.py")
SERVER = Path(__file__).with_name("samples_server.py")
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.agent"))
PURE = ("lark", "tenacity")
"""What the runtime needs beside itself where no package is installed."""
ELSEWHERE = "another hash seed, locale, time zone, directory, Python"
SETTINGS = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "fr_FR.UTF-8", "TZ": "Asia/Tokyo", "AGENTL_LANG": "fr"},
)


def load_interpreters():
    spec = importlib.util.spec_from_file_location(
        "agentl_test_interpreters", Path(__file__).with_name("interpreters.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pure(tmp_path: Path) -> Path:
    """A directory with the packages of PURE, and nothing that was compiled for one Python."""
    room = tmp_path / "pure"
    room.mkdir()
    for name in PURE:
        (room / name).symlink_to(Path(importlib.util.find_spec(name).origin).parent)
    return room


def derive(python: str, pure: Path, directory: Path, settings: dict[str, str]) -> dict[str, dict[str, str]]:
    """Run all programs in a process of their own, started in `directory`."""
    directory.mkdir()
    path = os.pathsep.join(map(str, (pure, ROOT / "grammar", ROOT / "runtime")))
    done = subprocess.run(
        [python, "-S", str(DERIVE), str(directory), *map(str, PROGRAMS)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=directory,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **settings},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def usual(pure: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    """What the programs do here and now."""
    told = derive(sys.executable, pure, tmp_path / "usual", {})
    assert list(told) == [path.stem for path in PROGRAMS]
    assert [name for name, one in told.items() if "ERROR" in one["trace"]] == []
    return told


def test_no_sample_uses_what_is_not_executed() -> None:
    assert {path.stem: unsupported(parse_file(path)) for path in PROGRAMS} == {
        path.stem: () for path in PROGRAMS
    }


def test_another_hash_seed_locale_zone_and_directory_change_nothing(
    pure, usual, tmp_path: Path, proof
) -> None:
    for number, settings in enumerate(SETTINGS):
        assert derive(sys.executable, pure, tmp_path / f"elsewhere-{number}", settings) == usual
    proof(ELSEWHERE, ["same"] * len(SETTINGS) * len(usual), "samples")


def test_every_python_at_hand_derives_the_same(pure, usual, tmp_path: Path, proof) -> None:
    pythons = load_interpreters().found()
    assert pythons
    for number, (python, version) in enumerate(pythons.items()):
        told = derive(python, pure, tmp_path / f"python-{number}", {"PYTHONHASHSEED": str(number)})
        assert told == usual, version
    proof(ELSEWHERE, ["same"] * len(pythons) * len(usual), "pythons")


def attempts(room: Path, settings: dict[str, str], fault: dict[str, int] | None) -> list[int]:
    """Start or resume the durable run of every program, in a process under `settings`; return exit codes."""
    elsewhere = room / settings["TZ"].replace("/", "-")
    elsewhere.mkdir()
    specs = [
        {
            "program": path.stem,
            "run": str(room / path.stem / "run"),
            "witness": str(room / path.stem / "witness.sqlite"),
            "output": str(room / path.stem / "told.json"),
            "promise": "idempotent",
            "fault": fault,
        }
        for path in PROGRAMS
    ]
    done = subprocess.run(
        [sys.executable, str(SERVER)],
        input="".join(json.dumps(spec) + "\n" for spec in specs),
        capture_output=True,
        text=True,
        check=True,
        cwd=elsewhere,
        env={"PATH": os.environ["PATH"], "XDG_STATE_HOME": str(elsewhere), **settings},
    )
    return [int(line) for line in done.stdout.splitlines()]


def test_a_run_killed_here_and_resumed_elsewhere_has_the_usual_trace(usual, tmp_path: Path, proof) -> None:
    for name in usual:
        (tmp_path / "before" / name).mkdir(parents=True)
    assert attempts(tmp_path / "before", SETTINGS[0], {"effect": 1}) == [-9] * len(usual)
    shutil.move(tmp_path / "before", tmp_path / "after")
    assert attempts(tmp_path / "after", SETTINGS[1], None) == [0] * len(usual)
    told = {name: json.loads((tmp_path / "after" / name / "told.json").read_text()) for name in usual}
    assert {name: one["trace"] for name, one in told.items()} == {
        name: one["trace"] for name, one in usual.items()
    }
    proof(ELSEWHERE, ["same"] * len(usual), "samples, resumed")
