"""Lark, and nothing else of it: the only module that imports lark.

A grammar becomes tables (plain data, kept as JSON beside agent.lark); tables become an `Engine`, which
takes tokens one by one and calls the methods of a builder, named after the rules, at each reduction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import lark
from lark.exceptions import UnexpectedToken
from lark.grammar import Rule
from lark.lexer import TerminalDef
from lark.parsers.lalr_analysis import IntParseTable, Reduce, Shift
from lark.parsers.lalr_parser import LALR_Parser
from lark.parsers.lalr_parser import _Parser as _LarkParser  # pyright: ignore[reportPrivateUsage] (as LALR_Parser itself builds it)

from agentl_grammar.lexer import ANY_CASE, END, Token

VERSION = f"lark {lark.__version__}, form 2"
"""What the tables were made with; the form is that of `_written`."""
_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "basic",
    "keep_all_tokens": True,
    "maybe_placeholders": False,
}
# Options that are given again when tables are loaded; their values are not data.
_NOT_DATA = (
    "postlex transformer lexer_callbacks use_bytes debug g_regex_flags regex propagate_positions tree_class "
    "_plugins edit_terminals"
)


class UnexpectedTokenError(Exception):
    """The token at `index` cannot stand there; for the end of the text, `index` is the number of tokens."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class Cursor:
    """A parse under way."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def feed(self, tokens: Iterable[Token]) -> None:
        """Feed tokens.

        Raises:
            UnexpectedTokenError: one of them cannot stand where it stands.
        """
        index = 0
        feed = self._parser.feed_token
        try:
            for index, token in enumerate(tokens):  # noqa: B007 (read when a token is refused)
                if token.type == "NAME" and token.text.upper() in ANY_CASE:
                    feed(self._in_place(token))
                else:
                    feed(token)
        except UnexpectedToken:
            raise UnexpectedTokenError(index) from None

    def finish(self, end: int, index: int) -> Any:
        """Feed the end of the text, at offset `end`, behind `index` tokens; return what the builder made.

        Raises:
            UnexpectedTokenError: the text cannot end there.
        """
        try:
            return self._parser.feed_token(Token(END, "", end, end))
        except UnexpectedToken:
            raise UnexpectedTokenError(index) from None

    def _in_place(self, token: Token) -> Token:
        terminal = ANY_CASE[token.text.upper()]
        choices = self._parser.choices()
        return token._replace(type=terminal) if "NAME" not in choices and terminal in choices else token

    def copy(self) -> Cursor:
        """Return a parse that goes on from here by itself; the values built so far are shared."""
        parser = self._parser.copy(deepcopy_values=False)
        values = parser.parser_state.value_stack
        # Lark adds to the list of a repeated rule in place: two parses must not add to the same one.
        values[:] = [_own_list(value) if isinstance(value, lark.Tree) else value for value in values]
        return Cursor(parser)

    def accepts(self) -> frozenset[str]:
        """Return the terminals that may come next."""
        states = self._states()
        return frozenset(
            terminal
            for terminal in self._parser.choices()
            if terminal.isupper() and self._taken(list(states), terminal)
        )

    def would_accept(self, *terminals: str) -> bool:
        """Tell whether these terminals may come next, one after the other."""
        states = self._states()
        return all(self._taken(states, terminal) for terminal in terminals)

    def refused(self, tokens: Iterable[Token]) -> int | None:
        """Return the index of the first of `tokens` that cannot stand there, None when all can.

        Only the table is asked, which is several times as fast as feeding them.
        """
        rows: Any = self._parser.parser_state.parse_conf.parse_table.states
        states = self._states()
        for index, token in enumerate(tokens):
            kind = token.type
            if kind == "NAME" and (word := ANY_CASE.get(token.text.upper())):
                row = rows[states[-1]]
                kind = word if "NAME" not in row and word in row else kind
            if not self._taken(states, kind):
                return index
        return None

    def missing(self, closers: Sequence[str], terminals: Sequence[str]) -> int:
        """Return how many of `closers` must come, in order, before `terminals` may come; 0 for never."""
        states = self._states()
        for count, closer in enumerate(closers, start=1):
            if not self._taken(states, closer):
                return 0
            ready = list(states)
            if all(self._taken(ready, terminal) for terminal in terminals):
                return count
        return 0

    def _states(self) -> list[int]:
        return list(self._parser.parser_state.state_stack)

    def _taken(self, states: list[int], terminal: str) -> bool:
        """Tell whether `terminal` may come where `states` have led, and lead them behind it.

        Only the table is asked: no value is built, so that many terminals can be tried at a mistake.
        """
        table = self._parser.parser_state.parse_conf.parse_table
        end = table.end_states["start"]
        while entry := table.states[states[-1]].get(terminal):
            action, argument = entry
            if action is Shift:
                states.append(argument)
                return True
            if argument.expansion:
                del states[-len(argument.expansion) :]
            states.append(table.states[states[-1]][argument.origin.name][1])
            if terminal == END and states[-1] == end:
                return True
        return False

    @property
    def values(self) -> list[Any]:
        """The tokens and builder's values that are not yet part of a larger one."""
        return self._parser.parser_state.value_stack


