#!/bin/sh
# category_encoders 2.11.2: JamesSteinEncoder takes the variance of targets for that of their mean: a category of
# a hundred thousand rows is drawn to the overall mean as much as one of ten, and one of three categories
# not at all. MEstimateEncoder goes to the mean of the category.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 statsmodels==0.15.0 patsy==1.0.3 category_encoders==2.11.2
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import category_encoders
import numpy as np
import pandas as pd

for letters in ("abcdefgh", "abc"):
    for n in (10, 1000, 100000):
        table = pd.DataFrame({"c": np.repeat(list(letters), n)})
        y = pd.Series((np.tile(np.arange(n), len(letters)) % 10 < np.repeat(range(1, len(letters) + 1), n)).astype(int))
        told = [f"{len(letters)} categories of {n} rows, mean {y[:n].mean()}"]
        for kind in (category_encoders.JamesSteinEncoder, category_encoders.MEstimateEncoder):
            made = kind().fit(table, y).transform(pd.DataFrame({"c": ["a"]}))
            told.append(f"{kind.__name__[:-7]} {made.iloc[0, 0]:.4f}")
        print(*told)
PROGRAM
diff "$folder/seen" - <<'SEEN'
8 categories of 10 rows, mean 0.1 JamesStein 0.1713 MEstimate 0.1318
8 categories of 1000 rows, mean 0.1 JamesStein 0.1667 MEstimate 0.1003
8 categories of 100000 rows, mean 0.1 JamesStein 0.1667 MEstimate 0.1000
3 categories of 10 rows, mean 0.1 JamesStein 0.1000 MEstimate 0.1091
3 categories of 1000 rows, mean 0.1 JamesStein 0.1000 MEstimate 0.1001
3 categories of 100000 rows, mean 0.1 JamesStein 0.1000 MEstimate 0.1000
SEEN
echo "as described"
