#!/bin/sh
# pyproximal 0.13.0: projections of points that are far from the simplex, or from the 1-norm ball, are
# not in it, without a word. The projection of (1e17, 0) is (1, 0).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pyproximal==0.13.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pyproximal.projection import L1BallProj, SimplexProj

for scale in (1e3, 1e17):
    simplex, ball = SimplexProj(2, 1.0), L1BallProj(2, 1.0)
    point = np.array([scale, 0.0])
    print(simplex(point).round(3), ball(point).round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[1. 0.] [1. 0.]
[64.  0.] [64.  0.]
SEEN
echo "as described"
