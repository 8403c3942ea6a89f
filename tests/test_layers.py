"""The package's order: dependencies point down, without a circle."""

import ast
import re
import subprocess
import sys
from functools import cache

import pytest
from package_sources import PACKAGE, folder_of, name_of, sources

#: Folders from the bottom up; the modules of a group may import all groups below, and their folder.
LAYERS = [
    ["simd"],
    ["core"],
    ["projections"],
    ["data", "losses", "regularizers"],
    ["risks"],
    ["solvers"],
    ["catalog"],
    ["pages"],
    ["exports"],
    ["training"],
    ["workers"],
    ["dask", "mpi"],
    ["cli", "estimators"],
    ["liblinearutil"],
]
BELOW = {
    folder: {lower for group in LAYERS[:level] for lower in group}
    for level, group_of in enumerate(LAYERS)
    for folder in group_of
}
#: Folders that users meet: they may print.
INTERFACES = ("cli", "estimators", "liblinearutil")
#: Files that start a command, and do nothing else.
DOORS = ("train.py", "predict.py", "sequences.py", "convert.py", "info.py", "plan.py", "plot.py")

HEAVY = {"sklearn", "scipy", "pandas", "joblib", "pooch", "rich", "cvxpy", "pyarrow"}
HEAVY |= {"matplotlib", "plotly", "jinja2"}
#: What solvers may know of losses and regularizers: their interface, and a function of all of them.
INTERFACE = {"base", "block_base", "coordinates", "prox_jacobians"}
#: Solvers that any module may know; the rest are the catalog's business.
SOLVER_INTERFACE = {"loop", "dual.dual_descent", "dual.pairs", "boosting", "features.set_paths"}
SOLVER_INTERFACE |= {"features.group_descent"}
SOLVER_INTERFACE |= {"lbfgs.problems"}
SOLVER_INTERFACE |= {
    f"rounds.{name}" for name in ("fleet", "orders", "over_parts", "packed", "part", "spread")
}


class Import:
    """One imported module, and whether importing the file is enough to import it."""

    def __init__(self, module, at_once):
        self.module, self.at_once = module, at_once


