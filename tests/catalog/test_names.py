"""Names of losses and regularizers as types: those of the tables, and a type checker reads them."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

from rrmlinear.catalog import names
from rrmlinear.catalog.losses import CHAIN_LOSSES, LOSSES, MEASURE_LOSSES, ORDER_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS


def of_kinds(*kinds):
    return {row.name for row in LOSSES.values() if row.kind in kinds}


def test_types_have_the_names_of_the_tables():
    assert set(get_args(names.ClassLoss)) == of_kinds("binary", "multiclass")
    assert set(get_args(names.NumberLoss)) == of_kinds("regression")
    assert set(get_args(names.LabellingLoss)) == set(CHAIN_LOSSES)
    assert set(get_args(names.MeasureLoss)) == set(MEASURE_LOSSES)
    assert set(get_args(names.OrderLoss)) == set(ORDER_LOSSES)
    assert set(get_args(names.RegularizerName)) == set(REGULARIZERS)


WRONG = """from rrmlinear import LinearClassifier, LinearSVC, Parameter, path
LinearClassifier(loss="hing")
LinearSVC(loss="hing")
Parameter(loss="hing")
LinearClassifier(regularizer="l3")
LinearClassifier("hinge", regularizer="l1")
LinearSVC(loss="hinge")
Parameter(loss="hinge", C=1.0)
"""


@pytest.mark.skipif(find_spec("mypy") is None, reason="needs mypy")
def test_mypy_finds_names_that_are_none(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent"]
    command += ["--ignore-missing-imports", "wrong.py"]
    # an editable install is found by a hook of imports, which mypy does not read
    found_by = os.environ | {"MYPYPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=found_by)
    found = [line.split(":")[1] for line in done.stdout.splitlines() if "arg-type" in line]
    assert found == ["2", "3", "4", "5"]
