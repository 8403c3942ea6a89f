#!/bin/sh
# vowpalwabbit 9.11.9: VWMultiClassifier, its class of scikit-learn's interface, predicts the first class for
# every row: it gives Vowpal Wabbit, whose labels begin at 1, labels from 0 on. The same examples with labels from
# 1 on, by Workspace("--oaa 3"), are learned.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check vowpalwabbit==9.11.9 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from vowpalwabbit import Workspace
from vowpalwabbit.sklearn import VWMultiClassifier, tovw

X = np.random.default_rng(0).normal(size=(300, 3))
y = np.digitize(X @ [1, -2, 0.5], [-1, 1]) + 1
model = VWMultiClassifier(oaa=3).fit(X, y)
print("classes", np.unique(y), "predicted", np.unique(model.predict(X)))
print(f"accuracy {model.score(X, y):.2f}, of the first class {np.mean(y == 1):.2f}")
learner = Workspace("--oaa 3 --quiet")
examples = tovw(X, y)
for each in examples:
    learner.learn(each)
found = [learner.predict("|" + each.split("|")[1]) for each in examples]
print("by Workspace above 0.9", bool(np.mean(found == y) > 0.9))
PROGRAM
diff "$folder/seen" - <<'SEEN'
classes [1 2 3] predicted [1]
accuracy 0.33, of the first class 0.33
by Workspace above 0.9 True
SEEN
echo "as described"
