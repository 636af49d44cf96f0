"""Lets the tests of the review share their helpers."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
