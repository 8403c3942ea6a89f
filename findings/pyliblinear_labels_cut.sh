#!/bin/sh
# pyliblinear 250.1: labels are cut to whole numbers, from a file and from Python, silently. The solvers for
# regression are there, and are given 0 for 0.8; its documentation of files says that labels are read as
# doubles.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check pyliblinear==250.1
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pathlib import Path

from pyliblinear import FeatureMatrix, Model, Solver

Path("data").write_text("0.8 1:0.8\n-1.5 1:-1.5\n2.9 1:2.9\n")
print("file", list(FeatureMatrix.load("data").labels()))
targets = [0.2, 0.4, 0.6, 0.8]
matrix = FeatureMatrix.from_iterables(targets, [{1: each} for each in targets])
print("Python", list(matrix.labels()))
model = Model.train(matrix, Solver("L2R_L2LOSS_SVR", C=1000, p=0.0))
print("regression", model.is_regression, list(model.predict([{1: 0.2}, {1: 0.8}])))
PROGRAM
diff "$folder/seen" - <<'SEEN'
file [0.0, -1.0, 2.0]
Python [0.0, 0.0, 0.0, 0.0]
regression True [0.0, 0.0]
SEEN
echo "as described"
