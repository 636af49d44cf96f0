"""agent.lark: its conflicts, its words, and the tables made from it."""

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import lark
import pytest

import agentl_grammar
from agentl_grammar import tables
from agentl_grammar.builder import Builder
from agentl_grammar.lexer import OPERATORS
from agentl_grammar.lexicon import DESCRIPTIONS, FUNCTIONS, GROUPS, PHASES, UNITS, WORDS

GRAMMAR = Path(agentl_grammar.__file__).with_name("agent.lark").read_text(encoding="utf-8")
OPTION_WORDS = {"BIND", "ATTESTS", "IN", "DEFAULT", "USING", "TASK", "ABSTAIN"}

# Every one is meant to be a shift: the language is greedy (language.md §2.6).
CONFLICTS = [
    ("NAME", "phase : _VERIFY"),
    ("_AND", "expr : conjunction"),
    ("_AND", "expr : expr _OR conjunction"),
    ("_ELSE", "if_statement : _IF expr _THEN _branch"),
    ("_IN", "comparison : sum"),
    ("_LPAR", "primary : path"),
    ("_MINUS", "comparison : sum"),
    ("_MINUS", "comparison : sum _comparison_operator sum"),
    ("_OR", "default : _DEFAULT _sep expr"),
    ("_OR", "default : _DEFAULT expr"),
    ("_OR", "payload_entry : _word _sep expr"),
    ("_OR", "payload_entry : _word expr"),
]


@pytest.fixture
def lark_log(caplog):
    level = lark.logger.level
    lark.logger.addHandler(caplog.handler)
    lark.logger.setLevel(logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    yield caplog
    lark.logger.setLevel(level)
    lark.logger.removeHandler(caplog.handler)


def test_the_conflicts_are_the_known_shifts_and_none_is_reduce_reduce(lark_log):
    lark.Lark(
        GRAMMAR, parser="lalr", lexer="basic", keep_all_tokens=True, maybe_placeholders=False, debug=True
    )
    text = "\n".join(record.getMessage() for record in lark_log.records)
    found = re.findall(r"Shift/Reduce conflict for terminal (\w+): \(resolving as shift\)\n \* <(.+)>", text)
    assert sorted(set(found)) == CONFLICTS
    assert "Reduce/Reduce" not in text


def terminals() -> set[str]:
    return set(re.findall(r"^_?([A-Z_]+): /\1\\b", GRAMMAR, re.MULTILINE)) | {"ON", "VERIFY"}


def test_the_lexicon_has_the_words_of_the_grammar():
    assert terminals() == set(WORDS)
    (rule,) = re.findall(r"^_free_keyword: (.*?)\n\n", GRAMMAR, re.MULTILINE | re.DOTALL)
    free = {word.lstrip("_") for word in re.split(r"[\s|]+", rule)}
    assert free - {"ON_UNKNOWN", "VERIFY_LABELLED"} == set(WORDS) - OPTION_WORDS
    (excluded,) = re.findall(
        r"^NAME: /\(\?!\(\?=\[A-Z\]\)\(\?:(.*?)\)\\b\)", GRAMMAR, re.MULTILINE | re.DOTALL
    )
    assert set(re.split(r"[\s|]+", excluded.strip())) == set(WORDS)


def test_there_are_119_words_of_1_9_and_6_of_1_10():
    levels = [description.level for description in DESCRIPTIONS.values()]
    assert (levels.count("1.9"), levels.count("1.10")) == (119, 6)
    sizes = [len(words.split()) for words in GROUPS.values()]
    assert sizes == [3, 5, 4, 5, 10, 14, 9, 10, 7, 9, 5, 3, 8, 10, 10, 3, 4, 6]


def test_units_of_the_grammar_and_of_the_lexicon_are_the_same():
    (units,) = re.findall(r"^TIMESPAN: .*?\(\?:([a-z|]+)\)\\b/$", GRAMMAR, re.MULTILINE)
    assert set(units.split("|")) == set(UNITS)


def test_phases_of_the_grammar_and_of_the_lexicon_are_the_same():
    (rule,) = re.findall(r"^phase: (.*?)\n\n", GRAMMAR, re.MULTILINE | re.DOTALL)
    assert [word.lstrip("_") for word in re.split(r"[\s|]+", rule)] == list(PHASES)


def test_operators_of_the_lexer_are_those_of_the_grammar():
    assert all(re.search(rf"^{terminal}: ", GRAMMAR, re.MULTILINE) for terminal in OPERATORS.values())


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_documented_in_one_line_with_its_shape_and_an_example_that_uses_it(word: str):
    described = DESCRIPTIONS[word]
    assert "\n" not in described.documentation
    assert described.documentation.endswith(".")
    assert described.syntax
    assert word in described.example or word == "EVERY"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_shows_its_call(name: str):
    assert FUNCTIONS[name].signature.startswith(f"{name}(")


def test_tables_are_plain_data_and_the_same_every_time(tmp_path):
    tables.write_tables(tmp_path / "tables.json")
    written = json.loads((tmp_path / "tables.json").read_text(encoding="utf-8"))
    assert written == tables.build_tables()
    assert tables.load_tables(tmp_path / "tables.json") == written


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"digest": "of another grammar"}', "null", "\udcff"])
def test_tables_that_are_not_those_of_this_grammar_are_computed_again(tmp_path, monkeypatch, text: str):
    (tmp_path / "tables.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    monkeypatch.setattr(tables, "build_tables", lambda: {"computed": True})
    assert tables.load_tables(tmp_path / "tables.json") == {"computed": True}


def test_to_read_by_tables_lark_is_not_loaded():
    words = "import sys, agentl_grammar.parser, agentl_grammar.formatter; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words], check=False).returncode == 0


def test_missing_tables_are_computed(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "build_tables", lambda: {"computed": True})
    assert tables.load_tables(tmp_path / "none.json") == {"computed": True}


def test_every_rule_of_the_grammar_has_a_method_of_the_builder():
    rules = re.findall(r"^\??([a-z]\w*):|-> (\w+)", GRAMMAR, re.MULTILINE)
    passed_through = {"expr", "conjunction", "negation", "comparison", "sum", "product", "factor", "primary"}
    names = {name or alias for name, alias in rules} - passed_through
    assert sorted(name for name in names if not callable(getattr(Builder, name, None))) == []
