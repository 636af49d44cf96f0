"""What an installed wheel holds, and that it works away from its tree."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("grammar", "runtime", "server", "docs", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
MADE = ("tables.json", "*.mo", "__pycache__")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a fresh copy of the tree, unpacked as pip would."""
    room = tmp_path_factory.mktemp("wheel")
    tree = room / "tree"
    tree.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns(*MADE))
        else:
            shutil.copy(ROOT / name, tree)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(room)],
        cwd=tree,
        check=True,
        capture_output=True,
    )
    (wheel,) = room.glob("agentl-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(room / "site")
    shutil.rmtree(tree)
    return room / "site"


def agentl(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentl", *words],
        cwd=installed,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_wheel_ships_tables_catalogues_pages_and_type_markers(installed: Path):
    for name in (
        "agentl_grammar/tables.json",
        "agentl_grammar/agent.lark",
        "agentl/locale/fr/LC_MESSAGES/agentl.mo",
        "agentl/codes/R304.md",
        "agentl/py.typed",
        "agentl_grammar/py.typed",
        "agentl_server/py.typed",
    ):
        assert (installed / name).is_file(), name


def test_the_wheel_ships_every_page_of_the_tree(installed: Path):
    assert {path.name for path in (installed / "agentl" / "codes").iterdir()} == {
        path.name for path in (ROOT / "docs" / "codes").iterdir()
    }


def test_the_wheel_holds_nothing_but_the_three_packages(installed: Path):
    assert {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")} == {
        "agentl",
        "agentl_grammar",
        "agentl_server",
    }


def test_an_installed_agentl_explains_codes_and_speaks_french(installed: Path):
    assert agentl(installed, "explain", "R304").stdout.startswith("# R304: ")
    assert agentl(installed, "run", "no.agent", "--lang", "fr").stderr.startswith(
        "erreur U102: no.agent n'existe pas"
    )


def test_an_installed_agentl_runs_an_example(installed: Path):
    done = agentl(installed, "run", str(ROOT / "docs" / "examples" / "thermostat.agent"))
    assert done.returncode == 0, done.stderr
    assert "TOOL        heat(power=80)" in done.stdout
