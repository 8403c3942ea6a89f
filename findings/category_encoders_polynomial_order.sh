#!/bin/sh
# category_encoders 2.11.2: PolynomialEncoder, HelmertEncoder and BackwardDifferenceEncoder take numbers in the order in which
# they first appear in the rows: the linear contrast of grades from 1 to 4 is not linear, and another order of rows gives
# other columns, silently. An ordered category of pandas keeps its order.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 statsmodels==0.15.0 patsy==1.0.3 category_encoders==2.11.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import pandas as pd
from category_encoders import PolynomialEncoder

for grades in ([1, 2, 3, 4], [3, 1, 2, 4]):
    for kind in ("int64", pd.CategoricalDtype([1, 2, 3, 4], ordered=True)):
        table = pd.DataFrame({"grade": pd.Series(grades).astype(kind)})
        linear = PolynomialEncoder(cols=["grade"]).fit_transform(table).iloc[:, 0]
        told = dict(sorted(zip(grades, linear.round(3))))
        print(kind if kind == "int64" else "category", grades, "linear contrast", told)
PROGRAM
diff "$folder/seen" - <<'SEEN'
int64 [1, 2, 3, 4] linear contrast {1: -0.671, 2: -0.224, 3: 0.224, 4: 0.671}
category [1, 2, 3, 4] linear contrast {1: -0.671, 2: -0.224, 3: 0.224, 4: 0.671}
int64 [3, 1, 2, 4] linear contrast {1: -0.224, 2: 0.224, 3: -0.671, 4: 0.671}
category [3, 1, 2, 4] linear contrast {1: -0.671, 2: -0.224, 3: 0.224, 4: 0.671}
SEEN
echo "as described"
