#!/bin/sh
# seqeval 1.2.2: labels without the prefix of a scheme lose their first letter. Parts of speech that
# differ in this letter alone count as right: NNP against VNP has an F1 of 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 seqeval==1.2.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from seqeval.metrics import f1_score

print(f1_score([["NNP", "DT"]], [["VNP", "PT"]]), f1_score([["NN", "DT"]], [["VB", "IN"]]))
PROGRAM
diff "$folder/seen" - <<'SEEN'
1.0 0.0
SEEN
echo "as described"
