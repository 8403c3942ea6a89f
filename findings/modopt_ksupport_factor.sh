#!/bin/sh
# modopt 1.7.2: KSupportNorm.op(x, extra_factor=f) with f other than 1, which the package's own algorithms pass as
# their step, is not the proximal point of f times the cost. A prox made with beta times f gives a smaller value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check modopt==1.7.2 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from modopt.opt.proximity import KSupportNorm

x = np.array([3.0, -2.0, 1.0])


def total(w, beta):
    return beta / 2 * np.abs(w).sum() ** 2 + ((w - x) ** 2).sum() / 2


for factor in (1.0, 0.1, 10.0):
    by_factor = KSupportNorm(beta=0.5, k_value=1).op(x, extra_factor=factor)
    by_beta = KSupportNorm(beta=0.5 * factor, k_value=1).op(x)
    print(f"factor {factor:g}: {total(by_factor, 0.5 * factor):.4f}, beta times it {total(by_beta, 0.5 * factor):.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
factor 1: 3.6250, beta times it 3.6250
factor 0.1: 3.3010, beta times it 0.7826
factor 10: 7.3611, beta times it 6.2500
SEEN
echo "as described"
