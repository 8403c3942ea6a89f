#!/bin/sh
# ml-regression 6.3.0 (npm): r2 of score is the squared correlation of predictions and targets, so that it is 1
# for predictions that are all off by a hundred or have the wrong sign.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-regression@6.3.0
node - >"$folder/seen" <<'PROGRAM'
const { SimpleLinearRegression } = require("ml-regression");
const model = new SimpleLinearRegression([0, 1, 2], [0, 1, 2]);
for (const targets of [[0, 1, 2], [100, 101, 102], [0, -1, -2]]) {
  const told = model.score([0, 1, 2], targets);
  const mean = targets.reduce((a, b) => a + b) / 3;
  const total = targets.reduce((a, b) => a + (b - mean) ** 2, 0);
  const rest = targets.reduce((a, b, i) => a + (b - model.predict(i)) ** 2, 0);
  console.log("targets", targets.join(" "), "score", told.r2.toFixed(3), "1 - ratio of squares", (1 - rest / total).toFixed(3));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
targets 0 1 2 score 1.000 1 - ratio of squares 1.000
targets 100 101 102 score 1.000 1 - ratio of squares -14999.000
targets 0 -1 -2 score 1.000 1 - ratio of squares -9.000
SEEN
echo "as described"
