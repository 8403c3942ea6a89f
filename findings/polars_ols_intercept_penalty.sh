#!/bin/sh
# polars-ols 0.3.5: ridge, lasso and elastic_net with add_intercept=True have the penalty on the intercept too: a constant
# added to the target changes the weights of the features. Not said in its documentation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check polars-ols==0.3.5 polars==1.42.1 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import polars as pl
import polars_ols  # noqa: F401
from sklearn.linear_model import Lasso, Ridge

random = np.random.default_rng(0)
X = random.normal(size=(80, 2)) + [0, 3]
y = X @ [1.0, 2.0] + random.normal(size=80)
for constant in (0, 50):
    table = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y + constant})
    for name, alpha, model in (("ridge", 2.0, Ridge), ("lasso", 0.3, Lasso)):
        fit = getattr(pl.col("y").least_squares, name)
        told = table.select(fit("a", "b", alpha=alpha, add_intercept=True, mode="coefficients").alias("w"))["w"][0]
        right = model(alpha=alpha).fit(X, y + constant)
        print(f"plus {constant} {name} polars-ols", np.round([told["a"], told["b"], told["const"]], 2), end=" ")
        print("scikit-learn", np.round([*right.coef_, right.intercept_], 2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
plus 0 ridge polars-ols [ 0.88  2.09 -0.39] scikit-learn [ 0.87  2.12 -0.5 ]
plus 0 lasso polars-ols [0.58 1.95 0.  ] scikit-learn [0.59 1.9  0.17]
plus 50 ridge polars-ols [ 0.32  5.29 38.6 ] scikit-learn [ 0.87  2.12 49.5 ]
plus 50 lasso polars-ols [ 0.41  2.91 46.69] scikit-learn [ 0.59  1.9  50.17]
SEEN
echo "as described"
