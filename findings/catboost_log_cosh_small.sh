#!/bin/sh
# catboost 1.2.10: the metric LogCosh is computed with an approximate exponential, so that errors below 0.01, as those of
# targets in a small unit, have values that are noise of 1e-5, even below 0. An error of 0.001 has the value 5e-7.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 catboost==1.2.10
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import math

from catboost.utils import eval_metric

for error in (0.0001, 0.001, 0.003, 0.01, 0.1, 1.0):
    told = eval_metric([0.0], [error], "LogCosh")[0]
    print(error, f"catboost {told:.2e} log(cosh) {math.log(math.cosh(error)):.2e}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
0.0001 catboost -1.65e-06 log(cosh) 5.00e-09
0.001 catboost -1.49e-06 log(cosh) 5.00e-07
0.003 catboost 4.96e-06 log(cosh) 4.50e-06
0.01 catboost 5.07e-05 log(cosh) 5.00e-05
0.1 catboost 4.98e-03 log(cosh) 4.99e-03
1.0 catboost 4.34e-01 log(cosh) 4.34e-01
SEEN
echo "as described"
