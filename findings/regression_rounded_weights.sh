#!/bin/sh
# regression 2.0.1 (npm): weights are rounded to two digits after the point by default, and predictions and r2 are
# those of the rounded ones: a feature of large numbers has the weight 0, and r2 of exact data is 0, silently. The
# option precision changes it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent regression@2.0.1
node - >"$folder/seen" <<'PROGRAM'
const regression = require("regression");
const data = [0, 100, 200, 300, 400].map((x) => [x, 0.5 + 0.004 * x]);
for (const choices of [{}, { precision: 10 }]) {
  const model = regression.linear(data, choices);
  console.log(JSON.stringify(choices), "weights", model.equation.join(" "), "r2", model.r2, "at 400", model.predict(400)[1]);
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
{} weights 0 1.3 r2 0 at 400 1.3
{"precision":10} weights 0.004 0.5 r2 1 at 400 2.1
SEEN
echo "as described"
