#!/bin/sh
# glum 3.4.0: predict takes the columns of a DataFrame by their place. Columns in another order than
# in fit give other predictions, without a word, although the model knows their names.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 glum==3.4.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import glum
import numpy as np
import pandas as pd

random = np.random.default_rng(0)
X = pd.DataFrame({"a": random.normal(size=200), "b": random.normal(size=200)})
model = glum.GeneralizedLinearRegressor(family="poisson", alpha=0).fit(X, np.exp(0.5 * X.a))
print(list(model.feature_names_))
print(model.predict(X[:3]).round(3), model.predict(X[["b", "a"]][:3]).round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
['a', 'b']
[1.065 0.936 1.377] [0.718 0.736 0.448]
SEEN
echo "as described"
