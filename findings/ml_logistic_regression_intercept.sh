#!/bin/sh
# ml-logistic-regression 2.0.0 (npm): the model has no intercept, which neither its readme nor an option says: two
# classes that a threshold separates are one class where the feature is positive. A column of ones mends it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-logistic-regression@2.0.0 ml-matrix@6.12.1
node - >"$folder/seen" <<'PROGRAM'
const { Matrix } = require("ml-matrix");
const LogisticRegression = require("ml-logistic-regression");
const y = Matrix.columnVector([0, 0, 0, 1, 1, 1]);
for (const row of [(x) => [x], (x) => [x + 10], (x) => [x + 10, 1]]) {
  const X = new Matrix([-3, -2, -1, 1, 2, 3].map(row));
  const model = new LogisticRegression({ numSteps: 100000, learningRate: 0.01 });
  model.train(X, y);
  console.log("rows", JSON.stringify(X.to2DArray()), "predicted", model.predict(X).join(" "));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
rows [[-3],[-2],[-1],[1],[2],[3]] predicted 0 0 0 1 1 1
rows [[7],[8],[9],[11],[12],[13]] predicted 1 1 1 1 1 1
rows [[7,1],[8,1],[9,1],[11,1],[12,1],[13,1]] predicted 0 0 0 1 1 1
SEEN
echo "as described"
