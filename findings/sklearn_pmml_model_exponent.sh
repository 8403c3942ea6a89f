#!/bin/sh
# sklearn-pmml-model 1.0.8: the exponent of a NumericPredictor in a PMML file is ignored, and a PredictorTerm is left
# out: other terms than linear ones are read as a linear model with other predictions, silently.
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
<RegressionModel functionName="regression" ><MiningSchema><MiningField name="y" usageType="target"/>
<MiningField name="a"/></MiningSchema>"""
TAIL = "</RegressionModel></PMML>"
X = pd.DataFrame({"a": [-1.0, 0.0, 2.0]})


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pmml"
        path.write_text(text)
        return PMMLLinearRegression(pmml=str(path))


TABLE = '<RegressionTable intercept="1"><NumericPredictor name="a" %s coefficient="3"/>%s</RegressionTable>'
TERM = '<PredictorTerm coefficient="10"><FieldRef field="a"/><FieldRef field="a"/></PredictorTerm>'
a = X["a"].to_numpy()
for exponent, term, right in (("", "", 1 + 3 * a), ('exponent="2"', "", 1 + 3 * a**2), ("", TERM, 1 + 3 * a + 10 * a**2)):
    print(read(HEAD + TABLE % (exponent, term) + TAIL).predict(X), "by hand", right)
PROGRAM
diff "$folder/seen" - <<'SEEN'
[-2.  1.  7.] by hand [-2.  1.  7.]
[-2.  1.  7.] by hand [ 4.  1. 13.]
[-2.  1.  7.] by hand [ 8.  1. 47.]
SEEN
echo "as described"
