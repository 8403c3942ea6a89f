#!/bin/sh
# shap 0.51.0: LinearExplainer takes 100 of the rows it is given for the background, silently. The expected value is not
# the mean of the model over the data, although it is told that mean in closed form, and all attributions are moved by
# the difference. maskers.Independent with a larger max_samples takes all rows.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 shap==0.51.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import shap
from sklearn.linear_model import LinearRegression

random = np.random.default_rng(0)
for rows in (100, 2000):
    X = random.exponential(size=(rows, 2))
    model = LinearRegression().fit(X, X @ [10.0, 5.0])
    explainer = shap.LinearExplainer(model, X)
    whole = shap.LinearExplainer(model, shap.maskers.Independent(X, max_samples=rows))
    means = [model.predict(X).mean(), explainer.expected_value, whole.expected_value]
    print(rows, "rows: mean, expected value, with max_samples", np.round(means, 2))
    print("  mean attributions", explainer.shap_values(X).mean(axis=0).round(2), whole.shap_values(X).mean(axis=0).round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
100 rows: mean, expected value, with max_samples [17.19 17.19 17.19]
  mean attributions [0. 0.] [0. 0.]
2000 rows: mean, expected value, with max_samples [15.21 14.03 15.21]
  mean attributions [ 1.79 -0.61] [ 0. -0.]
SEEN
echo "as described"
