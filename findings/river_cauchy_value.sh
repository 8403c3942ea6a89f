#!/bin/sh
# river 0.26.1: the value of the loss Cauchy is the absolute error, whatever C, and its gradient is that of
# Cauchy's loss. The gradient is not the slope of the value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check river==0.26.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import math

from river.optim.losses import Cauchy

for C in (1.0, 80.0):
    loss = Cauchy(C)
    slope = (loss(0.0, 3.001) - loss(0.0, 2.999)) / 0.002
    cauchy = C**2 / 2 * math.log1p((3 / C) ** 2)
    print(f"C {C:g}: value {loss(0.0, 3.0):.4f}, of Cauchy {cauchy:.4f}")
    print(f"C {C:g}: slope of the value {slope:.4f}, gradient {loss.gradient(0.0, 3.0):.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
C 1: value 3.0000, of Cauchy 1.1513
C 1: slope of the value 1.0000, gradient 0.3000
C 80: value 3.0000, of Cauchy 4.4968
C 80: slope of the value 1.0000, gradient 2.9958
SEEN
echo "as described"
