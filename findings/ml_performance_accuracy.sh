#!/bin/sh
# ml-performance 0.2.0 (npm): the accuracy divides by the number of different scores, not by that of examples,
# and is above 1 where scores tie. The error rate divides one of its two terms by it, so that the two do not
# sum to 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-performance@0.2.0
node - >"$folder/seen" <<'PROGRAM'
const Performance = require("ml-performance");
for (const scores of [[0.9, 0.8, 0.3, 0.1], [0.9, 0.9, 0.1, 0.1]]) {
  const result = new Performance([scores], [[1, 0, 1, 0].map((_, i) => (i < 2 ? 1 : 0))], { all: true, max: true });
  console.log("scores", scores.join(" "), "labels 1 1 0 0");
  console.log("  accuracy by cutoff", result.getMeasure("acc").join(" "));
  console.log("  error by cutoff", result.getMeasure("err").join(" "));
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
scores 0.9 0.8 0.3 0.1 labels 1 1 0 0
  accuracy by cutoff 0.5 0.75 1 0.75 0.5
  error by cutoff 2 1 0 0.25 0.5
scores 0.9 0.9 0.1 0.1 labels 1 1 0 0
  accuracy by cutoff 1 2 1
  error by cutoff 2 0 1
SEEN
echo "as described"
