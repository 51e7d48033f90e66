"""The page of the Python API, made from the sources of the public modules: nothing is imported."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from arena.contestant.markdown import code, joined, plain, table

ROOT = Path(__file__).parents[2]
Definition = ast.ClassDef | ast.FunctionDef

MODULES = {
    "arena": "",
    "arena.notebook": "What `arena.play` and `arena.tournament` return.",
    "arena.sdk": "",
    "arena.sdk.search": "",
    "arena.game": "",
    "arena.rl": "",
    "arena.testing": "",
}
"""What is public, with a sentence where the module's own name is not the one that people use."""


def api_page() -> str:
    """Every public name of the public modules, from their sources: nothing is imported."""
    page = [
        "# The Python API",
        "Made from the docstrings. [compatibility.md](../compatibility.md) says which names stay.",
    ]
    above = set[str]()
    for module, sentence in MODULES.items():
        tree = _tree(module)
        page += [f"## {module}", *_docstring(tree), sentence]
        for name in _public_names(tree):
            if (found := _find(module, name)) and name not in above:
                page += [f"### {name}", *_described(found)]
        if module == "arena":
            above.update(_public_names(tree))
    return joined(page)


def _tree(module: str) -> ast.Module:
    path = ROOT / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


def _public_names(tree: ast.Module) -> list[str]:
    """What `__all__` lists, or else the public classes and functions that are defined here."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return [node.name for node in tree.body if isinstance(node, Definition) and not node.name.startswith("_")]


def _find(module: str, name: str) -> Definition | None:
    """The definition of a name, also where the module has it from another one; None for a plain value."""
    tree = _tree(module)
    for node in tree.body:
        if isinstance(node, Definition) and node.name == name:
            return node
    for line in ast.walk(tree):
        if isinstance(line, ast.ImportFrom) and line.module and name in [each.name for each in line.names]:
            return _find(line.module, name)
    return None


def _described(node: Definition) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield code(_signature(node), "python")
        yield from _docstring(node)
        return
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    constructor = next((each for each in functions if each.name == "__init__"), None)
    bases = ", ".join(map(ast.unparse, node.bases))
    head = f"class {node.name}({bases})" if bases else f"class {node.name}"
    yield code(f"{head}\n{_signature(constructor, node.name)}" if constructor else head, "python")
    yield from _docstring(node)
    yield table(("attribute", "type", "meaning"), list(_attributes(node)))
    for each in functions:
        if not each.name.startswith("_"):
            yield from (f"#### {node.name}.{each.name}", code(_signature(each), "python"), *_docstring(each))


def _attributes(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """The fields of a class with the docstrings below them."""
    for each, following in zip(node.body, [*node.body[1:], None]):
        if isinstance(each, ast.AnnAssign):
            name, kind = ast.unparse(each.target), f"`{ast.unparse(each.annotation)}`"
        elif isinstance(each, ast.Assign):
            name, kind = ast.unparse(each.targets[0]), ""
        else:
            continue
        if not name.startswith("_"):
            said = following.value if isinstance(following, ast.Expr) else None
            text = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
            yield f"`{name}`", kind, plain(text)


def _signature(node: ast.FunctionDef, name: str = "") -> str:
    """How a function is called; one line for each parameter where one line would be too long."""
    returns = ast.unparse(node.returns) if node.returns and not name else ""
    returns = returns.strip("'")  # of a name that only a type checker imports
    if "property" in map(ast.unparse, node.decorator_list):
        return f"{node.name}: {returns}"
    head, parts, end = f"{name or node.name}(", _parameters(node.args), f") -> {returns}" if returns else ")"
    line = f"{head}{', '.join(parts)}{end}"
    return line if len(line) <= 100 else f"{head}\n{''.join(f'    {part},{chr(10)}' for part in parts)}{end}"


def _parameters(given: ast.arguments) -> list[str]:
    """The parameters without `self`, each with its type and default."""
    positional = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
    parts = [
        _parameter(each, default) for each, default in zip(positional, defaults) if each.arg not in ("self", "cls")
    ]
    if given.vararg or given.kwonlyargs:
        parts.append(f"*{ast.unparse(given.vararg) if given.vararg else ''}")
    parts += map(_parameter, given.kwonlyargs, given.kw_defaults)
    return [*parts, f"**{ast.unparse(given.kwarg)}"] if given.kwarg else parts


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    return f"{ast.unparse(parameter)}{f' = {ast.unparse(default)}' if default else ''}"


def _docstring(node: ast.Module | Definition) -> Iterator[str]:
    """The paragraphs of a docstring; one that is indented or begins with an import is an example."""
    for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
        example = paragraph.startswith(("    ", "import ", "from "))
        yield code(inspect.cleandoc(paragraph), "python") if example else plain(paragraph)
