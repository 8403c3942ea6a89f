#!/bin/sh
# @kobra-dev/js-regression 1.0.12 (npm): the threshold of a logistic regression is meant to be the least
# probability of the positive examples, and its readme predicts with it. It is found from features moved by
# one place, with the last one left out, and is no probability of any example. Here all positive examples have
# 0.92 and more, and negative ones are predicted to be positive; how many depends on the order of the columns.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent @kobra-dev/js-regression@1.0.12
node - >"$folder/seen" <<'PROGRAM'
const { LogisticRegression } = require("@kobra-dev/js-regression");
const data = [[0, 3, 1], [1, 4, 1], [0, 5, 1], [2, 3, 1], [5, 0, 0], [4, 1, 0], [3, 0, 0], [2, 1, 0]];
for (const turned of [false, true]) {
  const rows = data.map(([a, b, y]) => (turned ? [b, a, y] : [a, b, y]));
  const model = new LogisticRegression({ alpha: 0.1, iterations: 500, lambda: 0 });
  const { threshold } = model.fit(rows);
  const told = rows.map((row) => model.transform(row.slice(0, 2)));
  const least = Math.min(...told.filter((p, i) => rows[i][2] === 1));
  console.log("threshold", threshold.toFixed(3), "least probability of a positive", least.toFixed(3));
  console.log("labels      ", rows.map((row) => row[2]).join(" "));
  console.log("at threshold", told.map((p) => (p >= threshold ? 1 : 0)).join(" "));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
threshold 0.084 least probability of a positive 0.926
labels       1 1 1 1 0 0 0 0
at threshold 1 1 1 1 0 0 0 1
threshold 0.000 least probability of a positive 0.926
labels       1 1 1 1 0 0 0 0
at threshold 1 1 1 1 0 1 1 1
SEEN
echo "as described"
