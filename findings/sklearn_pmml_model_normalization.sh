#!/bin/sh
# sklearn-pmml-model 1.0.8: normalizationMethod of a PMML file is ignored. With "exp", as files of Poisson and gamma
# regressions have it, PMMLLinearRegression predicts the logarithm of the mean, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 sklearn-pmml-model==1.0.8
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn_pmml_model.linear_model import PMMLLinearRegression

HEAD = """<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/>
<DataDictionary><DataField name="y" optype="continuous" dataType="double"/>
<DataField name="a" optype="continuous" dataType="double"/></DataDictionary>
<RegressionModel functionName="regression" normalizationMethod="METHOD"><MiningSchema><MiningField name="y" usageType="target"/>
<MiningField name="a"/></MiningSchema>"""
TAIL = "</RegressionModel></PMML>"
X = pd.DataFrame({"a": [-1.0, 0.0, 2.0]})


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pmml"
        path.write_text(text)
        return PMMLLinearRegression(pmml=str(path))


TABLE = '<RegressionTable intercept="1"><NumericPredictor name="a" coefficient="0.5"/></RegressionTable>'
for method in ("none", "exp", "logit"):
    print(method, read(HEAD.replace("METHOD", method) + TABLE + TAIL).predict(X).round(3))
print("exp by hand", np.exp(1 + 0.5 * X["a"].to_numpy()).round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
none [0.5 1.  2. ]
exp [0.5 1.  2. ]
logit [0.5 1.  2. ]
exp by hand [1.649 2.718 7.389]
SEEN
echo "as described"
