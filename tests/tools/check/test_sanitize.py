"""The sanitizer run finds its tests and an environment without the installed package."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture
def sanitize(tool):
    return tool("sanitize")


def test_its_environment_borrows_packages_and_hides_an_editable_install(sanitize, tmp_path):
    python, site = sanitize.make_environment(tmp_path / "environment")
    assert site.is_relative_to(tmp_path)
    (site / "rrmlinear.py").write_text("here = True\n")
    command = [python, "-c", "import numpy, rrmlinear; print(rrmlinear.here)"]
    assert subprocess.check_output(command, text=True, cwd=tmp_path).strip() == "True"


def test_folders_without_tests_are_refused(sanitize, capsys):
    with pytest.raises(SystemExit) as ended:
        sanitize.main(["data", "nothing-here"])
    assert ended.value.code == 2
    assert "tests/ has no nothing-here" in capsys.readouterr().err
