#!/bin/sh
# scikit-multilearn 0.2.0: load_from_arff gives a label the place of its value in the declaration
# where nominal values are encoded, the default. Of labels declared {1,0}, as some files have
# them, 0 and 1 come back exchanged. encode_nominal=False reads what is written.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 scikit-multilearn==0.2.0 liac-arff==2.5.0 requests==2.32.5
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pathlib import Path

from skmultilearn.dataset import load_from_arff

ROWS = "@data\n1.5,1,0\n2.5,0,0\n3.5,0,1\n"
for values in ("{0,1}", "{1,0}"):
    labels = f"@attribute a {values}\n@attribute b {values}\n"
    Path("labels.arff").write_text(f"@relation two\n@attribute x numeric\n{labels}{ROWS}")
    for encode in (True, False):
        Y = load_from_arff("labels.arff", label_count=2, encode_nominal=encode)[1]
        print(values, encode, Y.toarray().astype(int).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
{0,1} True [[1, 0], [0, 0], [0, 1]]
{0,1} False [[1, 0], [0, 0], [0, 1]]
{1,0} True [[0, 1], [1, 1], [1, 0]]
{1,0} False [[1, 0], [0, 0], [0, 1]]
SEEN
echo "as described"
