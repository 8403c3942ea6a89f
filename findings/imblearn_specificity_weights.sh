#!/bin/sh
# imbalanced-learn 0.14.2: specificity_score and the geometric means over it take the number of rows for the sum of weights
# where they count true negatives: they are not those of repeated rows, and change where all weights are multiplied by 2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 imbalanced-learn==0.14.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from imblearn.metrics import geometric_mean_score, specificity_score

y = np.array([0, 0, 0, 1, 1, 1])
predicted = np.array([0, 0, 1, 1, 1, 0])
for weights in ([1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2], [1, 2, 1, 1, 3, 1]):
    rows = np.repeat(np.arange(6), weights)
    for how, *data, costs in (("weights", y, predicted, weights), ("repeated rows", y[rows], predicted[rows], None)):
        mean = geometric_mean_score(*data, average="binary", sample_weight=costs)
        told = specificity_score(*data, sample_weight=costs)
        print(weights, how, "specificity", round(float(told), 3), "geometric mean", round(float(mean), 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[1, 1, 1, 1, 1, 1] weights specificity 0.667 geometric mean 0.667
[1, 1, 1, 1, 1, 1] repeated rows specificity 0.667 geometric mean 0.667
[2, 2, 2, 2, 2, 2] weights specificity 0.0 geometric mean 0.0
[2, 2, 2, 2, 2, 2] repeated rows specificity 0.667 geometric mean 0.667
[1, 2, 1, 1, 3, 1] weights specificity 0.0 geometric mean 0.0
[1, 2, 1, 1, 3, 1] repeated rows specificity 0.75 geometric mean 0.775
SEEN
echo "as described"
