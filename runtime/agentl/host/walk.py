"""Following a host script without running it: what it registers, and whether it always does."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentl.host.registrations import HostWalk, Registration, merged
from agentl.host.syntax import (
    Constants,
    Function,
    breaks,
    calls,
    constant_of,
    host_classes,
    idempotence,
    keyword_of,
    last_name,
    leaves,
    own_nodes,
    pairs_of,
    parameters_of,
    raises,
    text_of,
    texts_of,
    written_tables,
)

_TABLES = {
    "tools": "tool",
    "sensors": "sensor",
    "reconcilers": "reconciler",
    "subagents": "subagent",
    "compensations": "compensation",
}
_REGISTRARS = tuple(_TABLES.values())
_PROMISED = {
    "idempotent_tools": "idempotent tool",
    "idempotent_subagents": "idempotent subagent",
    "idempotent_compensations": "idempotent compensation",
}
_TAKEN_BACK = {table: f"no {kind}" for table, kind in (_TABLES | _PROMISED).items()}
_MAX_DEPTH = 20
_MOST_CALLS = 500
"""How many calls of helpers are followed: helpers that call helpers would be followed without end."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is known at a place: names that hold a host or a constant, and whether it is always reached."""

    hosts: frozenset[str]
    constants: Constants
    always: bool = True
    depth: int = 0


def walk_host(module: ast.Module) -> HostWalk:
    """Follow a module, then its `build()` when it has one. Raises RecursionError for absurd nesting."""
    return _Walker(module).run()


