"""Reading tokens by LALR tables: at each reduction a method of a builder is called, named after the rule.

The tables are made from agent.lark by Lark (see `compiling`), which is not needed to read by them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from agentl_grammar.lexer import ANY_CASE, END, Token

FORM = "form 3"
"""The form of the tables: it changes with what `compiling` writes."""


class UnexpectedTokenError(Exception):
    """A token, or the end of the text, cannot stand where it stands."""


class Run:
    """The children of a rule that makes no node: they are spliced into those of the rule around it."""

    __slots__ = ("children",)

    def __init__(self, children: list[Any]) -> None:
        self.children = children


_Build = Callable[[list[Any]], Any]


class Rule(NamedTuple):
    """A rule of the grammar: how many values a reduction takes, and what makes one of them, if it is new."""

    name: str
    size: int
    build: _Build | None


_Row = dict[str, Any]
"""By what may come in a state: the state behind it (a number), or the `Rule` that is complete before it."""


class Cursor:
    """A parse under way: the states that it has come through, and the values behind all but the first."""

    def __init__(self, table: _Table, states: list[int], values: list[Any]) -> None:
        self._table = table
        self._states = states
        self.values = values
        """The tokens and builder's values that are not yet part of a larger one."""

    def feed(self, tokens: Iterable[Token]) -> None:
        """Feed tokens.

        Raises:
            UnexpectedTokenError: one of them cannot stand where it stands.
        """
        rows, states, values = self._table.rows, self._states, self.values
        for token in tokens:
            row = rows[states[-1]]
            kind = token.type if token.type in row else _in_place(token, row)
            while type(entry := rows[states[-1]].get(kind)) is Rule:
                self._reduce(entry)
            if entry is None:
                raise UnexpectedTokenError
            states.append(entry)
            values.append(token if kind == token.type else token._replace(type=kind))

    def _reduce(self, rule: Rule) -> None:
        states, (name, size, build) = self._states, rule
        if build:
            values = self.values
            begin = len(values) - size
            children = values[begin:]
            del values[begin:]
            values.append(build(children))
        if size:
            del states[-size:]
        states.append(self._table.rows[states[-1]][name])

    def finish(self) -> Any:
        """Take the end of the text; return what the builder made of all of it.

        Raises:
            UnexpectedTokenError: the text cannot end there.
        """
        while self._states[-1] != self._table.end:
            rule = self._table.rows[self._states[-1]].get(END)
            if not isinstance(rule, Rule):
                raise UnexpectedTokenError
            self._reduce(rule)
        return self.values[-1]

    def copy(self) -> Cursor:
        """Return a parse that goes on from here by itself; the values built so far are shared."""
        # A repeated rule adds to its run in place: two parses must not add to the same one.
        values = [Run([*value.children]) if isinstance(value, Run) else value for value in self.values]
        return Cursor(self._table, [*self._states], values)

    def accepts(self) -> frozenset[str]:
        """Return the terminals that may come next."""
        accepted: set[str] = set()
        row = self._table.rows[self._states[-1]]
        pending = [([*self._states], [*filter(str.isupper, row)])]
        while pending:
            states, terminals = pending.pop()
            row = self._table.rows[states[-1]]
            # Most terminals call for the same reduction: it is done once for all of them.
            reduced: dict[Rule, list[str]] = {}
            for terminal in terminals:
                entry = row.get(terminal)
                if isinstance(entry, Rule):
                    reduced.setdefault(entry, []).append(terminal)
                elif entry is not None:
                    accepted.add(terminal)
            for rule, those in reduced.items():
                behind = [*states]
                self._table.reduce(behind, rule)
                pending.append((behind, those))
                accepted.update([END] if behind[-1] == self._table.end else [])
        return frozenset(accepted)

    def would_accept(self, *terminals: str) -> bool:
        """Tell whether these terminals may come next, one after the other."""
        states = [*self._states]
        return all(self._table.taken(states, terminal) for terminal in terminals)

    def refused(self, tokens: Iterable[Token]) -> int | None:
        """Return the index of the first of `tokens` that cannot stand there, None when all can.

        Only the table is asked, which is several times as fast as feeding them.
        """
        states, rows, taken = [*self._states], self._table.rows, self._table.taken
        for index, token in enumerate(tokens):
            row = rows[states[-1]]
            if not taken(states, token.type if token.type in row else _in_place(token, row)):
                return index
        return None

    def missing(self, closers: Sequence[str], terminals: Sequence[str]) -> int:
        """Return how many of `closers` must come, in order, before `terminals` may come; 0 for never."""
        states = [*self._states]
        for count, closer in enumerate(closers, start=1):
            if not self._table.taken(states, closer):
                return 0
            ready = [*states]
            if all(self._table.taken(ready, terminal) for terminal in terminals):
                return count
        return 0


