#!/bin/sh
# torchmetrics 1.9.0: multilabel_ranking_loss of tied scores depends on the place of the relevant label: from 1
# for the first column to 0 for the last. All scores tie where all weights of a model are 0. scikit-learn counts a
# tie as an error in any order.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 torchmetrics==1.9.0
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import torch
from sklearn.metrics import label_ranking_loss
from torchmetrics.functional.classification import multilabel_ranking_loss

scores = torch.full((1, 3), 0.3)
for label in range(3):
    y = torch.eye(3, dtype=torch.int64)[[label]]
    told = float(multilabel_ranking_loss(scores, y, num_labels=3))
    print("relevant label", label, "torchmetrics", told, "scikit-learn", label_ranking_loss(y, scores))
PROGRAM
diff "$folder/seen" - <<'SEEN'
relevant label 0 torchmetrics 1.0 scikit-learn 1.0
relevant label 1 torchmetrics 0.5 scikit-learn 1.0
relevant label 2 torchmetrics 0.0 scikit-learn 1.0
SEEN
echo "as described"
