#!/bin/sh
# sklearn-pmml-model 1.0.8: PMMLLogisticRegression of two classes does not look at targetCategory: it takes the table
# with predictors for that of the second class. Where the file has them in the table of the first class,
# labels and probabilities are exchanged, silently.
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
from sklearn_pmml_model.linear_model import PMMLLogisticRegression

HEAD = """<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/>
<DataDictionary><DataField name="y" optype="categorical" dataType="string">
<Value value="no"/><Value value="yes"/></DataField>
<DataField name="a" optype="continuous" dataType="double"/></DataDictionary>
<RegressionModel functionName="classification" normalizationMethod="softmax">
<MiningSchema><MiningField name="y" usageType="target"/>
<MiningField name="a"/></MiningSchema>"""
TAIL = "</RegressionModel></PMML>"
X = pd.DataFrame({"a": [-1.0, 0.0, 2.0]})


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pmml"
        path.write_text(text)
        return PMMLLogisticRegression(pmml=str(path))


TABLES = """<RegressionTable intercept="1" targetCategory="%s"><NumericPredictor name="a" coefficient="2"/>
</RegressionTable><RegressionTable intercept="0" targetCategory="%s"/>"""
right = 1 / (1 + np.exp(-1 - 2 * X["a"].to_numpy()))
for order in (("yes", "no"), ("no", "yes")):
    model = read(HEAD + TABLES % order + TAIL)
    chances = model.predict_proba(X)[:, list(model.classes_).index(order[0])]
    print("scores of", order[0], "labels", *model.predict(X), "chances", chances.round(3), end=" ")
    print("by hand", right.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
scores of yes labels no yes yes chances [0.269 0.731 0.993] by hand [0.269 0.731 0.993]
scores of no labels no yes yes chances [0.731 0.269 0.007] by hand [0.269 0.731 0.993]
SEEN
echo "as described"
