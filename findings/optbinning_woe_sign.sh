#!/bin/sh
# optbinning 1.0.0, feature-engine 1.9.4, category_encoders 2.11.2: the weight of evidence of optbinning is that
# of no event against the event, the other two give that of the event: a logistic regression that is fitted to one
# and given the other ranks backwards.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 statsmodels==0.15.0 category_encoders==2.11.2 feature_engine==1.9.4 optbinning==1.0.0
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from category_encoders import WOEEncoder
from feature_engine.encoding import WoEEncoder
from optbinning import OptimalBinning

c = np.array(list("aaaabbbb") * 20)
y = np.array([1, 0, 0, 0, 1, 1, 1, 0] * 20)
table, rows = pd.DataFrame({"c": c}), pd.DataFrame({"c": ["a", "b"]})
print("share of events", y[c == "a"].mean(), y[c == "b"].mean())
print("optbinning", OptimalBinning(dtype="categorical").fit(c, y).transform(rows["c"].to_numpy()).round(2))
print("feature-engine", WoEEncoder().fit(table, pd.Series(y)).transform(rows)["c"].to_numpy().round(2))
print("category_encoders", WOEEncoder().fit(table, pd.Series(y)).transform(rows)["c"].to_numpy().round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
share of events 0.25 0.75
optbinning [ 1.1 -1.1]
feature-engine [-1.1  1.1]
category_encoders [-1.07  1.07]
SEEN
echo "as described"
