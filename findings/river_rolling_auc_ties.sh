#!/bin/sh
# river 0.26.1: RollingROCAUC of scores that tie is too small, where ROCAUC and scikit-learn count a tie as a half:
# of six equal scores it is a third.
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
for scores in ([0.3] * 6, [0.2, 0.4, 0.2, 0.4, 0.2, 0.2], [0.1, 0.9, 0.3, 0.8, 0.7, 0.2]):
    told = []
    for metric in (metrics.RollingROCAUC(), metrics.ROCAUC()):
        for label, score in zip(labels, scores):
            metric.update(label, score)
        told.append(f"{type(metric).__name__} {metric.get():.3f}")
    print(*told, f"scikit-learn {roc_auc_score(labels, scores):.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
RollingROCAUC 0.333 ROCAUC 0.500 scikit-learn 0.500
RollingROCAUC 0.667 ROCAUC 0.833 scikit-learn 0.833
RollingROCAUC 1.000 ROCAUC 1.000 scikit-learn 1.000
SEEN
echo "as described"