def _own_list(value: Any) -> Any:
    return lark.Tree(value.data, list(value.children))


class Engine:
    """The tables at work with one builder."""

    def __init__(self, tables: dict[str, Any], builder: object) -> None:
        memo = {int(key): value for key, value in tables["memo"].items()}
        load: Any = lark.Lark._load_from_dict  # noqa: SLF001   # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
        self._lark: Any = load(tables["data"], memo, transformer=builder, _plugins={"LALR_Parser": _Parser})

    def cursor(self) -> Cursor:
        """Begin a parse."""
        return Cursor(self._lark.parse_interactive())


class _Parser(LALR_Parser):
    """Reads the rows as `_written` writes them, each when the parse first comes there."""

    @classmethod
    def deserialize(cls, data: Any, memo: Any, callbacks: Any, debug: bool = False) -> Any:  # noqa: FBT001, FBT002 (Lark's signature)
        rows: Any = _Rows(data["states"], data["tokens"], memo)
        parser = cls.__new__(cls)
        parser._parse_table = IntParseTable(rows, data["start_states"], data["end_states"])  # noqa: SLF001 (its own)
        parser.parser = _LarkParser(parser._parse_table, callbacks, debug)  # noqa: SLF001 (its own)
        return parser


class _Rows(dict[int, dict[str, Any]]):
    """The rows of the table by their state. A program comes through few of them: most stay text."""

    def __init__(self, written: list[str], names: list[str], memo: Any) -> None:
        super().__init__()
        self._written = written
        self._names = names
        self._memo = memo

    def __missing__(self, state: int) -> dict[str, Any]:
        shifts, reductions = json.loads(self._written[state])
        row: dict[str, Any] = {self._names[token]: (Shift, target) for token, target in shifts}
        for rule, tokens in reductions:
            reduction: Any = (Reduce, self._memo[rule])
            for token in tokens:
                row[self._names[token]] = reduction
        self[state] = row
        return row


def _write_row(row: dict[str, Any], tokens: dict[str, int], numbers: dict[int, int]) -> str:
    shifts: list[list[int]] = []
    reductions: dict[int, list[int]] = {}
    for name, (reduces, argument) in sorted(row.items()):
        token = tokens[name]
        if reduces:
            reductions.setdefault(argument["@"], []).append(token)
        else:
            shifts.append([token, numbers[argument]])
    return json.dumps([shifts, list(reductions.items())], separators=(",", ":"))


def _written(table: dict[str, Any]) -> dict[str, Any]:
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
        "tokens": list(tokens),
        "states": [_write_row(rows[state], tokens, numbers) for state in pending],
        "start_states": {rule: numbers[state] for rule, state in table["start_states"].items()},
        "end_states": {rule: numbers[state] for rule, state in table["end_states"].items()},
    }


def compile_grammar(grammar: str) -> dict[str, Any]:
    """Return the LALR tables of `grammar` as plain data, the same data every time."""
    engine: Any = lark.Lark(grammar, **_OPTIONS)
    data, memo = engine.memo_serialize([TerminalDef, Rule])
    options: dict[str, Any] = data["options"]
    data["options"] = {name: value for name, value in options.items() if name not in _NOT_DATA.split()}
    data["parser"]["parser"] = _written(data["parser"]["parser"])
    return {"data": data, "memo": {str(key): value for key, value in memo.items()}}
