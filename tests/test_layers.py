"""Imports and cimports go down only, as docs/architecture.md draws them."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "rrmlinear"
BELOW = {
    "core": set(),
    "projections": {"core"},
    "data": {"core"},
    "losses": {"core", "projections"},
    "solvers": {"core", "projections", "data", "losses"},
    "training": {"core", "projections", "data", "losses", "solvers"},
    "estimators": {"core", "projections", "data", "losses", "solvers", "training"},
    "cli": {"core", "projections", "data", "losses", "solvers", "training"},
}
FILES = sorted(
    path
    for path in PACKAGE.rglob("*")
    if path.suffix in {".py", ".pyx", ".pxd", ".pyi"} and path.parent != PACKAGE
)
PRINTING = {"cli", "estimators"}


def imported(path):
    """Modules of the package that a file imports or cimports, wherever in it."""
    text = path.read_text()
    found = re.findall(r"^\s*(?:from|c?import) (rrmlinear[\w.]*)", text, flags=re.MULTILINE)
    return {name.removeprefix("rrmlinear").lstrip(".") for name in found}


def test_every_folder_has_a_layer():
    folders = {path.relative_to(PACKAGE).parts[0] for path in FILES}
    assert folders <= set(BELOW)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path):
    layer = path.relative_to(PACKAGE).parts[0]
    folders = {name.split(".")[0] for name in imported(path)} - {"", layer}
    assert folders <= BELOW[layer]


@pytest.mark.parametrize("layer", sorted(BELOW))
def test_only_the_registry_names_a_loss(layer):
    naming = {
        path.name
        for path in (PACKAGE / layer).rglob("*")
        if path in FILES
        and any(name.startswith("losses.") and name != "losses.base" for name in imported(path))
    }
    assert naming <= ({"registry.py"} if layer == "training" else set())


@pytest.mark.parametrize("layer", sorted(set(BELOW) - PRINTING))
def test_nothing_below_prints(layer):
    for path in (PACKAGE / layer).glob("*.py"):
        calls = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        ]
        names = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
        assert "print" not in names, path.name


def test_starting_costs_nothing_heavy():
    heavy = re.compile(r"^(?:from|import) (sklearn|matplotlib|scipy|rich|joblib)", re.MULTILINE)
    for path in FILES:
        if path.relative_to(PACKAGE).parts[0] != "estimators":
            assert not heavy.search(path.read_text()), path.name
