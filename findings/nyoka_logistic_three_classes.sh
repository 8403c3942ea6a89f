#!/bin/sh
# nyoka 5.5.0 with scikit-learn 1.3.2: LogisticRegression of three classes is written as three regressions with a
# sigmoid each, where scikit-learn has a softmax of the three scores: other probabilities, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==1.26.4 scipy==1.11.4 pandas==2.2.3 scikit-learn==1.3.2 nyoka==5.5.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from nyoka import skl_to_pmml
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

random = np.random.default_rng(0)
X = pd.DataFrame(random.normal(size=(150, 2)), columns=["a", "b"])
labels = np.digitize(X.to_numpy() @ [2, -2] + random.normal(size=150), [-1, 1])
model = Pipeline([("model", LogisticRegression())]).fit(X, labels)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.pmml"
    skl_to_pmml(model, ["a", "b"], "y", str(path))
    text = path.read_text()
print(re.findall('normalizationMethod="[a-z]+"', text))
sigmoids = 1 / (1 + np.exp(-model.decision_function(X[:2])))
print("sigmoids over their sum", (sigmoids / sigmoids.sum(axis=1, keepdims=True)).round(3).tolist())
print("scikit-learn", model.predict_proba(X[:2]).round(3).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
['normalizationMethod="logit"', 'normalizationMethod="logit"', 'normalizationMethod="logit"', 'normalizationMethod="simplemax"']
sigmoids over their sum [[0.194, 0.435, 0.372], [0.125, 0.44, 0.435]]
scikit-learn [[0.115, 0.53, 0.356], [0.055, 0.48, 0.465]]
SEEN
echo "as described"
