"""Any module may be the first that is imported: no import leads back to a module that is still under way."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    ROOT / "grammar" / "agentl_grammar",
    ROOT / "runtime" / "agentl",
    ROOT / "server" / "agentl_server",
)


def modules(packages: tuple[Path, ...]) -> dict[str, Path]:
    """The files of the packages, by the name under which they are imported."""
    found: dict[str, Path] = {}
    for package in packages:
        for file in sorted(package.rglob("*.py")):
            parts = file.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def run_at_import(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that a module makes while it is loaded: none in a function, none for types alone."""
    match node:
        case ast.Import() | ast.ImportFrom():
            yield node
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            pass
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            for statement in node.orelse:
                yield from run_at_import(statement)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from run_at_import(child)


def with_parents(name: str) -> list[str]:
    """Return what importing `name` runs: the packages above it, and itself."""
    parts = name.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def needed(name: str, file: Path, known: dict[str, Path]) -> set[str]:
    """Return what must be loaded before the module `name` is.

    The packages above it are under way when it is loaded: that they take names from it is no circle.
    """
    wanted: set[str] = set()
    for statement in run_at_import(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            paths = [alias.name for alias in statement.names]
        else:
            assert statement.level == 0, f"{file}: a relative import"
            inside = [f"{statement.module}.{alias.name}" for alias in statement.names]
            paths = [path if path in known else f"{statement.module}" for path in inside]
            if statement.module in with_parents(name)[:-1] and statement.module in paths:
                wanted.add(statement.module)  # it takes a name of a package that is itself under way
        for path in paths:
            wanted |= set(with_parents(path)) - set(with_parents(name)[:-1])
    return {path for path in wanted if path in known and path != name}


def circle(packages: tuple[Path, ...]) -> list[str]:
    """Return the modules of a circle of imports, the first once more at the end; none: an empty list."""
    known = modules(packages)
    order = graphlib.TopologicalSorter({name: needed(name, file, known) for name, file in known.items()})
    try:
        order.prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_every_module_may_be_imported_first():
    assert circle(PACKAGES) == []


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"a": "from p import b", "b": "import p.a"}, True),
        ({"a": "from p.b import x", "b": "if 1:\n    from p.a import y"}, True),
        ({"a": "from p.b import x", "b": "def f():\n    from p.a import y"}, False),
        ({"a": "from p.b import x", "b": "class C:\n    def f():\n        from p.a import y"}, False),
        ({"a": "from p.b import x", "b": "if TYPE_CHECKING:\n    from p.a import y"}, False),
        ({"__init__": "from p.a import x", "a": "x = 1"}, False),
        ({"__init__": "from p.a import x", "a": "from p import y"}, True),
        ({"q/__init__": "from p.q.c import x", "q/c": "from p.a import x", "a": "from p.q.d import y"}, True),
    ],
)
def test_a_circle_is_found(tmp_path: Path, files: dict[str, str], found: bool):
    package = tmp_path / "p"
    for name, text in {"__init__": "", "q/__init__": "", "q/d": "", **files}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    assert bool(circle((package,))) is found
