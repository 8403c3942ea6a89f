#!/bin/sh
# group-lasso 1.5.0: GroupLasso.loss(X, y) of targets of one dimension, which fit takes and its
# documentation names, sums the squares of all pairs of a prediction and a target. With the
# same targets as a column it is the objective that fit minimizes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 group-lasso==1.5.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from group_lasso import GroupLasso

random = np.random.default_rng(0)
X = random.normal(size=(50, 4))
y = X @ [1.0, 2.0, 0.0, 0.0] + 3.0 + 0.1 * random.normal(size=50)
model = GroupLasso([0, 0, 1, 1], group_reg=0.1, l1_reg=0.0, n_iter=5000, tol=1e-9).fit(X, y)
norms = np.linalg.norm(model.coef_.reshape(2, 2), axis=1).sum()
objective = 0.5 * np.mean((model.predict(X) - y) ** 2) + 0.1 * np.sqrt(2) * norms
print(f"y {model.loss(X, y):.3f} column {model.loss(X, y[:, None]):.3f} objective {objective:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
y 159.632 column 0.324 objective 0.324
SEEN
echo "as described"
