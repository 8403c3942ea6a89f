#!/bin/sh
# torchmetrics 1.9.0: scores outside of [0, 1] are taken for log-odds, as documented, and their sigmoid is of
# float32, which is 1 above 17: scores of a linear model that are larger tie, and the AUROC of a perfect order
# falls to 0.5, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 torchmetrics==1.9.0
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import torch
from sklearn.metrics import roc_auc_score
from torchmetrics.functional.classification import binary_auroc

y = torch.tensor([0, 0, 1, 1])
for scores in ([-3.0, -1, 1, 3], [10.0, 20, 30, 40], [20.0, 30, 40, 50]):
    told = binary_auroc(torch.tensor(scores), y)
    print(scores, "torchmetrics", float(told), "scikit-learn", roc_auc_score(y, scores))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[-3.0, -1, 1, 3] torchmetrics 1.0 scikit-learn 1.0
[10.0, 20, 30, 40] torchmetrics 0.75 scikit-learn 1.0
[20.0, 30, 40, 50] torchmetrics 0.5 scikit-learn 1.0
SEEN
echo "as described"
