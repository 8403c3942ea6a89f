"""Cython sources are translated where they, their declarations or the options have changed."""

import importlib
import os
import re
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[3] / "tools" / "build" / "translate.py"
pytest.importorskip("Cython")


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """The tool over a package of two modules, one of which needs a declaration and C++."""
    package = tmp_path / "rrmlinear"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "alone.pyx").write_text("def one():\n    return 1\n")
    (package / "shared.pxd").write_text("cdef enum:\n    TWO = 2\n")
    (package / "needing.pyx").write_text(
        "# distutils: language = c++\n"
        "from rrmlinear.shared cimport TWO\n\ndef two():\n    return TWO\n"
    )
    # Its processes find what they call by the module's name.
    monkeypatch.syspath_prepend(TOOL.parent)
    monkeypatch.delitem(sys.modules, "translate", raising=False)
    module = importlib.import_module("translate")
    monkeypatch.setattr(module, "TOP", tmp_path)
    monkeypatch.setattr(module, "PACKAGE", package)
    return module


def written(folder, since):
    """The C files that were written since all of them were marked as old."""
    return {
        path.name
        for path in folder.glob("*.c*")
        if path.suffix != ".dep" and path.stat().st_mtime != since
    }


def age(folder, package, seconds):
    """Mark C files as written at a time, and sources as older."""
    for path in folder.iterdir():
        os.utime(path, (seconds, seconds))
    for path in package.iterdir():
        os.utime(path, (seconds - 10, seconds - 10))


def test_only_what_has_changed_is_translated(tool, tmp_path, capsys):
    tool.list_files()
    assert capsys.readouterr().out.splitlines() == [
        "alone.pyx rrmlinear.alone.c",
        "needing.pyx rrmlinear.needing.cpp",
        "shared.pxd",
        "__pycache__",
    ]
    folder, package = tmp_path / "made", tmp_path / "rrmlinear"
    folder.mkdir()
    options = ["-3", "-I", str(tmp_path)]
    both = {"rrmlinear.alone.c", "rrmlinear.needing.cpp"}
    assert tool.translate(folder, options)
    assert written(folder, None) == both

    old = 1_000_000_000.0
    age(folder, package, old)
    assert tool.translate(folder, options)
    assert written(folder, old) == set()

    (package / "shared.pxd").touch()
    assert tool.translate(folder, options)
    assert written(folder, old) == {"rrmlinear.needing.cpp"}

    age(folder, package, old)
    assert tool.translate(folder, [*options, "-X", "boundscheck=False"])
    assert written(folder, old) == both


def test_an_error_ends_the_translation(tool, tmp_path, capfd):
    (tmp_path / "rrmlinear" / "alone.pyx").write_text("cdef int broken(:\n")
    assert not tool.translate(tmp_path, ["-3"])
    assert "alone.pyx:1" in capfd.readouterr().err
    assert not (tmp_path / "rrmlinear.alone.c").exists()


def test_code_of_cython_is_compiled_quickly(tool, tmp_path):
    assert tool.translate(tmp_path, ["-3"])
    for name in ("rrmlinear.alone.c", "rrmlinear.needing.cpp"):
        text = (tmp_path / name).read_text()
        own, types, start, conversions = re.split(r'#pragma GCC optimize\("(?:O1|O0)"\)\n', text)
        levels = re.findall(r'#pragma GCC optimize\("(O\d)"\)', text)
        assert levels == ["O1", "O0", "O1"]
        assert re.search(r"__pyx_pw_\w*(one|two)\(.*\{", own)
        assert "PyMethodDef __pyx_methods[]" in types
        assert "__pyx_pymod_exec" in start
        assert "__Pyx_AddTraceback(" in conversions
