#!/bin/sh
# xgboost 3.2.0: its reader of svmlight files does not know nan and takes the next number in the file for the value,
# silently: where two neighbours are missing the index of the second, and for the last feature of a row the label of
# the next row. One alone in between is an error that does not say so. catboost reads such files.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check xgboost==3.2.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
from pathlib import Path

import xgboost

for row in ("0 0:0.5 1:nan 2:nan 3:0.5", "0 0:0.5 1:0.5 2:0.5 3:nan"):
    Path("rows").write_text(row + "\n7 0:0.5 1:0.5 2:0.5 3:0.5\n")
    print(row, "->", xgboost.DMatrix("rows?format=libsvm").get_data().toarray()[0].tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
0 0:0.5 1:nan 2:nan 3:0.5 -> [0.5, 2.0, 0.0, 0.5]
0 0:0.5 1:0.5 2:0.5 3:nan -> [0.5, 0.5, 0.5, 7.0]
SEEN
echo "as described"
