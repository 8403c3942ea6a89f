#!/bin/sh
# ml-logistic-regression 2.0.0 (npm): classes must be numbered from 0. Of the labels 1 and 2 the second is never
# learnt, and 0 is predicted for it, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-logistic-regression@2.0.0 ml-matrix@6.12.1
node - >"$folder/seen" <<'PROGRAM'
const { Matrix } = require("ml-matrix");
const LogisticRegression = require("ml-logistic-regression");
const X = new Matrix([[-3], [-2], [-1], [1], [2], [3]]);
for (const labels of [[0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 2], [-1, -1, -1, 1, 1, 1]]) {
  const model = new LogisticRegression({ numSteps: 1000, learningRate: 0.1 });
  model.train(X, Matrix.columnVector(labels));
  console.log("labels", labels.join(" "), "predicted", model.predict(X).join(" "));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
labels 0 0 0 1 1 1 predicted 0 0 0 1 1 1
labels 1 1 1 2 2 2 predicted 1 1 1 0 0 0
labels -1 -1 -1 1 1 1 predicted 0 0 0 1 1 1
SEEN
echo "as described"
