#!/bin/sh
# torchmetrics 1.9.0: the hinge loss of scores outside of [0, 1], such as those of an SVM, is that of their
# sigmoid, without margins: scores that are right by a margin of 3 have a loss of a half. Scores that all lie in
# [0, 1] are taken as they are.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 torchmetrics==1.9.0
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import torch
from sklearn.metrics import hinge_loss
from torchmetrics.functional.classification import binary_hinge_loss

y = torch.tensor([0, 0, 1, 1])
for scores in ([-3.0, -1, 1, 3], [-30.0, -10, 10, 30], [0.0, 0, 1, 1]):
    told = binary_hinge_loss(torch.tensor(scores), y)
    print(scores, "torchmetrics", round(float(told), 4), "scikit-learn", hinge_loss(y, scores))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[-3.0, -1, 1, 3] torchmetrics 0.6582 scikit-learn 0.0
[-30.0, -10, 10, 30] torchmetrics 0.5 scikit-learn 0.0
[0.0, 0, 1, 1] torchmetrics 0.5 scikit-learn 0.5
SEEN
echo "as described"
