#!/bin/sh
# python-glmnet 2.6.1: LogitNet of three classes fits a multinomial model and gives sigmoids over their sum as
# probabilities, not the softmax. The means of the softmax are the shares of the classes, as they are at the
# optimum of a model with free intercepts; the log loss of what predict_proba gives is larger.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 python-glmnet==2.6.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from glmnet import LogitNet
from scipy.special import softmax
from sklearn.metrics import log_loss

random = np.random.default_rng(0)
X = random.normal(size=(150, 4))
scores = X @ random.normal(size=(4, 3)) + [0.0, 0.5, 1.0]
y = np.array([random.choice(3, p=each) for each in softmax(scores, axis=1)])
model = LogitNet(lambda_path=[0.1, 0.05, 0.01], n_splits=0).fit(X, y)
print("shares", (np.bincount(y) / len(y)).round(3))
for name, told in (
    ("predict_proba", model.predict_proba(X, lamb=[0.01])),
    ("softmax", softmax(model.decision_function(X, lamb=[0.01]), axis=1)),
):
    print(name, "means", told.mean(axis=0).round(3), "log loss", round(log_loss(y, told), 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
shares [0.173 0.293 0.533]
predict_proba means [0.239 0.325 0.435] log loss 0.731
softmax means [0.173 0.293 0.533] log loss 0.572
SEEN
echo "as described"