def _in_place(token: Token, row: _Row) -> str:
    """Return the terminal that a token is in a state where its own cannot come."""
    word = ANY_CASE.get(token.text.upper(), "") if token.type == "NAME" else ""
    return word if word in row else token.type


class _Rows(dict[int, _Row]):
    """The rows of the table by their state. A program comes through few of them: most stay text."""

    def __init__(self, written: list[str], names: list[str], rules: list[Rule]) -> None:
        super().__init__()
        self._written = written
        self._names = names
        self._rules = rules

    def __missing__(self, state: int) -> _Row:
        written: tuple[list[tuple[int, int]], list[tuple[int, list[int]]]] = json.loads(self._written[state])
        shifts, reductions = written
        row: _Row = {self._names[name]: target for name, target in shifts}
        for rule, terminals in reductions:
            row.update(dict.fromkeys((self._names[name] for name in terminals), self._rules[rule]))
        self[state] = row
        return row


class _Table:
    """What may come in each state, and the state in which a text is read."""

    def __init__(self, rows: _Rows, end: int) -> None:
        self.rows = rows
        self.end = end

    def reduce(self, states: list[int], rule: Rule) -> None:
        """Lead `states` behind a rule that is complete."""
        if rule.size:
            del states[-rule.size :]
        states.append(self.rows[states[-1]][rule.name])

    def taken(self, states: list[int], terminal: str) -> bool:
        """Tell whether `terminal` may come where `states` have led, and lead them behind it.

        No value is built, so that many terminals can be tried at a mistake.
        """
        rows = self.rows
        while isinstance(entry := rows[states[-1]].get(terminal), Rule):
            self.reduce(states, entry)
            if terminal == END and states[-1] == self.end:
                return True
        if entry is None:
            return False
        states.append(entry)
        return True


class Engine:
    """The tables at work with one builder."""

    def __init__(self, tables: dict[str, Any], builder: object) -> None:
        rules = [
            Rule(name, size, _build(getattr(builder, method, Run), spliced, size, alone=alone))
            for name, method, size, alone, spliced in tables["rules"]
        ]
        self._table = _Table(_Rows(tables["states"], tables["names"], rules), tables["end"])

    def cursor(self) -> Cursor:
        """Begin a parse."""
        return Cursor(self._table, [0], [])


def _build(method: _Build, spliced: list[int], size: int, *, alone: bool) -> _Build | None:
    """Return what makes the value of a rule: a child that is `alone` stands for it, runs are spliced."""
    if alone and size == 1 and not spliced:
        return None
    build = _or_alone(method) if alone else method
    return _with_spliced(build, frozenset(spliced)) if spliced else build


def _or_alone(build: _Build) -> _Build:
    return lambda children: children[0] if len(children) == 1 else build(children)


def _with_spliced(build: _Build, spliced: frozenset[int]) -> _Build:
    def spliced_and_built(children: list[Any]) -> Any:
        whole: list[Any] = []
        for index, child in enumerate(children):
            if index not in spliced:
                whole.append(child)
            elif whole:
                whole += child.children
            else:
                # A repeated rule grows in place: a copy each time would take the square of its length.
                whole = child.children
        return build(whole)

    return spliced_and_built
