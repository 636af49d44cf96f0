"""Lark, and nothing else of it: the only module that imports lark.

A grammar becomes tables (plain data, kept as JSON beside agent.lark); tables become an `Engine`, which
takes tokens one by one and calls the methods of a builder, named after the rules, at each reduction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import lark
from lark.exceptions import UnexpectedToken
from lark.grammar import Rule
from lark.lexer import TerminalDef
from lark.parsers.lalr_analysis import IntParseTable, Reduce, Shift
from lark.parsers.lalr_parser import LALR_Parser
from lark.parsers.lalr_parser import _Parser as _LarkParser  # pyright: ignore[reportPrivateUsage] (as LALR_Parser itself builds it)

from agentl_grammar.lexer import ANY_CASE, END, Token

VERSION: str = lark.__version__
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

    def accepts(self) -> frozenset[str]:
        """Return the terminals that may come next."""
        return frozenset(self._parser.accepts())

    def would_accept(self, *terminals: str) -> bool:
        """Tell whether these terminals may come next, one after the other."""
        trial = self._trial(self._parser)
        return all(_takes(trial, terminal) for terminal in terminals)

    def missing(self, closers: Sequence[str], terminal: str) -> int:
        """Return how many of `closers` must come, in order, before `terminal` may come; 0 for never."""
        trial = self._trial(self._parser)
        for count, closer in enumerate(closers, start=1):
            if not _takes(trial, closer):
                return 0
            if terminal in trial.choices() and _takes(self._trial(trial), terminal):
                return count
        return 0

    def _trial(self, parser: Any) -> Any:
        trial = parser.copy(deepcopy_values=False)
        trial.parser_state.parse_conf = copy(trial.parser_state.parse_conf)
        trial.parser_state.parse_conf.callbacks = {}
        return trial

    @property
    def values(self) -> list[Any]:
        """The tokens and builder's values that are not yet part of a larger one."""
        return self._parser.parser_state.value_stack


def _takes(parser: Any, terminal: str) -> bool:
    try:
        parser.feed_token(Token(terminal, "", 0, 0))
    except UnexpectedToken:
        return False
    return True


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
    """Reads the rows as `compile_grammar` writes them, which is several times as fast as reading Lark's own."""

    @classmethod
    def deserialize(cls, data: Any, memo: Any, callbacks: Any, debug: bool = False) -> Any:  # noqa: FBT001, FBT002 (Lark's signature)
        names: list[str] = data["tokens"]
        states = {number: _read_row(row, names, memo) for number, row in enumerate(data["states"])}
        parser = cls.__new__(cls)
        parser._parse_table = IntParseTable(states, data["start_states"], data["end_states"])  # noqa: SLF001 (its own)
        parser.parser = _LarkParser(parser._parse_table, callbacks, debug)  # noqa: SLF001 (its own)
        return parser


def _read_row(row: list[Any], names: list[str], memo: Any) -> dict[str, Any]:
    shifts, reductions = row
    actions: dict[str, Any] = {names[token]: (Shift, state) for token, state in shifts}
    for rule, tokens in reductions:
        reduction = (Reduce, memo[rule])
        actions.update((names[token], reduction) for token in tokens)
    return actions


def _write_row(actions: dict[int, tuple[int, Any]]) -> list[Any]:
    shifts = [[token, argument] for token, (reduces, argument) in actions.items() if not reduces]
    reductions: dict[int, list[int]] = {}
    for token, (reduces, argument) in actions.items():
        if reduces:
            reductions.setdefault(argument["@"], []).append(token)
    return [shifts, [[rule, tokens] for rule, tokens in reductions.items()]]


def compile_grammar(grammar: str) -> dict[str, Any]:
    """Return the LALR tables of `grammar` as plain data: Lark's own, its rows of actions written shorter."""
    engine: Any = lark.Lark(grammar, **_OPTIONS)
    data, memo = engine.memo_serialize([TerminalDef, Rule])
    data["options"] = {
        name: value for name, value in data["options"].items() if name not in _NOT_DATA.split()
    }
    table = data["parser"]["parser"]
    table["tokens"] = [table["tokens"][number] for number in range(len(table["tokens"]))]
    table["states"] = [_write_row(table["states"][number]) for number in range(len(table["states"]))]
    return {"data": data, "memo": {str(key): value for key, value in memo.items()}}
