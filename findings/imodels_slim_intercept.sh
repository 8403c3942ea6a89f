#!/bin/sh
# imodels 3.0.4: SLIMRegressor has an intercept where no integer solver is installed, and none where one is:
# installing cvxpy and SCIP changes the model. Targets with a mean of 10 are then fitted through 0. The
# documentation says nothing of it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 imodels==3.0.4 six==1.17.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import subprocess
import sys

PROGRAM = """
import numpy as np
from imodels import SLIMRegressor
random = np.random.default_rng(1)
X = random.normal(size=(40, 3))
y = X @ [3.0, -2.0, 1.0] + 10 + 0.1 * random.normal(size=40)
model = SLIMRegressor(alpha=0.1).fit(X, y)
print("intercept", round(float(model.model_.intercept_), 1), "R2", round(model.score(X, y), 1))
"""
python = [sys.executable, "-W", "ignore"]
pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
print("without a solver", flush=True)
subprocess.run([*python, "-c", PROGRAM], check=True)
subprocess.run([*pip, "cvxpy==1.9.3", "pyscipopt==6.3.0"], check=True)
print("with a solver", flush=True)
subprocess.run([*python, "-c", PROGRAM], check=True)
PROGRAM
diff "$folder/seen" - <<'SEEN'
without a solver
intercept 10.0 R2 1.0
with a solver
intercept 0.0 R2 -8.8
SEEN
echo "as described"
