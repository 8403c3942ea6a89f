#!/bin/sh
# formulaic 1.2.2 divides by the root of n - 1 in scale(x), patsy 1.0.3 by that of n; standardize(x) has n in
# both, and patsy says that the two names are one. A model with a penalty has other weights, and weights found
# with the columns of one predict other values with those of the other. formulaic takes patsy's names so that
# its formulas go on working.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 formulaic==1.2.2 patsy==1.0.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import formulaic
import numpy as np
import pandas as pd
import patsy

table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 6.0]})
for formula in ("scale(x) - 1", "standardize(x) - 1", "center(x) - 1"):
    for name, make in (("patsy", patsy.dmatrix), ("formulaic", formulaic.model_matrix)):
        print(formula, name, np.asarray(make(formula, table)).ravel().round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
scale(x) - 1 patsy [-1.069 -0.535  0.     1.604]
scale(x) - 1 formulaic [-0.926 -0.463  0.     1.389]
standardize(x) - 1 patsy [-1.069 -0.535  0.     1.604]
standardize(x) - 1 formulaic [-1.069 -0.535  0.     1.604]
center(x) - 1 patsy [-2. -1.  0.  3.]
center(x) - 1 formulaic [-2. -1.  0.  3.]
SEEN
echo "as described"
