#!/bin/sh
# ml-pls 4.4.1 (npm): getExplainedVariance, "the explained variance on training of the PLS model", is that of the last
# latent vector alone, and of X, not of y: it falls where latent vectors are added and the fit gets better.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-pls@4.4.1
node - >"$folder/seen" <<'PROGRAM'
const { PLS } = require("ml-pls");
const X = [...Array(30).keys()].map((i) => [Math.sin(i), Math.sin(i) + Math.cos(3 * i) / 2, Math.sin(7 * i) / 4]);
const y = X.map(([a, b, c]) => [a + b - 2 * c]);
for (const latentVectors of [1, 2, 3]) {
  const model = new PLS({ latentVectors, tolerance: 1e-9 });
  model.train(X, y);
  const told = model.predict(X).to1DArray();
  const error = told.reduce((sum, value, i) => sum + (value - y[i][0]) ** 2, 0) / 30;
  console.log(latentVectors, "error", error.toFixed(5), "explained variance", model.getExplainedVariance().toFixed(3));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
1 error 0.12575 explained variance 0.621
2 error 0.01726 explained variance 0.338
3 error 0.01723 explained variance 0.041
SEEN
echo "as described"
