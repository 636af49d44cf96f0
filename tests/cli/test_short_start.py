"""What a small run does not load: its start is short (the numbers are in tests/bench)."""

import subprocess
import sys
from pathlib import Path

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
