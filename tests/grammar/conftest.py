"""Lets the tests of the grammar, and those of the folders below, share generated.py and edits.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
