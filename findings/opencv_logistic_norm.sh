#!/bin/sh
# opencv 4.14.0: LogisticRegression with REG_L1 gives the weights of REG_L2, bit for bit. The documentation has both
# norms; the norm chosen stands in the cost only, the gradient has the square's in both. No weight is 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check opencv-python-headless==4.14.0.94 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import cv2
import numpy as np

random = np.random.default_rng(0)
X = random.normal(size=(100, 3)).astype(np.float32)
t = (X @ [2.0, -1.0, 0.0] + random.logistic(size=100) > 0).astype(np.float32)
weights = {}
for name in ("REG_DISABLE", "REG_L1", "REG_L2"):
    model = cv2.ml.LogisticRegression_create()
    model.setLearningRate(0.1)
    model.setIterations(20000)
    model.setTrainMethod(cv2.ml.LogisticRegression_BATCH)
    model.setTermCriteria((cv2.TERM_CRITERIA_MAX_ITER + cv2.TERM_CRITERIA_EPS, 20000, 1e-9))
    model.setRegularization(getattr(cv2.ml, f"LogisticRegression_{name}"))
    model.train(X, cv2.ml.ROW_SAMPLE, t)
    weights[name] = model.get_learnt_thetas().ravel()
    print(name, weights[name].round(2))
print("REG_L1 equal to REG_L2:", bool((weights["REG_L1"] == weights["REG_L2"]).all()))
PROGRAM
diff "$folder/seen" - <<'SEEN'
REG_DISABLE [-0.09  1.81 -0.74 -0.03]
REG_L1 [-0.09  1.68 -0.69 -0.02]
REG_L2 [-0.09  1.68 -0.69 -0.02]
REG_L1 equal to REG_L2: True
SEEN
echo "as described"
