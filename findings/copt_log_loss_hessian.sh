#!/bin/sh
# copt 0.9.2: the second derivative of LogLoss divides the squared norm's weight alpha by the number of
# examples, the value and the gradient do not. Differences of gradients agree with it for alpha=0 only.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 copt==0.9.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from copt.loss import LogLoss

random = np.random.default_rng(0)
A = random.normal(size=(20, 3))
b = (random.random(20) < 0.5).astype(float)
x, direction = np.array([0.3, -0.2, 0.1]), np.array([1.0, 0.0, 0.0])
for alpha in (0.0, 2.0):
    loss = LogLoss(A, b, alpha)
    change = loss.f_grad(x + 1e-5 * direction)[1] - loss.f_grad(x - 1e-5 * direction)[1]
    product = loss.hessian_mv(x)(direction)
    print(alpha, "differences", (change / 2e-5).round(3), "hessian_mv", product.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
0.0 differences [0.302 0.041 0.022] hessian_mv [0.302 0.041 0.022]
2.0 differences [2.302 0.041 0.022] hessian_mv [0.402 0.041 0.022]
SEEN
echo "as described"
