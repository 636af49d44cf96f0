"""Makes what is shipped but not written by hand: parser tables, message catalogues, pages of codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
LOCALES = ROOT / "runtime" / "agentl" / "locale"


class AgentlBuildHook(BuildHookInterface):
    """Runs before hatchling collects files, for wheels and for editable installs alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the generated files into the tree; a wheel also gets the pages of `agentl explain`."""
        write_catalogues()
        write_parser_tables()
        if self.target_name == "wheel" and version == "standard":
            build_data["force_include"][str(ROOT / "docs" / "codes")] = "agentl/codes"


def write_catalogues() -> None:
    """Compile every `.po` beside itself."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for source in sorted(LOCALES.glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as stream:
            catalogue = read_po(stream, locale=source.parts[-3], abort_invalid=True)
        with source.with_suffix(".mo").open("wb") as stream:
            write_mo(stream, catalogue)


def write_parser_tables() -> None:
    """Build the LALR tables once, so that no start of `agentl` pays for it."""
    sys.path.insert(0, str(ROOT / "grammar"))
    try:
        from agentl_grammar.tables import write_tables
    finally:
        sys.path.pop(0)
    write_tables()


if __name__ == "__main__":
    write_catalogues()
    write_parser_tables()
