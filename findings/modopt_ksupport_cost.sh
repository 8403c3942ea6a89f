#!/bin/sh
# modopt 1.7.2: the cost of KSupportNorm is not the function whose proximal point its op gives, half of beta times
# the squared norm: the sum of the small entries lacks the half. With k = 1 the norm is the 1-norm, and the cost
# is twice as large; op minimizes the half.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check modopt==1.7.2 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from modopt.opt.proximity import KSupportNorm

prox = KSupportNorm(beta=0.5, k_value=1)
x = np.array([3.0, -2.0, 1.0])
print(f"cost {prox.cost(x):.4f}, beta / 2 times the squared 1-norm {0.25 * np.abs(x).sum() ** 2:.4f}")
point = prox.op(x)
random = np.random.default_rng(0)
others = point + 0.05 * random.normal(size=(20000, 3))
for name, factor in (("beta / 2", 0.25), ("beta", 0.5)):
    def total(w):
        return factor * np.abs(w).sum(axis=-1) ** 2 + ((w - x) ** 2).sum(axis=-1) / 2

    print(f"{name}: op is the least among 20000 points nearby", bool(total(point) <= total(others).min()))
PROGRAM
diff "$folder/seen" - <<'SEEN'
cost 18.0000, beta / 2 times the squared 1-norm 9.0000
beta / 2: op is the least among 20000 points nearby True
beta: op is the least among 20000 points nearby False
SEEN
echo "as described"
