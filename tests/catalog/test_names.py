"""Names of losses and regularizers as types: those of the tables, and a type checker reads them."""

import json
import os
import subprocess
import sys
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


WRONG = """from rrmlinear import LinearClassifier, LinearSVC, Parameter, RankingSVM, path
LinearClassifier(loss="hing")
LinearSVC(loss="hing")
Parameter(loss="hing")
LinearClassifier(regularizer="l3")
RankingSVM(loss="smooth")
LinearClassifier("hinge", regularizer="l1")
LinearSVC(loss="hinge")
Parameter(loss="hinge", C=1.0)
"""
MYPY = ["mypy", "--follow-imports=silent", "--ignore-missing-imports"]


@pytest.mark.parametrize("checker", [MYPY, ["pyright"]], ids=["mypy", "pyright"])
def test_a_type_checker_finds_names_that_are_none(tmp_path, checker):
    pytest.importorskip(checker[0])
    (tmp_path / "wrong.py").write_text(WRONG)
    # an editable install is found by a hook of imports, which type checkers do not read
    sources = str(Path(__file__).parents[2])
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [sources]}))
    command = [sys.executable, "-m", *checker, *["wrong.py"] * (checker is MYPY)]
    found_by = os.environ | {"MYPYPATH": sources}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=found_by)
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert [line.split("wrong.py:")[1][0] for line in errors] == [*"23456"]
