#!/bin/sh
# xgboost 3.2.0: in an svmlight file whose labels have weights (label:weight, as its documentation of the format has
# them), a row without a weight gets the weight of the next row that has one, and so on; the last rows get 0, silently.
# The reader only appends weights that are there. Where all rows have one, all is well.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check xgboost==3.2.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
from pathlib import Path

import xgboost

for text in ("1:0.5 0:1\n0:1 0:2\n0:2 0:3\n1:3 0:4\n", "1:0.5 0:1\n0 0:2\n0:2 0:3\n1:3 0:4\n"):
    Path("rows").write_text(text)
    read = xgboost.DMatrix("rows?format=libsvm")
    print(text.split("\n")[:-1], "labels", read.get_label(), "weights", read.get_weight())
PROGRAM
diff "$folder/seen" - <<'SEEN'
['1:0.5 0:1', '0:1 0:2', '0:2 0:3', '1:3 0:4'] labels [1. 0. 0. 1.] weights [0.5 1.  2.  3. ]
['1:0.5 0:1', '0 0:2', '0:2 0:3', '1:3 0:4'] labels [1. 0. 0. 1.] weights [0.5 2.  3.  0. ]
SEEN
echo "as described"
