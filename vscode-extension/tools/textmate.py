"""Write `syntaxes/agentl.tmLanguage.json` from the words of `agentl_grammar.lexicon`.

    python vscode-extension/tools/textmate.py

A test holds the committed file equal to what this module returns.
"""

# ruff: noqa: INP001  (a script of the extension, run by its path)
from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from agentl_grammar import lexicon

TARGET: Final = Path(__file__).parents[1] / "syntaxes" / "agentl.tmLanguage.json"

NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"

# Words that introduce something with a name, and the scope of that name.
NAMED: Final = {
    "AGENT": "entity.name.type.agent",
    "TOOL": "entity.name.function.tool",
    "PLAN": "entity.name.function.plan",
    "STEP": "entity.name.function.step",
    "OUTCOME": "entity.name.tag.outcome",
    "HYPOTHESIS": "entity.name.type.hypothesis",
    "GROUP": "entity.name.tag.group",
    "SCENARIO": "entity.name.type.scenario",
    "GOAL": "entity.name.type.goal",
    "MESSAGE": "entity.name.type.message",
    "DELEGATE": "entity.name.type.agent",
}

# Words that open a member of an agent; the others of their group are its fields.
MEMBERS: Final = {
    "AGENT",
    "GOAL",
    "BELIEF",
    "OBSERVE",
    "MEMORY",
    "TOOL",
    "POLICY",
    "PLAN",
    "STEP",
    "EVENT",
    "DECIDE",
    "HYPOTHESIS",
    "PLANNER",
    "UTILITY",
    "SCENARIO",
}
CONTROL: Final = {
    "IF",
    "THEN",
    "ELSE",
    "LOOP",
    "UNTIL",
    "MAX",
    "FOREACH",
    "SET",
    "WHEN",
    "ON",
    "RETRY",
    "ROLLBACK",
    "ESCALATE",
    "VERIFY",
}


def scope_of(word: str, group: str) -> str:
    """Return the TextMate scope of a reserved word of a lexicon group."""
    if group == "operators":
        return "keyword.operator.logical.agentl"
    if word in MEMBERS:
        return f"storage.type.{group}.agentl"
    if word in CONTROL:
        return "keyword.control.agentl"
    return f"keyword.other.{group}.agentl"


def _alternatives(words: list[str]) -> str:
    return rf"\b(?:{'|'.join(sorted(words))})\b"


def _reserved() -> list[dict[str, object]]:
    by_scope: dict[str, list[str]] = {}
    for word, group in lexicon.WORDS.items():
        by_scope.setdefault(scope_of(word, group), []).append(word)
    return [{"name": scope, "match": _alternatives(words)} for scope, words in sorted(by_scope.items())]


def _declarations() -> list[dict[str, object]]:
    reserved = _alternatives(list(lexicon.WORDS))
    return [
        {
            "match": rf"\b({word})\s+(?!{reserved})({NAME})",
            "captures": {
                "1": {"name": scope_of(word, lexicon.WORDS[word])},
                "2": {"name": f"{scope}.agentl"},
            },
        }
        for word, scope in NAMED.items()
    ]


def _comments() -> list[dict[str, object]]:
    return [
        {"name": "comment.line.double-slash.agentl", "match": r"//.*$"},
        {"name": "comment.line.number-sign.agentl", "match": r"#.*$"},
        {"name": "comment.block.agentl", "begin": r"/\*", "end": r"\*/"},
    ]


def _literals() -> list[dict[str, object]]:
    units = "|".join(sorted(lexicon.UNITS, key=lambda unit: (-len(unit), unit)))
    escape = {"name": "constant.character.escape.agentl", "match": r'\\[ntr"\\]'}
    return [
        {"name": "string.quoted.double.agentl", "begin": '"', "end": '"', "patterns": [escape]},
        {
            "name": "constant.other.datetime.agentl",
            "match": r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?",
        },
        {
            "match": rf"\b({NUMBER})(%|(?:{units})\b)",
            "captures": {
                "1": {"name": "constant.numeric.agentl"},
                "2": {"name": "keyword.other.unit.agentl"},
            },
        },
        {"name": "constant.numeric.agentl", "match": rf"\b{NUMBER}"},
        {"name": "constant.language.boolean.agentl", "match": r"\b(?:true|false)\b"},
    ]


def _paths_and_calls() -> list[dict[str, object]]:
    return [
        # Behind a dot a reserved word is an ordinary name (language.md §2.1).
        {
            "match": rf"(\.)\s*({NAME})(?!\s*\()",
            "captures": {
                "1": {"name": "punctuation.accessor.agentl"},
                "2": {"name": "variable.other.property.agentl"},
            },
        },
        {
            "begin": rf"\b((?!{_alternatives(list(lexicon.WORDS))}){NAME}(?:\.{NAME})*)\s*(\()",
            "beginCaptures": {
                "1": {"name": "entity.name.function.call.agentl"},
                "2": {"name": "punctuation.section.arguments.begin.agentl"},
            },
            "end": r"\)",
            "endCaptures": {"0": {"name": "punctuation.section.arguments.end.agentl"}},
            "patterns": [
                {"name": "variable.parameter.agentl", "match": rf"\b{NAME}(?=\s*(?:=(?![=>])|:))"},
                {"include": "$self"},
            ],
        },
    ]


def _phrases() -> list[dict[str, object]]:
    return [
        {
            "match": r"\b(EXPECT)\s+((?i:NEVER\s+CALL|CALL|BLOCKED|EVENT|NO\s+ERROR))\b",
            "captures": {
                "1": {"name": scope_of("EXPECT", lexicon.WORDS["EXPECT"])},
                "2": {"name": "keyword.other.assertion.agentl"},
            },
        },
        {
            "match": r"\b(ON)\s+(VERIFY)\s*(\.)\s*(FAIL)\b",
            "captures": {
                "1": {"name": scope_of("ON", lexicon.WORDS["ON"])},
                "2": {"name": scope_of("VERIFY", lexicon.WORDS["VERIFY"])},
                "3": {"name": "punctuation.accessor.agentl"},
                "4": {"name": scope_of("FAIL", lexicon.WORDS["FAIL"])},
            },
        },
    ]


def _rest() -> list[dict[str, object]]:
    return [
        {"name": "constant.other.symbol.agentl", "match": r"\b[A-Z][A-Z0-9_]+\b"},
        {"name": "variable.other.agentl", "match": rf"\b{NAME}\b"},
        {"name": "keyword.operator.comparison.agentl", "match": "==|!=|>=|<=|>|<"},
        {"name": "keyword.operator.assignment.agentl", "match": "="},
        {"name": "keyword.operator.arithmetic.agentl", "match": r"[+\-*/]"},
        {"name": "punctuation.separator.agentl", "match": "[,:]"},
    ]


def grammar() -> dict[str, object]:
    """Return the TextMate grammar as the JSON object that VS Code reads."""
    return {
        "information_for_contributors": [
            "Generated by vscode-extension/tools/textmate.py: edit that, not this file."
        ],
        "name": "agentl",
        "scopeName": "source.agentl",
        "fileTypes": ["agent"],
        "patterns": [
            *_comments(),
            *_literals(),
            *_declarations(),
            *_phrases(),
            *_paths_and_calls(),
            *_reserved(),
            *_rest(),
        ],
    }


def render() -> str:
    """Return the text of the grammar file."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
