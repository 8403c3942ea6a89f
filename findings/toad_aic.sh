#!/bin/sh
# toad 0.1.7: metrics.AIC and BIC without llf take the logarithm of the sum of squared errors for the log-likelihood:
# the worse the fit, the lower (better) the criterion. With normal errors it is n log(sum / n) + 2k, that grows.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check toad==0.1.7 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from toad.metrics import AIC, BIC

random = np.random.default_rng(0)
errors = random.normal(size=50)
zeros = np.zeros(50)
for scale in (0.1, 1, 10):
    right = 50 * np.log(np.mean((scale * errors) ** 2)) + 4
    told = AIC(scale * errors, zeros, 2), BIC(scale * errors, zeros, 2)
    print(f"errors times {scale}: toad AIC {told[0]:.1f} BIC {told[1]:.1f}, n log(sum/n) + 2k {right:.1f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
errors times 0.1: toad AIC 5.7 BIC 9.5, n log(sum/n) + 2k -234.6
errors times 1: toad AIC -3.5 BIC 0.3, n log(sum/n) + 2k -4.3
errors times 10: toad AIC -12.7 BIC -8.9, n log(sum/n) + 2k 225.9
SEEN
echo "as described"
