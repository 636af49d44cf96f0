"""The kinds of stores, for parametrised tests."""

import pytest

POSTGRES = pytest.param("postgres", marks=pytest.mark.needs("postgres"))
LASTING = ["file", "sqlite", POSTGRES]
KINDS = ["memory", *LASTING]
