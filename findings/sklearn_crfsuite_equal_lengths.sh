#!/bin/sh
# sklearn-crfsuite 0.5.0: predictions are a matrix where all sequences have one length, and an array
# of lists where not. seqeval 1.2.2 refuses the matrix.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 python-crfsuite==0.9.12 sklearn-crfsuite==0.5.0 seqeval==1.2.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import sklearn_crfsuite
from seqeval.metrics import f1_score

X = [[{"a": 1.0}, {"b": 1.0}], [{"a": 1.0}, {"b": 1.0}], [{"a": 1.0}]]
y = [["B-N", "B-V"], ["B-N", "B-V"], ["B-N"]]
model = sklearn_crfsuite.CRF().fit(X, y)
for n in (3, 2):
    found = model.predict(X[:n])
    print(found.shape, type(found[0]).__name__)
    try:
        print(f1_score(y[:n], found))
    except TypeError as error:
        print("TypeError:", error)
PROGRAM
diff "$folder/seen" - <<'SEEN'
(3,) list
1.0
(2, 2) ndarray
TypeError: Found input variables without list of list.
SEEN
echo "as described"
