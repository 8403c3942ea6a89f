#!/bin/sh
# ml-svm 2.1.2 (npm): with a column that is constant in the training data every margin is NaN and every
# prediction -1, silently. The default whitening divides each column by its range. Without the column, or with
# whitening false, classes are told apart.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-svm@2.1.2
node - >"$folder/seen" <<'PROGRAM'
const SVM = require("ml-svm");
const labels = [-1, -1, 1, 1];
for (const [name, whitening, X] of [
  ["one column", true, [[0], [1], [4], [5]]],
  ["and a constant", true, [[0, 7], [1, 7], [4, 7], [5, 7]]],
  ["without whitening", false, [[0, 7], [1, 7], [4, 7], [5, 7]]],
]) {
  let state = 1;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const model = new SVM({ C: 1, random, whitening });
  model.train(X, labels);
  console.log(name + ":", model.predict(X).join(" "), "margin of the last", model.margin(X)[3].toFixed(2));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
one column: -1 -1 1 1 margin of the last 7.20
and a constant: -1 -1 -1 -1 margin of the last NaN
without whitening: -1 -1 1 1 margin of the last 1.67
SEEN
echo "as described"
