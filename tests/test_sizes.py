"""The package does not grow, and no kernel has what compilers read in two ways."""

import ast
import re
from pathlib import Path

from package_sources import FOLDERS, PACKAGE, SOURCES, folder_of, name_of, sources

#: Source stems that one folder may hold.
MOST_STEMS = 20
KINDS = {".py", ".pyx", ".pxd", ".pyi", ".h", ".hpp", ".c", ".cpp", ".html"}
#: What the package has come down to. A change may lower these numbers, and then the table follows.
MOST = {
    "lines": 91_949,
    "files": 604,
    "extension modules": 58,
    "numeric constants of solvers and catalog": 324,
    "attributes of a class": 29,
    "depth of inheritance": 4,
    "looks at a shape in the catalog": 0,
    "lines of tests": 43_841,
    "constants that tests set": 7,
}
#: What sets a constant of a module in a test.
SETS = re.compile(r'setattr\(\s*\w+,\s*"[A-Z][A-Z_]+",')


def _numbers_in(tree):
    """The names in capitals that a module gives numbers."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Subscript):
            names = [each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)]
            leaves = [each for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
            if all(name.isupper() for name in names) and leaves:
                is_number = all(type(each.value) in (int, float) for each in leaves)
                yield from names if is_number else ()


def _classes():
    """The classes of Python modules by their names: their bases, and their attributes."""
    found = {}
    for path in sources(".py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                own = {
                    each.attr
                    for each in ast.walk(node)
                    if isinstance(each, ast.Attribute)
                    and isinstance(each.ctx, ast.Store)
                    and ast.unparse(each.value) == "self"
                }
                bases = {ast.unparse(base).split(".")[-1] for base in node.bases}
                found[node.name] = bases - {node.name}, own
    return found


def _depth(name, classes):
    bases = classes[name][0] if name in classes else ()
    return 1 + max((_depth(base, classes) for base in bases if base in classes), default=0)


def test_the_package_does_not_grow():
    every = PACKAGE.rglob("*")
    files = [path for path in every if path.suffix in KINDS or path.name == "meson.build"]
    parsed = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("solvers", "catalog")
        for path in sources(".py", only=folder)
    }
    classes = _classes()
    catalog = [tree for path, tree in parsed.items() if folder_of(path) == "catalog"]
    tests = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py")]
    now = {
        "lines": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files),
        "files": len(files),
        "extension modules": len(sources(".pyx")),
        "numeric constants of solvers and catalog": sum(
            len(list(_numbers_in(tree))) for tree in parsed.values()
        ),
        "attributes of a class": max(len(own) for _, own in classes.values()),
        "depth of inheritance": max(_depth(name, classes) for name in classes),
        "looks at a shape in the catalog": sum(
            isinstance(node, ast.Attribute) and node.attr == "shape"
            for tree in catalog
            for node in ast.walk(tree)
        ),
        "lines of tests": sum(len(text.splitlines()) for text in tests),
        "constants that tests set": sum(len(SETS.findall(text)) for text in tests),
    }
    assert {name: size for name, size in now.items() if size > MOST[name]} == {}


def test_a_folder_holds_few_files_and_says_what_lives_there():
    for folder in FOLDERS:
        stems = {p.stem for p in folder.iterdir() if p.suffix in SOURCES and p.stem != "__init__"}
        assert len(stems) <= MOST_STEMS, name_of(folder)
        text = (folder / "__init__.py").read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), name_of(folder)


def test_files_stay_short():
    for path in sources(".py", ".pyx", ".pxd", ".h"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, name_of(path)


def test_no_kernel_counts_from_the_end():
    for path in sources(".pyx"):
        # with wraparound off the meaning of object[-1] depends on the version of Python
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"([\w.]+)\[-\d+\]", text)
        pointers = re.findall(r"char\s*\*\s*(\w+)", text)
        assert set(names) <= set(pointers), name_of(path)


#: A `def` of a kernel with its arguments, and arguments that a caller could pass None for.
DEFINITION = re.compile(r"^[ \t]*(?:def|cpdef)\s+([^(\n]*)\(((?:[^()]|\([^()]*\))*)\)", re.M)
POINTS_TO_MEMORY = re.compile(r"^(?:[\w ]+\[[:,1 ]+\]|(?!Py_)[A-Z]\w*)\s*\w+$")


def test_no_kernel_takes_none_for_memory():
    # without checks None is read as an array: a segmentation fault; those that may be None have a
    # default
    for path in sources(".pyx"):
        found = []
        for name, arguments in DEFINITION.findall(path.read_text(encoding="utf-8")):
            flat = re.sub(r"\[[^\]]*\]", lambda m: m.group().replace(",", ";"), arguments)
            each = (" ".join(argument.split()).replace(";", ",") for argument in flat.split(","))
            found += [f"{name}({a})" for a in each if POINTS_TO_MEMORY.match(a)]
        assert found == [], name_of(path)
