#!/bin/sh
# river 0.26.1: ROCAUC has its thresholds between 0 and 1, and scores are taken for probabilities without a check: of
# scores of a linear model a perfect order has 0, silently. RollingROCAUC takes them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 river==0.26.1
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from river import metrics
from sklearn.metrics import roc_auc_score

labels = [False, True, False, True, True, False]
scores = [-2.0, 1.5, -0.5, 3.0, 0.5, -4.0]
for shift in (0, 10, -10):
    metric = metrics.ROCAUC()
    for label, score in zip(labels, scores):
        metric.update(label, score + shift)
    right = roc_auc_score(labels, [score + shift for score in scores])
    print("scores shifted by", shift, f"river {abs(metric.get()):.3f} scikit-learn {right:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
scores shifted by 0 river 0.000 scikit-learn 1.000
scores shifted by 10 river 0.000 scikit-learn 1.000
scores shifted by -10 river 0.000 scikit-learn 1.000
SEEN
echo "as described"
