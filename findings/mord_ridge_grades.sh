#!/bin/sh
# mord 0.7: OrdinalRidge and LAD predict grades that no example has, 0 where grades begin at 1 and
# those between two grades: they round a regression and clip it to [0, the largest grade].
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check mord==0.7 scikit-learn==1.9.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import mord
import numpy as np

X = np.arange(-3.0, 4.0)[:, None]
for grades in ([1, 2, 3], [1, 4, 5]):
    y = np.repeat(grades, [3, 1, 3])
    for name in ("OrdinalRidge", "LAD"):
        model = getattr(mord, name)().fit(X, y)
        told = model.predict(np.array([[-9.0], [-3.0], [-1.0], [0.0], [1.0], [3.0], [9.0]]))
        print(grades, name, sorted({int(each) for each in told} - set(grades)))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[1, 2, 3] OrdinalRidge [0]
[1, 2, 3] LAD [0]
[1, 4, 5] OrdinalRidge [0, 2, 3]
[1, 4, 5] LAD [0, 2, 3]
SEEN
echo "as described"
