#!/bin/sh
# shap 0.51.0: KernelExplainer chooses ten features by the lasso by default. For a linear model of 20 features of equal
# effect it gives ten or so of them twice their effect and the others 0, silently, though the samples determine the
# effects exactly: l1_reg=0 gives them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 shap==0.51.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import logging

import numpy as np
import shap

logging.disable(logging.CRITICAL)
background, row = np.zeros((1, 20)), np.ones((1, 20))
for choice in ({}, {"l1_reg": 0}):
    np.random.seed(0)
    explainer = shap.KernelExplainer(lambda X: X.sum(axis=1), background, silent=True)
    told = explainer.shap_values(row, silent=True, **choice)[0]
    zeros = np.abs(told) < 1e-9
    print(choice, "zeros", zeros.sum(), "mean of the others", told[~zeros].mean().round(2), "sum", told.sum().round(6))
PROGRAM
diff "$folder/seen" - <<'SEEN'
{} zeros 10 mean of the others 2.0 sum 20.0
{'l1_reg': 0} zeros 0 mean of the others 1.0 sum 20.0
SEEN
echo "as described"
