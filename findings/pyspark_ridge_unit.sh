#!/bin/sh
# pyspark 4.1.0 (it needs Java): regParam of LinearRegression is divided by the standard deviation of the targets in its
# ridge part and not in its lasso part, also with standardization=False: ridge weights are not those of its documented
# objective, and depend on the unit of the targets.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check pyspark==4.1.0 pandas==2.3.3 numpy==2.4.6
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from pyspark.ml.linalg import Vectors
from pyspark.ml.regression import LinearRegression
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
random = np.random.default_rng(0)
X = random.normal(size=(100, 2))
plain = X @ [1.0, -1.0] + random.normal(size=100)
for unit in (1.0, 100.0):
    y = unit * plain
    table = session.createDataFrame([(float(value), Vectors.dense(row)) for value, row in zip(y, X)], ["label", "features"])
    model = LinearRegression(regParam=0.5, elasticNetParam=0.0, standardization=False, tol=1e-9).fit(table)
    centred = X - X.mean(axis=0)
    ridge = [np.linalg.solve(centred.T @ centred + 100 * part * np.eye(2), centred.T @ y) for part in (0.5, 0.5 / y.std())]
    print("unit", unit, "pyspark", (model.coefficients.toArray() / unit).round(4))
    print("  ridge weights of regParam", (ridge[0] / unit).round(4), "and of regParam over the deviation", (ridge[1] / unit).round(4))
session.stop()
PROGRAM
diff "$folder/seen" - <<'SEEN'
unit 1.0 pyspark [ 0.6385 -0.5791]
  ridge weights of regParam [ 0.5534 -0.4982] and of regParam over the deviation [ 0.6385 -0.5791]
unit 100.0 pyspark [ 0.8882 -0.8218]
  ridge weights of regParam [ 0.5534 -0.4982] and of regParam over the deviation [ 0.8882 -0.8218]
SEEN
echo "as described"
