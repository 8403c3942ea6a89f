#!/bin/sh
# pyglmnet 1.1: the gamma deviance of exact predictions is not 0, and their pseudo R2 not 1: the
# likelihood of the saturated model, which is subtracted for counts, is taken for 0. The deviance
# depends on the unit of the targets, and scikit-learn's mean_gamma_deviance does not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pyglmnet==1.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pyglmnet.metrics import deviance, pseudo_R2
from sklearn.metrics import mean_gamma_deviance

y, predictions = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.5])
for family in ("gaussian", "poisson", "gamma"):
    own, ratio = deviance(y, y, family), pseudo_R2(None, y, y, y.mean(), family)
    print(f"{family} exact predictions: deviance {abs(own):.3f} pseudo R2 {ratio:.3f}")
for unit in (1.0, 10.0):
    own = deviance(unit * y, unit * predictions, "gamma")
    other = 3 * mean_gamma_deviance(unit * y, unit * predictions)
    print(f"unit {unit} gamma deviance {own:.3f} scikit-learn {other:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
gaussian exact predictions: deviance 0.000 pseudo R2 1.000
poisson exact predictions: deviance 0.000 pseudo R2 1.000
gamma exact predictions: deviance 9.584 pseudo R2 0.057
unit 1.0 gamma deviance 9.763 scikit-learn 0.180
unit 10.0 gamma deviance 23.579 scikit-learn 0.180
SEEN
echo "as described"
