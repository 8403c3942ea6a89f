#!/bin/sh
# glm 1.0.0 (npm): all Binomial families share one link, that of the family made last, as they are one global
# variable. To make a family with another link changes what a fitted model predicts, silently, to values above
# 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent glm@1.0.0
node - >"$folder/seen" <<'PROGRAM'
const { GLM } = require("glm");
const X = [[0], [1], [2], [3], [4], [5]];
const fitted = GLM(GLM.families.Binomial());
fitted.fit([0, 0, 1, 0, 1, 1], X);
const told = () => fitted.predict(X).map((p) => p.toFixed(3)).join(" ");
console.log("fitted          ", told());
GLM.families.Binomial(GLM.links.Log());
console.log("another was made", told());
console.log("weights         ", fitted.weights.map((w) => w.toFixed(3)).join(" "));
PROGRAM
diff "$folder/seen" - <<'SEEN'
fitted           0.046 0.139 0.353 0.647 0.861 0.954
another was made 0.048 0.162 0.545 1.835 6.178 20.802
weights          1.214 -3.035
SEEN
echo "as described"
