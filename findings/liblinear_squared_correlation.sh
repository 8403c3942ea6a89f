#!/bin/sh
# liblinear-official 2.50.0 and libsvm-official 3.37.0: the squared correlation of evaluations is computed from raw
# sums. Where targets are large beside their spread, as times in seconds since 1970, it is above 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 liblinear-official==2.50.0 libsvm-official==3.37.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from liblinear import commonutil as liblinear
from libsvm import commonutil as libsvm

random = np.random.default_rng(0)
spread = random.integers(0, 100, 20)
errors = random.normal(size=20).round(2) * 5
for start in (0, 1700000000):
    targets, values = start + spread, start + spread + errors
    seen = [
        package.evaluations(targets.tolist(), values.tolist(), useScipy=False)[2] for package in (liblinear, libsvm)
    ]
    print(start, "evaluations", *np.round(seen, 3), "numpy", round(np.corrcoef(targets, values)[0, 1] ** 2, 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
0 evaluations 0.986 0.986 numpy 0.986
1700000000 evaluations 1.136 1.136 numpy 0.986
SEEN
echo "as described"
