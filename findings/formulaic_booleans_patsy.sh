#!/bin/sh
# formulaic 1.2.2 takes a column of booleans for a number, patsy 1.0.3 for a category of two: 0 + t has one
# column or two, and t:x has a slope for True alone or one for each. The formula y ~ t:x fits another model,
# and predictions differ.
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

table = pd.DataFrame({"t": [True, False, True, False], "x": [1.0, 2.0, 3.0, 5.0], "y": [1.0, 3.0, 2.0, 7.0]})
for formula in ("t", "0 + t", "t:x"):
    for name, make in (("patsy", patsy.dmatrix), ("formulaic", formulaic.model_matrix)):
        matrix = make(formula, table)
        names = matrix.design_info.column_names if name == "patsy" else list(matrix.columns)
        Z = np.asarray(matrix, float)
        fitted = Z @ np.linalg.lstsq(Z, table["y"].to_numpy(), rcond=None)[0]
        print(formula, name, names, fitted.round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
t patsy ['Intercept', 't[T.True]'] [1.5 5.  1.5 5. ]
t formulaic ['Intercept', 't'] [1.5 5.  1.5 5. ]
0 + t patsy ['t[False]', 't[True]'] [1.5 5.  1.5 5. ]
0 + t formulaic ['t'] [1.5 0.  1.5 0. ]
t:x patsy ['Intercept', 't[False]:x', 't[True]:x'] [0.96 3.05 2.01 6.98]
t:x formulaic ['Intercept', 't:x'] [3.25 4.25 1.25 4.25]
SEEN
echo "as described"
