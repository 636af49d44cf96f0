"""Lark, and nothing else of it: the only module that imports lark.

A grammar becomes tables: plain data, kept as JSON beside agent.lark, by which `lalr` reads without Lark.
"""

from __future__ import annotations

import json
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "basic",
    "keep_all_tokens": True,
    "maybe_placeholders": False,
}


def compile_grammar(grammar: str) -> dict[str, Any]:
    """Return the LALR tables of `grammar` as plain data, the same data every time.

    `rules` are those of the grammar, each as `lalr.Rule` without its number of the table; `states` are rows
    as JSON: what is shifted or gone to, then what is reduced, by the numbers of `names`; `end` is the state
    in which a text is read.
    """
    engine: Any = lark.Lark(grammar, **_OPTIONS)
    data, memo = engine.memo_serialize([TerminalDef, Rule])
    references = [reference["@"] for reference in data["rules"]]
    rules = {reference: number for number, reference in enumerate(references)}
    table = _written(data["parser"]["parser"], rules)
    return {"rules": [_rule(memo[reference]) for reference in references], **table}


def _rule(rule: dict[str, Any]) -> list[Any]:
    """Return a rule: its name, its method, how many it reduces, whether one stays alone, what is spliced."""
    symbols, origin = rule["expansion"], rule["origin"]["name"]
    spliced = [
        index
        for index, symbol in enumerate(symbols)
        if symbol["__type__"] == "NonTerminal" and symbol["name"].startswith("_")
    ]
    alone = rule["options"]["expand1"] and not rule["alias"]
    return [origin, rule["alias"] or origin, len(symbols), alone, spliced]


def _write_row(
    row: dict[str, Any], tokens: dict[str, int], numbers: dict[int, int], rules: dict[int, int]
) -> str:
    shifts: list[list[int]] = []
    reductions: dict[int, list[int]] = {}
    for name, (reduces, argument) in sorted(row.items()):
        token = tokens[name]
        if reduces:
            reductions.setdefault(rules[argument["@"]], []).append(token)
        else:
            shifts.append([token, numbers[argument]])
    return json.dumps([shifts, list(reductions.items())], separators=(",", ":"))


def _written(table: dict[str, Any], rules: dict[int, int]) -> dict[str, Any]:
    """Return Lark's table with shorter rows, its states numbered as the start leads to them.

    Lark's own numbers depend on the addresses of its objects; a build must give the same file twice.
    """
    rows: dict[int, dict[str, Any]] = {
        state: {table["tokens"][token]: action for token, action in row.items()}
        for state, row in table["states"].items()
    }
    numbers = {state: number for number, state in enumerate(table["start_states"].values())}
    pending = list(numbers)
    for state in pending:
        for _, (reduces, target) in sorted(rows[state].items()):
            if not reduces and target not in numbers:
                numbers[target] = len(numbers)
                pending.append(target)
    tokens = {name: number for number, name in enumerate(sorted(table["tokens"].values()))}
    return {
        "names": list(tokens),
        "states": [_write_row(rows[state], tokens, numbers, rules) for state in pending],
        "end": numbers[table["end_states"]["start"]],
    }
