"""What a small run does not load: its start is short (the numbers are in tests/bench)."""

import subprocess
import sys
from pathlib import Path

from agentl import parse_source
from agentl.durable import DurableRun, FileStore

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NOT_NEEDED = (
    "agentl.durable",
    "agentl.review",
    "agentl.scenarios",
    "agentl_server",
    "asyncio",
    "lsprotocol",
    "openai",
    "psycopg",
    "pydantic_ai",
    "pygls",
    "rich",
    "sqlite3",
    "tenacity",
    "watchfiles",
)
RUN = f"""
import sys
from agentl.cli import main
sys.argv = ["agentl", "run", {str(EXAMPLES / "thermostat.agent")!r}]
try:
    main()
except SystemExit as end:
    loaded = [name for name in {NOT_NEEDED!r} if name in sys.modules]
    sys.exit(end.code or (f"loaded: {{loaded}}" if loaded else 0))
"""


def test_a_small_run_loads_only_what_it_needs(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=180
    )
    assert (done.returncode, done.stderr) == (0, "")


NOT_NEEDED_TO_LOOK = (
    "agentl.host.registry",
    "agentl.interpreter",
    "agentl.kernel",
    "agentl_grammar.parser",
    "agentl_grammar.tree",
)
LOOK = f"""
import sys
from agentl.cli import main
try:
    main()
except SystemExit as end:
    loaded = [name for name in {NOT_NEEDED_TO_LOOK!r} if name in sys.modules]
    sys.exit(end.code or (f"loaded: {{loaded}}" if loaded else 0))
"""


def test_a_look_at_a_run_loads_nothing_of_what_runs_one(tmp_path: Path):
    DurableRun(parse_source("AGENT a { }"), store=FileStore(tmp_path / "run")).run(max_ticks=1)
    done = subprocess.run(
        [sys.executable, "-c", LOOK, "durable", "status", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert (done.returncode, done.stderr) == (0, "")
