#!/bin/sh
# copt 0.9.2: SimplexConstraint.lmo, which should give the step to the point of the simplex that agrees
# most with u, goes to minus a vertex where all entries of u are negative. It is not in the simplex,
# nor among the points above 0 with a sum of at most 1, of which its documentation speaks.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 copt==0.9.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from copt.constraint import SimplexConstraint

simplex, middle = SimplexConstraint(), np.full(3, 1 / 3)
for u in ([3.0, 2.0, 1.0], [-1.0, -2.0, -3.0]):
    vertices = np.eye(3)
    best = vertices[np.argmax(vertices @ u)]
    print(u, "lmo", (middle + simplex.lmo(np.array(u), middle)[0]).round(3) + 0.0, "best", best)
PROGRAM
diff "$folder/seen" - <<'SEEN'
[3.0, 2.0, 1.0] lmo [1. 0. 0.] best [1. 0. 0.]
[-1.0, -2.0, -3.0] lmo [-1.  0.  0.] best [1. 0. 0.]
SEEN
echo "as described"
