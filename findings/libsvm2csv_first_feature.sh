#!/bin/sh
# libsvm2csv 0.1.4: a file of the LIBSVM format without qid, as most are, loses the first pair of every row:
# it is taken for the query, and what is left stands under other names. The columns differ in number from row
# to row. With qid, as in its readme, all numbers are there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check libsvm2csv==0.1.4
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pathlib import Path

from libsvm2csv import convert

for qid in ("qid:7 ", ""):
    Path("data").write_text(f"1 {qid}1:0.5 3:2\n-1 {qid}2:5 3:4\n")
    convert("data", "data.csv")
    print(Path("data.csv").read_text())
PROGRAM
diff "$folder/seen" - <<'SEEN'
index,target,qid,1,2,3
0,1,7,0.5,0,2
1,-1,7,0,5,4

index,target,qid,3
0.5,1,0,2
5,-1,0,4,0

SEEN
echo "as described"
