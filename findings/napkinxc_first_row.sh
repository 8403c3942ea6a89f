#!/bin/sh
# napkinxc 0.7.2: load_libsvm_file takes the first row for a header of sizes where it has one or two features.
# The row is lost, and so are rows beyond the number that its label gives as the number of rows, silently. The
# documentation says that a header is found where there is one; a header has no colon.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check napkinxc==0.7.2 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pathlib import Path

from napkinxc.datasets import load_libsvm_file

for first in ("1 1:1", "1,2 1:1 2:1", "1 1:1 2:1 3:1"):
    Path("data").write_text(f"{first}\n0 2:5\n3 1:4 3:2\n")
    X, Y = load_libsvm_file("data")
    print(f"{first}: {X.shape[0]} of 3 rows, labels {Y}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
1 1:1: 1 of 3 rows, labels [[0]]
1,2 1:1 2:1: 1 of 3 rows, labels [[0]]
1 1:1 2:1 3:1: 3 of 3 rows, labels [[1], [0], [3]]
SEEN
echo "as described"
