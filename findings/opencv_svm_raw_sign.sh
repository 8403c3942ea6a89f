#!/bin/sh
# OpenCV 4.14.0: the raw output of an SVM of two classes is positive for the smaller label and negative for the
# larger one, unlike scikit-learn's: as a score of class 1 it ranks backwards.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 opencv-python-headless==4.14.0.94
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import cv2
import numpy as np

X = np.float32([[-3], [-2], [-1], [1], [2], [3]])
for labels in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], [-1, -1, -1, 1, 1, 1]):
    model = cv2.ml.SVM_create()
    model.setType(cv2.ml.SVM_C_SVC)
    model.setKernel(cv2.ml.SVM_LINEAR)
    model.train(X, cv2.ml.ROW_SAMPLE, np.int32(labels))
    raw = model.predict(X, flags=cv2.ml.STAT_MODEL_RAW_OUTPUT)[1]
    print("predicted", model.predict(X)[1].ravel().astype(int).tolist(), "raw", raw.ravel().astype(float).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
predicted [0, 0, 0, 1, 1, 1] raw [3.0, 2.0, 1.0, -1.0, -2.0, -3.0]
predicted [1, 1, 1, 0, 0, 0] raw [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]
predicted [-1, -1, -1, 1, 1, 1] raw [3.0, 2.0, 1.0, -1.0, -2.0, -3.0]
SEEN
echo "as described"
