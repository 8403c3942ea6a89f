#!/bin/sh
# river 0.26.1: EpsilonInsensitiveHinge, a loss of regressions, puts 2y - 1 in the place of the target
# y, as losses of classes do. Its value is least, 0, at the prediction 2y - 1, and a linear regression
# with it on targets that are all 5 predicts 9.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 river==0.26.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from river import linear_model, optim

losses = {
    "Absolute": optim.losses.Absolute(),
    "EpsilonInsensitiveHinge": optim.losses.EpsilonInsensitiveHinge(eps=0.1),
}
for name, loss in losses.items():
    model = linear_model.LinearRegression(optim.SGD(0.05), loss, intercept_lr=0.05)
    for _ in range(1000):
        model.learn_one({"x": 1.0}, 5.0)
    values = [round(loss(5.0, prediction), 3) for prediction in (5.0, 9.0)]
    print(name, "values at 5 and 9:", values, "prediction:", round(model.predict_one({"x": 1.0})))
PROGRAM
diff "$folder/seen" - <<'SEEN'
Absolute values at 5 and 9: [0.0, 4.0] prediction: 5
EpsilonInsensitiveHinge values at 5 and 9: [3.9, 0] prediction: 9
SEEN
echo "as described"
