#!/bin/sh
# river 0.26.1: the value of the loss Quantile(alpha) is that of the level 1 - alpha, its gradient that
# of the level alpha. The gradient is not the slope of the value: the prediction of least mean value on
# 0, 1, ..., 10 is 1 for alpha=0.9, and a regression by the gradient goes to 9.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 river==0.26.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from river import optim
from sklearn.metrics import mean_pinball_loss

loss = optim.losses.Quantile(alpha=0.9)
for target, prediction in ((3.0, 1.0), (1.0, 3.0)):
    slope = (loss(target, prediction + 1e-3) - loss(target, prediction - 1e-3)) / 2e-3
    pinball = mean_pinball_loss([target], [prediction], alpha=0.9)
    value, gradient = loss(target, prediction), loss.gradient(target, prediction)
    print(f"value {value:.2f} pinball {pinball:.2f} slope {slope:.2f} gradient {gradient:.2f}")
levels = targets = np.arange(11.0)
means = [np.mean(loss(targets, np.full(11, level))) for level in levels]
pinballs = [mean_pinball_loss(targets, np.full(11, level), alpha=0.9) for level in levels]
around = [np.sum(loss.gradient(targets, np.full(11, level))).round(1) for level in (8.9, 9.1)]
print("least value at", np.argmin(means), "least pinball at", np.argmin(pinballs))
print("sums of gradients at 8.9 and 9.1:", *around)
PROGRAM
diff "$folder/seen" - <<'SEEN'
value 0.20 pinball 1.80 slope -0.10 gradient -0.90
value 1.80 pinball 0.20 slope 0.90 gradient 0.10
least value at 1 least pinball at 9
sums of gradients at 8.9 and 9.1: -0.9 0.1
SEEN
echo "as described"
