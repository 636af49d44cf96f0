"""The functions of a host script and what they call, as far as the file shows (editor.md).

A registered function is followed through its file: functions by name, methods by name, lambdas, aliases
(`send = bank.send`), `functools.partial`, objects that can be called, factories, and decorators of the file.
What stands in another module is not followed.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cached_property, lru_cache

from agentl.host.registrations import Registration
from agentl.host.syntax import Function, keyword_of, last_name
from agentl.host.walk import walk_host
from agentl_grammar.lexer import BYTE_ORDER_MARK

Callable = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_DEEPEST = 8
_ALIKE = 3
"""Of more methods of one name nobody can tell which is meant."""
_TABLES = frozenset({"tool", "subagent", "compensation"})


class HostCode:
    """A script taken apart. Nothing of it is run."""

    def __init__(self, text: str) -> None:
        self.text = text.removeprefix(BYTE_ORDER_MARK)
        self.module, self._registrations = _parsed(self.text)

    # ------------------------------------------------------------------------------------- what is registered

    def all_registered(self) -> list[Callable]:
        """Return every registered function that stands in this file, whatever it is registered as."""
        return [function for found in self._named.values() for function in found]

    def registrations(self, kind: str, name: str) -> list[ast.AST]:
        """Return what is registered as `kind` under `name`: a function, or an expression."""
        return [made.node for made in self._registrations if (made.kind, made.name) == (kind, name)]

    def registered(self, kind: str, name: str) -> list[Callable]:
        """Return the functions that are registered as `kind` under `name` and stand in this file."""
        return list(self._named.get((kind, name), ()))

    def names(self, kind: str) -> list[str]:
        """Return the names that something is registered under as `kind`, in the order of the script."""
        found = [made.name for made in self._registrations if made.kind == kind]
        return list(dict.fromkeys(found))

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[Callable]]:
        found: dict[tuple[str, str], list[Callable]] = {}
        for made in self._registrations:
            known = found.setdefault((made.kind, made.name), [])
            known += (function for function in self.resolve(made.node) if function not in known)
        return found

    # ------------------------------------------------------------------------------------- names

    @cached_property
    def functions(self) -> dict[str, list[Callable]]:
        """The functions by name, wherever they are defined; methods are in `methods`."""
        found: dict[str, list[Callable]] = {}
        inside = {id(node) for nodes in self.methods.values() for node in nodes}
        for node in ast.walk(self.module):
            if isinstance(node, Function) and id(node) not in inside:
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def methods(self) -> dict[str, list[Callable]]:
        """The methods of all classes by name."""
        found: dict[str, list[Callable]] = {}
        for node in (each for nodes in self.classes.values() for each in nodes):
            for each in node.body:
                if isinstance(each, Function):
                    found.setdefault(each.name, []).append(each)
        return found

    @cached_property
    def classes(self) -> dict[str, list[ast.ClassDef]]:
        """The classes by name."""
        found: dict[str, list[ast.ClassDef]] = {}
        for node in ast.walk(self.module):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def aliases(self) -> dict[str, ast.expr]:
        """Names that are given a value once in the file, with that value."""
        found: dict[str, list[ast.expr]] = {}
        for node in ast.walk(self.module):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in _targets(node):
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
        return {name: values[0] for name, values in found.items() if len(values) == 1}

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """The names that the top of the script gives a value, and nothing else does, with that value."""
        own = {
            target.id
            for node in self.module.body
            for target in _targets(node)
            if isinstance(target, ast.Name)
        }
        return {name: value for name, value in self.aliases.items() if name in own}

    @cached_property
    def imported(self) -> dict[str, str]:
        """What each imported name stands for: `dt` → `datetime.datetime`."""
        found: dict[str, str] = {}
        for node in ast.walk(self.module):
            if isinstance(node, ast.Import):
                for name in node.names:
                    top = name.name.partition(".")[0]
                    found[name.asname or top] = name.name if name.asname else top
            elif isinstance(node, ast.ImportFrom):
                for name in node.names:
                    found[name.asname or name.name] = f"{node.module or ''}.{name.name}"
        return found

    def dotted(self, node: ast.expr, depth: int = 0) -> str | None:
        """Return the full name of something imported: `time.time`; None for anything else."""
        words: list[str] = []
        while isinstance(node, ast.Attribute):
            words.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or depth > _DEEPEST:
            return None
        alias = self.aliases.get(node.id)
        owner = self.imported.get(node.id)
        if owner is None and isinstance(alias, ast.Name | ast.Attribute):
            owner = self.dotted(alias, depth + 1)
        return ".".join([owner, *reversed(words)]) if owner else None

    def resolve(self, node: ast.AST, depth: int = 0) -> list[Callable]:
        """Return the functions of this file that an expression may stand for; none when elsewhere."""
        if isinstance(node, Callable):
            return [node]
        if depth > _DEEPEST:
            return []
        if isinstance(node, ast.Name):
            alias = self.aliases.get(node.id)
            known = self.functions.get(node.id, [])[:_ALIKE]
            return known or (self.resolve(alias, depth + 1) if alias is not None else [])
        if isinstance(node, ast.Attribute):
            return self._method(node)
        return self._made(node, depth + 1) if isinstance(node, ast.Call) else []

    def _method(self, node: ast.Attribute) -> list[Callable]:
        """Return the methods that `x.f` may be: that of the class of `x` where it is seen, else by name."""
        owner = self.aliases.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
        if isinstance(owner, ast.Call):
            known = [each for each in self.methods_of(owner.func) if each.name == node.attr]
            if known:
                return list(known)
        found = [] if self.dotted(node) else self.methods.get(node.attr, [])
        return found if len(found) <= _ALIKE else []

    def _made(self, call: ast.Call, depth: int) -> list[Callable]:
        """Return the functions that a call makes: by `partial`, as an object of a class, or in a factory."""
        if self.dotted(call.func) == "functools.partial":
            return self.resolve(call.args[0], depth) if call.args else []
        called = [each for each in self.methods_of(call.func) if each.name == "__call__"]
        if called:
            return list(called)
        return [
            function
            for factory in self.resolve(call.func, depth)
            for value in returned(factory)
            for function in self.resolve(value, depth)
            if not isinstance(value, ast.Call | ast.Attribute)
        ]

    def class_of(self, function: Callable) -> ast.ClassDef | None:
        """Return the class that a function is a method of."""
        every = (node for nodes in self.classes.values() for node in nodes)
        return next((node for node in every if function in node.body), None)

    @cached_property
    def properties(self) -> dict[str, list[Callable]]:
        """The properties of all classes by name: functions that an attribute calls."""
        words = {name: [f for f in found if _is_property(f)] for name, found in self.methods.items()}
        return {name: found for name, found in words.items() if found}

    def methods_of(self, kind: ast.expr) -> list[Function]:
        """Return the methods of a class of the file, with those that it inherits there; else none."""
        found: dict[str, Function] = {}
        pending = [kind]
        seen: set[str] = set()
        while pending:
            current = pending.pop(0)
            if isinstance(current, ast.Name) and current.id not in seen:
                seen.add(current.id)
                for node in self.classes.get(current.id, ()):
                    pending += node.bases
                    for each in node.body:
                        if isinstance(each, Function):
                            found.setdefault(each.name, each)
        return list(found.values())

    def _constructed(self, kind: ast.expr) -> list[Callable]:
        """Return what runs when an object of a class of the file is made."""
        first = [each for each in self.methods_of(kind) if each.name in ("__init__", "__post_init__")]
        body = [each for node in self.classes.get(last_name(kind), ()) for each in node.body]
        fields = [node for each in body if not isinstance(each, Function) for node in ast.walk(each)]
        return [*first, *(node for node in fields if isinstance(node, ast.Lambda))]

    def wrappers(self, function: Callable) -> list[Callable]:
        """Return what the decorators of the file run around a function: the functions inside of them."""
        found: dict[Callable, None] = {}
        for decorator in function.decorator_list if isinstance(function, Function) else ():
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            for each in self.resolve(named):
                found |= dict.fromkeys(node for node in ast.walk(each) if isinstance(node, Function))
                found.pop(each, None)
            found |= dict.fromkeys(each for each in self.methods_of(named) if each.name == "__call__")
        return [each for each in found if each is not function]

    def reached(self, functions: list[Callable]) -> list[Callable]:
        """Return `functions` and every function of the file that they call, by whatever way.

        A function that is handed on counts as called, and so do the decorators.
        """
        found: dict[Callable, None] = {}
        pending = list(functions)
        while pending:
            function = pending.pop(0)
            if function not in found:
                found[function] = None
                pending += self.wrappers(function)
                for node in body_nodes(function):
                    if isinstance(node, ast.Call):
                        given = (*node.args, *(keyword.value for keyword in node.keywords))
                        pending += [*self.resolve(node.func), *self._constructed(node.func)]
                        pending += (each for value in given for each in self._handed_on(value))
                    elif isinstance(node, ast.Attribute):
                        pending += self.properties.get(node.attr, ())
        return list(found)

    def _handed_on(self, value: ast.expr) -> list[Callable]:
        return self.resolve(value) if isinstance(value, ast.Name | ast.Attribute) else []

    # ------------------------------------------------------------------------------------- what is said of it

    def has_timeout(self, name: str) -> bool:
        """Tell whether some registration of a tool or sub-agent gives it a timeout, or may do so."""
        for node in ast.walk(self.module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                first = node.args[0] if node.args else keyword_of(node, "name")
                is_it = not isinstance(first, ast.Constant) or first.value == name
                if node.func.attr in _TABLES and first is not None and is_it:
                    timeout = keyword_of(node, "timeout")
                    if timeout is not None and not _is_none(timeout):
                        return True
        return False

    def mentions(self, tool: str, word: str) -> bool:
        """Tell whether the function of a tool, or one that it calls, uses a name."""
        reached = self.reached([*self.registered("tool", tool), *self.registered("subagent", tool)])
        return any(
            (isinstance(node, ast.Name) and self.imported.get(node.id, node.id).rpartition(".")[2] == word)
            or (isinstance(node, ast.Attribute) and node.attr == word)
            for function in reached
            for node in body_nodes(function)
        )

    @cached_property
    def comments(self) -> dict[int, str]:
        """The comments of the script by line, counted from 1."""
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(self.text).readline))
        except (tokenize.TokenError, SyntaxError):
            return {}
        return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}

    def is_comment_line(self, line: int) -> bool:
        """Tell whether nothing but a comment stands on a line."""
        return self._lines[line - 1].lstrip().startswith("#")

    @cached_property
    def _lines(self) -> list[str]:
        return io.StringIO(self.text).readlines()


@lru_cache(maxsize=16)
def read_code(text: str) -> HostCode:
    """Return a script taken apart; it is remembered, since editors ask again at every key."""
    return HostCode(text)


def body_nodes(function: Callable) -> Iterator[ast.AST]:
    """Yield what a function does when it is called: not its decorators, and not what functions in it do."""
    pending: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            pending[:0] = ast.iter_child_nodes(node)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _is_property(function: Callable) -> bool:
    decorators = function.decorator_list if isinstance(function, Function) else []
    return any(last_name(decorator) in ("property", "cached_property") for decorator in decorators)


def returned(function: Callable) -> list[ast.expr]:
    """Return the expressions that a function returns."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    nodes = body_nodes(function)
    return [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]


def first_line(function: Callable) -> int:
    """Return the line where a function begins, decorators included, counted from 1."""
    lines = [function.lineno]
    if isinstance(function, Function):
        lines += (decorator.lineno for decorator in function.decorator_list)
    return min(lines)


def _parsed(text: str) -> tuple[ast.Module, list[Registration]]:
    try:
        module = ast.parse(text)
        return module, walk_host(module).registrations
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], []), []


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
