"""Every message a person may see is in the catalogue, and in French."""

import ast
import string
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from agentl.cli.app import app
from agentl.cli.help_texts import help_texts

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "runtime" / "agentl" / "locale"
PACKAGES = ("grammar/agentl_grammar", "runtime/agentl", "server/agentl_server")


@cache
def in_the_code() -> frozenset[str]:
    """What is given to message_id, and the help of the commands."""
    return frozenset(help_texts(app)) | {
        template
        for package in PACKAGES
        for _, _, template, _, _ in extract_from_dir(ROOT / package, keywords={"message_id": None})
    }


def catalogue(name: str, locale: str | None = None) -> Catalog:
    with (LOCALE / name).open("rb") as stream:
        return read_po(stream, locale=locale, abort_invalid=True)


def in_catalogue(found: Catalog) -> set[str]:
    return {message.id for message in found if message.id}


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_every_message_of_the_code_is_in_the_template_and_no_other_is():
    assert in_catalogue(catalogue("agentl.pot")) == in_the_code(), "run: make catalogue"


def test_every_message_has_a_french_translation():
    french = {
        message.id: message.string for message in catalogue("fr/LC_MESSAGES/agentl.po", "fr") if message.id
    }
    assert set(french) == in_the_code(), "run: make catalogue"
    assert [template for template, text in french.items() if not text] == []


def test_no_french_translation_is_fuzzy():
    assert [
        message.id for message in catalogue("fr/LC_MESSAGES/agentl.po", "fr") if message.fuzzy and message.id
    ] == []


def test_a_translation_has_the_fields_of_its_message():
    for message in catalogue("fr/LC_MESSAGES/agentl.po", "fr"):
        if message.id:
            assert fields(message.string) == fields(message.id), message.id


@pytest.mark.parametrize("package", PACKAGES)
def test_message_id_is_only_given_a_literal_that_the_extractor_sees(package: str):
    calls = [
        (path, call)
        for path in (ROOT / package).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "message_id"
    ]
    assert calls or package.startswith("server")
    for path, call in calls:
        assert isinstance(call.args[0], ast.Constant), f"{path}:{call.lineno}"
        assert call.args[0].value in in_the_code(), f"{path}:{call.lineno}: not inside an f-string"
