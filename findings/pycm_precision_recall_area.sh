#!/bin/sh
# pycm 4.6: the area of PRCurve leaves out all between recall 0 and the first point: a perfect order of two examples of
# class 1 has 0.5 and one of a single example 0. That of ROCCurve is 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 pycm==4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pycm import PRCurve, ROCCurve

for positives in (1, 2, 10):
    y = [0] * 10 + [1] * positives
    scores = [0.01 * place for place in range(len(y))]
    told = [[1 - score, score] for score in scores]
    areas = [curve(y, told, classes=[0, 1]).area()[1] for curve in (PRCurve, ROCCurve)]
    print(positives, "positives above 10 negatives: PRCurve", round(areas[0], 6), "ROCCurve", areas[1])
PROGRAM
diff "$folder/seen" - <<'SEEN'
1 positives above 10 negatives: PRCurve 0.0 ROCCurve 1.0
2 positives above 10 negatives: PRCurve 0.5 ROCCurve 1.0
10 positives above 10 negatives: PRCurve 0.9 ROCCurve 1.0
SEEN
echo "as described"
