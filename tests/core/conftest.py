"""Compiled programs for the tests of the selections."""

import shutil
import subprocess
from pathlib import Path

import pytest

HEADERS = Path(__file__).resolve().parents[2] / "rrmlinear" / "core"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A C++ file beside this one, by name, as a program."""

    def build(name):
        compiler = shutil.which("g++") or shutil.which("c++")
        if compiler is None:
            pytest.skip(f"no C++ compiler to build {name} with")
        program = tmp_path_factory.mktemp("selection") / name
        source = Path(__file__).with_name(f"{name}.cpp")
        subprocess.run([compiler, "-O1", f"-I{HEADERS}", source, "-o", program], check=True)
        return program

    return build
