#!/bin/sh
# ml-confusion-matrix 2.0.0 (npm): getFalseOmissionRate gives the rate of false negatives, FN / (FN + TP). The false omission
# rate is FN / (FN + TN), 1 minus the value that getNegativePredictiveValue gives.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-confusion-matrix@2.0.0
node - >"$folder/seen" <<'PROGRAM'
const { ConfusionMatrix } = require("ml-confusion-matrix");
const actual = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const predicted = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const matrix = ConfusionMatrix.fromLabels(actual, predicted);
const told = (name) => name + " " + matrix["get" + name](1).toFixed(3);
console.log(told("FalseOmissionRate"), told("FalseNegativeRate"), told("NegativePredictiveValue"), "1 of 10");
PROGRAM
diff "$folder/seen" - <<'SEEN'
FalseOmissionRate 0.250 FalseNegativeRate 0.250 NegativePredictiveValue 0.900 1 of 10
SEEN
echo "as described"