class _Walker:
    def __init__(self, module: ast.Module) -> None:
        self._module = module
        self._functions = {node.name: node for node in module.body if isinstance(node, Function)}
        self._tables = written_tables(module)
        self._host_classes = host_classes(module)
        self._found = HostWalk()
        self._host_seen = False
        self._entered = 0
        self._made: set[ast.Call] = set()
        self._item: dict[str, ast.expr] = {}
        """What the variable of a loop over a written table stands for."""

    def run(self) -> HostWalk:
        scope = self._block(self._module.body, _Scope(frozenset(), {}))
        if (build := self._functions.get("build")) is not None:
            self._block(build.body, scope)
        # a host that was made in another module may hold anything
        self._found.complete &= self._host_seen
        self._found.hosts = len(self._made)
        return self._found

    def _block(self, statements: list[ast.stmt], scope: _Scope) -> _Scope:
        for statement in statements:
            scope = self._statement(statement, scope)
            if isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue):
                break
        return scope

    def _statement(self, statement: ast.stmt, scope: _Scope) -> _Scope:
        after = scope
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._decorated(statement, scope)
            case ast.If():
                after = self._branches(statement, [statement.body, statement.orelse], scope)
            case ast.Match():
                after = self._branches(statement, [*(case.body for case in statement.cases), []], scope)
            case ast.For() | ast.AsyncFor():
                after = self._loop(statement, scope)
            case ast.While():
                after = self._branches(statement, [statement.body, []], scope)
            case ast.Try() | ast.TryStar():
                after = self._attempt(statement, scope)
            case ast.With() | ast.AsyncWith():
                after = replace(
                    self._block(statement.body, scope), always=scope.always and not leaves(statement)
                )
            case ast.Delete():
                self._deletion(statement, scope)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                after = self._assignment(statement, scope)
            case _:
                self._expression(statement, scope)
        return after

    # ---------------------------------------------------------------------------------------- control flow

    def _branches(self, statement: ast.stmt, branches: list[list[ast.stmt]], scope: _Scope) -> _Scope:
        """Walk each branch by itself; what all of them register in the same words is registered always."""
        before = self._found.registrations
        walked: list[list[Registration]] = []
        hosts, constants = scope.hosts, scope.constants
        for branch in branches:
            self._found.registrations = []
            after = self._block(branch, scope)
            hosts |= after.hosts
            constants = {name: held for name, held in constants.items() if after.constants.get(name) is held}
            if not raises(branch):
                walked.append(self._found.registrations)
        self._found.registrations = before + merged(walked)
        return replace(scope, hosts=hosts, constants=constants, always=scope.always and not leaves(statement))

    def _loop(self, statement: ast.For | ast.AsyncFor, scope: _Scope) -> _Scope:
        pairs = None if breaks(statement) else pairs_of(statement.iter, self._tables, scope.constants)
        if pairs is not None:
            match statement.target:
                case ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=held)]):
                    return self._loop_over(pairs, name, held, statement, scope)
                case _:
                    pass
        items = texts_of(statement.iter, scope.constants)
        if items is None or not isinstance(statement.target, ast.Name) or breaks(statement):
            return self._branches(statement, [statement.body, []], scope)
        for item in items:
            inner = replace(scope, constants={**scope.constants, statement.target.id: item})
            scope = replace(scope, hosts=self._block(statement.body, inner).hosts)
        return scope

    def _loop_over(
        self,
        pairs: list[tuple[str, ast.expr]],
        name: str,
        held: str,
        loop: ast.For | ast.AsyncFor,
        scope: _Scope,
    ) -> _Scope:
        """Go through `for name, held in TABLE.items()` once for each entry that is written there."""
        for text, value in pairs:
            self._item[held] = value
            inner = replace(scope, constants={**scope.constants, name: text})
            scope = replace(scope, hosts=self._block(loop.body, inner).hosts)
            del self._item[held]
        return scope

    def _attempt(self, statement: ast.Try | ast.TryStar, scope: _Scope) -> _Scope:
        attempts = [statement.body + statement.orelse, *(handler.body for handler in statement.handlers)]
        return self._block(statement.finalbody, self._branches(statement, attempts, scope))

    # ----------------------------------------------------------------------------------------------- names

    def _assignment(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: _Scope) -> _Scope:
        value = statement.value
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if value is None:
            return scope
        self._expression(statement, scope)
        for target in targets:
            if isinstance(target, ast.Subscript):
                self._table_entry(target, value, scope)
            elif isinstance(target, ast.Attribute):
                self._attribute(target, value, scope)
            elif isinstance(target, ast.Name):
                scope = self._name(target.id, value, scope, adds=isinstance(statement, ast.AugAssign))
        return scope

    def _name(self, name: str, value: ast.expr, scope: _Scope, *, adds: bool) -> _Scope:
        constants = {known: held for known, held in scope.constants.items() if known != name}
        if not adds and (held := constant_of(value, scope.constants)) is not None:
            constants[name] = held
        hosts = scope.hosts - {name}
        if self._makes_host(value, scope):
            hosts |= {name}
            self._host_seen = True
        return replace(scope, constants=constants, hosts=hosts)

    def _makes_host(self, value: ast.expr, scope: _Scope) -> bool:
        if isinstance(value, ast.Name):
            return value.id in scope.hosts
        if not isinstance(value, ast.Call):
            return False
        made = last_name(value.func)
        helper = self._functions.get(made)
        if made in self._host_classes and value not in self._made:
            self._made.add(value)
            self._own_method("__init__", value, scope, self._host_classes[made])
        return made in self._host_classes or (helper is not None and self._returns_host(helper))

    def _returns_host(self, function: Function) -> bool:
        if function.returns is not None and last_name(function.returns) in self._host_classes:
            return True
        made = {
            target.id
            for node in own_nodes(function)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and last_name(node.value.func) in self._host_classes
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        returned = (node.value for node in own_nodes(function) if isinstance(node, ast.Return))
        return any(
            (isinstance(value, ast.Name) and value.id in made)
            or (isinstance(value, ast.Call) and last_name(value.func) in self._host_classes)
            for value in returned
        )

    # --------------------------------------------------------------------------------------- registrations

    def _decorated(self, function: Function, scope: _Scope) -> None:
        for decorator in function.decorator_list:
            self._registrar(decorator, function, scope)
            if isinstance(decorator, ast.Call) and _hands_over(decorator, scope):
                # another module's decorator may register the function in any way
                self._found.complete = False

    def _registrar(self, call: ast.expr, node: ast.AST, scope: _Scope) -> None:
        """Take note of `host.tool("x", idempotent=…)`, as a decorator or called."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        kind = call.func.attr
        if kind not in _REGISTRARS or not _is_host(call.func.value, scope):
            return
        given = call.args[0] if call.args else keyword_of(call, "name") or keyword_of(call, "path")
        name = text_of(given, scope.constants) if given is not None else None
        self._register(kind, name, node, scope, idempotent=idempotence(call, scope.constants))

    def _register(
        self, kind: str, name: str | None, node: ast.AST, scope: _Scope, *, idempotent: bool | None = False
    ) -> None:
        if name is None:
            self._found.complete = False
            return
        if isinstance(node, ast.Name):
            node = self._item.get(node.id, node)
        function = self._functions.get(node.id) if isinstance(node, ast.Name) else node
        parameters = parameters_of(function) if isinstance(function, Function) else ()
        place = function or node
        self._found.registrations.append(
            Registration(kind, name, place, parameters, idempotent, scope.always)
        )

    def _table_entry(self, target: ast.Subscript, value: ast.expr, scope: _Scope) -> None:
        table = target.value
        if isinstance(table, ast.Attribute) and table.attr in _TABLES and _is_host(table.value, scope):
            self._register(_TABLES[table.attr], text_of(target.slice, scope.constants), value, scope)

    def _attribute(self, target: ast.Attribute, value: ast.expr, scope: _Scope) -> None:
        """`host.idempotent_tools = {…}` and `|=`."""
        if target.attr in _PROMISED and _is_host(target.value, scope):
            self._idempotent(_PROMISED[target.attr], [value], scope)
        elif target.attr in _TABLES and _is_host(target.value, scope):
            self._update(_TABLES[target.attr], value, scope)

    def _deletion(self, statement: ast.Delete, scope: _Scope) -> None:
        """`del host.tools["x"]`."""
        for target in statement.targets:
            if isinstance(target, ast.Subscript):
                self._taken_back(target.value, target.slice, target, scope)

    def _taken_back(self, table: ast.expr, name: ast.expr, node: ast.AST, scope: _Scope) -> None:
        if isinstance(table, ast.Attribute) and table.attr in _TAKEN_BACK and _is_host(table.value, scope):
            self._register(_TAKEN_BACK[table.attr], text_of(name, scope.constants), node, scope)

    def _idempotent(self, kind: str, collections: Sequence[ast.expr], scope: _Scope) -> None:
        for collection in collections:
            names = texts_of(collection, scope.constants)
            for name in names if names is not None else [None]:
                self._register(kind, name, collection, scope)

    def _updates(self, kind: str, call: ast.Call, scope: _Scope) -> None:
        """`host.tools.update({…}, x=…)`."""
        for given in call.args:
            self._update(kind, given, scope)
        for keyword in call.keywords:
            self._register(kind, keyword.arg, keyword.value, scope)

    def _update(self, kind: str, value: ast.expr, scope: _Scope) -> None:
        if isinstance(value, ast.Name):
            value = self._tables.get(value.id, value)
        if not isinstance(value, ast.Dict):
            self._found.complete = False
            return
        for key, item in zip(value.keys, value.values, strict=True):
            name = text_of(key, scope.constants) if key is not None else None
            self._register(kind, name, item, scope)

    # ----------------------------------------------------------------------------------------------- calls

    def _expression(self, statement: ast.stmt, scope: _Scope) -> None:
        if isinstance(statement, ast.Return) and statement.value is not None:
            self._host_seen |= self._makes_host(statement.value, scope)
        for call, certain in calls(statement):
            self._call(call, scope if certain else replace(scope, always=False))

    def _call(self, call: ast.Call, scope: _Scope) -> None:
        if isinstance(call.func, ast.Call):
            self._registrar(call.func, call.args[0] if call.args else call, scope)
        elif isinstance(call.func, ast.Name) and call.func.id in self._functions:
            self._enter(self._functions[call.func.id], call, scope)
        elif isinstance(call.func, ast.Attribute):
            self._method(call.func, call, scope)
        elif _hands_over(call, scope):
            self._found.complete = False

    def _method(self, method: ast.Attribute, call: ast.Call, scope: _Scope) -> None:
        owner = method.value
        if isinstance(owner, ast.Attribute) and _is_host(owner.value, scope):
            if owner.attr in _PROMISED and method.attr in ("add", "update"):
                given = [ast.List(call.args, ast.Load())] if method.attr == "add" else call.args
                self._idempotent(_PROMISED[owner.attr], given, scope)
            elif owner.attr in _TABLES and method.attr == "update":
                self._updates(_TABLES[owner.attr], call, scope)
            elif method.attr in ("pop", "remove", "discard") and call.args:
                self._taken_back(owner, call.args[0], call, scope)
            elif method.attr == "clear":
                self._found.complete = False
        elif _is_host(owner, scope):
            for kind in self._host_classes.values():
                self._own_method(method.attr, call, scope, kind)
        elif _hands_over(call, scope):
            # another module's function may register anything
            self._found.complete = False

    def _own_method(self, name: str, call: ast.Call, scope: _Scope, kind: ast.ClassDef | None) -> None:
        """Follow a method of a class that is made from Host: `self` is the host there."""
        for method in kind.body if kind is not None else ():
            if isinstance(method, Function) and method.name == name:
                self._enter(method, call, scope, is_method=True)

    def _enter(self, function: Function, call: ast.Call, scope: _Scope, *, is_method: bool = False) -> None:
        """Follow a helper of this file into its body, with the hosts and texts that it is given."""
        self._entered += 1
        if scope.depth >= _MAX_DEPTH or self._entered > _MOST_CALLS:
            self._found.complete = False
            return
        arguments = function.args.posonlyargs + function.args.args
        own = {argument.arg for argument in arguments[: int(is_method)]}
        others = (argument.arg for argument in arguments[int(is_method) :])
        given = dict(zip(others, call.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        hosts = own | {name for name, value in given.items() if _is_host(value, scope)}
        constants = {
            name: held
            for name, value in given.items()
            if (held := constant_of(value, scope.constants)) is not None
        }
        parameters = {argument.arg for argument in (*arguments, *function.args.kwonlyargs)}
        inner = _Scope(
            frozenset(hosts | (scope.hosts - parameters)),
            {**{name: held for name, held in scope.constants.items() if name not in parameters}, **constants},
            scope.always,
            scope.depth + 1,
        )
        self._block(function.body, inner)


def _is_host(node: ast.expr, scope: _Scope) -> bool:
    return isinstance(node, ast.Name) and node.id in scope.hosts


def _hands_over(call: ast.Call, scope: _Scope) -> bool:
    return any(
        _is_host(value, scope) for value in (*call.args, *(keyword.value for keyword in call.keywords))
    )
