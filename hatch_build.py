"""Makes what is shipped but not written by hand: parser tables, message catalogues, pages of codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
LOCALES = ROOT / "runtime" / "agentl" / "locale"
PACKAGES = ("grammar/agentl_grammar", "runtime/agentl", "server/agentl_server")


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


def collect_messages() -> None:
    """Bring the template and every `.po` in step with the code: new messages come in empty, old ones go.

    Headers are kept as they are: without the dates that Babel's own command would write, nothing changes that
    did not change.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.extract import extract_from_dir
    from babel.messages.pofile import read_po, write_po

    found = {
        message
        for package in PACKAGES
        for _, _, message, _, _ in extract_from_dir(ROOT / package, keywords={"message_id": None})
    } | _help_texts()

    def write(path: Path, translations: dict[str, str], header: str = "") -> None:
        catalogue = Catalog()
        for message in found:
            catalogue.add(message, translations.get(message, ""))
        with path.open("wb") as stream:
            stream.write(header.encode())
            write_po(stream, catalogue, no_location=True, sort_output=True, omit_header=True)

    write(LOCALES / "agentl.pot", {})
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/*.po")):
        text = path.read_text(encoding="utf-8")
        known = read_po(text.splitlines(), locale=path.parts[-3])
        header = text[: text.index("\n\n") + 2]
        write(path, {str(entry.id): str(entry.string) for entry in known if entry.id}, header)


def _help_texts() -> set[str]:
    """Return what `--help` of every command says: it stands where the commands are described."""
    from agentl.cli.app import app
    from agentl.cli.help_texts import help_texts

    return set(help_texts(app))


if __name__ == "__main__":
    if "--collect-messages" in sys.argv:
        collect_messages()
    write_catalogues()
    write_parser_tables()