def python_imports(path):
    found = []

    def visit(node, at_once):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend(Import(alias.name, at_once) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{name_of(path)} imports by a relative name"
                found.append(Import(child.module, at_once))
                # `from rrmlinear.solvers import block_descent` imports a module, too
                found.extend(Import(f"{child.module}.{a.name}", at_once) for a in child.names)
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            visit(child, at_once and not inside and not typing)

    visit(ast.parse(path.read_text(encoding="utf-8")), True)
    return found


CYTHON_IMPORT = re.compile(
    r"^(\s*)(?:from\s+(\S+)\s+c?import\s+\(?([^#\n]*)|c?import\s+(\S+))", re.M
)


def cython_imports(path):
    found = []
    for indent, module, names, plain in CYTHON_IMPORT.findall(path.read_text(encoding="utf-8")):
        assert not module.startswith("."), f"{name_of(path)} imports by a relative name"
        found.append(Import(module or plain, not indent))
        found.extend(
            Import(f"{module}.{name.strip()}", not indent)
            for name in names.rstrip(")").split(",")
            if module and name.strip()
        )
    return found


@cache
def imports_of(path):
    return python_imports(path) if path.suffix in (".py", ".pyi") else cython_imports(path)


def own_imports(path):
    """(folder, module) of what a file imports of the package."""
    for entry in imports_of(path):
        parts = entry.module.split(".")
        if parts[0] == "rrmlinear" and len(parts) > 1 and parts[1] in BELOW:
            yield parts[1], ".".join(parts[2:])


MODULES = sources(".py", ".pyx", ".pxd")
CATALOG = sources(".py", only="catalog")


def test_the_readers_of_imports_read():
    found = {(folder_of(p), to) for p in MODULES for to, _ in own_imports(p)}
    # each kind of file is seen at work: .pyx → .pxd, .py → .py, .py → .pyx
    assert {("losses", "projections"), ("solvers", "losses"), ("training", "data")} <= found
    assert len(MODULES) > 20


def test_every_folder_has_a_row_in_the_description():
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    used = {path.parent for path in sources(".py", ".pyx", ".h") if path.stem != "__init__"}
    for folder in used - {PACKAGE}:
        whole = f"`{folder.relative_to(PACKAGE)}/`"
        within = (f"`{folder.parent.relative_to(PACKAGE)}/`", f"`{folder.name}/`")
        assert any(whole in row or all(part in row for part in within) for row in rows), whole


def test_every_folder_has_its_place():
    assert {folder_of(path) for path in MODULES} <= set(BELOW) | {"top"}


def test_dependencies_point_down():
    for path in MODULES:
        folder = folder_of(path)
        allowed = BELOW.get(folder, set(BELOW)) | {folder}
        if name_of(path) in DOORS:
            allowed = {"cli"}
        upward = {to for to, _ in own_imports(path)} - allowed
        assert upward == set(), f"{name_of(path)} may not import {upward}"


#: Rooms of C headers: vector loops, and characters to numbers. All else is Cython.
HEADERS = {"data/text"} | {
    f"simd{room}" for room in ("", "/chains", "/classes", "/labels", "/losses", "/small")
}


def test_c_headers_are_in_their_rooms():
    assert {name_of(path.parent) for path in sources(".h")} == HEADERS


def test_headers_include_downward():
    homes = {header.name: folder_of(header) for header in sources(".h")}
    for path in sources(".h"):
        for included in re.findall(r'#include "(\S+)"', path.read_text(encoding="utf-8")):
            allowed = BELOW[folder_of(path)] | {folder_of(path)}
            assert homes[included] in allowed, f"{name_of(path)} may not include {included}"


def test_the_catalog_alone_names_concrete_losses_regularizers_and_solvers():
    for path in sorted(set(MODULES) - set(CATALOG)):
        concrete = set()
        for folder, module in own_imports(path):
            if folder == folder_of(path) or not module:
                continue
            interface = SOLVER_INTERFACE if folder == "solvers" else INTERFACE
            if folder in ("losses", "regularizers", "solvers") and not any(
                f"{module}.".startswith(f"{known}.") for known in interface
            ):
                concrete.add(f"{folder}.{module}")
        assert concrete == set(), f"{name_of(path)} may not name {concrete}"


def test_the_catalog_does():
    named = {entry for path in CATALOG for entry in own_imports(path)}
    assert {("losses", "multiclass"), ("solvers", "dual.ascents")} <= named


def module_name(path):
    """A file's module; a .pxd, a .pyi and their .pyx are one."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph():
    """The modules that each module imports, wherever in its files the imports stand."""
    files = sources(".py", ".pyx", ".pxd", ".pyi")
    graph = {module_name(path): set() for path in files}
    for path in files:
        for entry in imports_of(path):
            if entry.module in graph:
                graph[module_name(path)].add(entry.module)
    # `from package import module` is an import of the module alone
    for name, found in graph.items():
        found.discard(name)
        found -= {each for each in found if any(other.startswith(f"{each}.") for other in found)}
    return graph


def circles_of(graph):
    """Strongly connected modules, two and more together."""
    reach = {name: set(found) for name, found in graph.items()}
    for middle in graph:
        for found in reach.values():
            if middle in found:
                found |= reach[middle]
    return {frozenset(b for b in graph if a in reach[b] and b in reach[a]) for a in graph} - {
        frozenset()
    }


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}
    assert circles_of(graph) == {frozenset("abc")}
    assert circles_of({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == set()


def test_no_import_closes_a_circle():
    assert circles_of(import_graph()) == set()


def test_nothing_below_the_interfaces_prints():
    for path in sources(".py", ".pyx", but=INTERFACES):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"(?<![\w.])print\(|\bprintf\(", text) == [], name_of(path)


def test_nothing_below_the_catalog_knows_solver_types():
    for path in sources(
        ".py", ".pyx", ".pxd", ".h", but=("catalog", "pages", "training", *INTERFACES, "top")
    ):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"MCSVM|L2R_|solver.?type|(?<!\w)-s \d", text) == [], name_of(path)


def test_nothing_heavy_is_imported_at_once():
    for path in sources(".py", ".pyx", ".pxd", but=("estimators", "liblinearutil")):
        at_once = {entry.module.split(".")[0] for entry in imports_of(path) if entry.at_once}
        assert at_once & HEAVY == set(), name_of(path)


@pytest.mark.parametrize("name", ["__init__.py", "cli/command.py", "cli/leaving.py", *DOORS])
def test_a_command_imports_little_before_it_catches_ctrl_c(name):
    light = {"__future__", "collections.abc", "gc", "importlib", "importlib.machinery", "os"}
    light |= {"os.path", "sys", "rrmlinear._cyutility", "rrmlinear.cli.command"}
    light |= {"rrmlinear.cli.leaving"}
    at_once = {entry.module for entry in imports_of(PACKAGE / name) if entry.at_once}
    assert {module for module in at_once if module.rpartition(".")[0] not in light} <= light


def loaded_by(code, folder):
    """The modules of a process that runs this code."""
    words = [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_fitting_loads_nothing_heavy(tmp_path):
    code = (
        "import rrmlinear\n"
        "problem = rrmlinear.Problem.from_arrays([[1.0], [-1.0]], [1, 2])\n"
        "rrmlinear.fit(problem, rrmlinear.Parameter()).predict([[2.0]])"
    )
    assert loaded_by(code, tmp_path) & HEAVY == set()


def test_reading_text_and_options_loads_no_solver_and_nothing_heavy(tmp_path):
    code = (
        "import io, rrmlinear, rrmlinear.cli.options\nrrmlinear.read_libsvm(io.BytesIO(b'1 1:1'))"
    )
    found = loaded_by(code, tmp_path)
    assert found & HEAVY == set()
    solvers = ("newton", "prox_sdca", "pdprox", "bmrm", "agm", "feature_newton", "pegasos", "lbfgs")
    assert [name for name in found if name.split(".")[-1] in solvers] == []
