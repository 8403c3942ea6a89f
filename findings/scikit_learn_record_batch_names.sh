#!/bin/sh
# scikit-learn 1.9.1 with pyarrow 26.0.1: a fit on a Table keeps the names of its columns as
# feature_names_in_, a fit on a RecordBatch of the same columns has none, without a word.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pyarrow==26.0.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import pyarrow as pa
from sklearn.linear_model import LinearRegression

table = pa.table({"a": [1.0, 2, 3, 4], "b": [2.0, 1, 4, 3]})
for X in (table, table.to_batches()[0]):
    model = LinearRegression().fit(X, [1, 2, 3, 4])
    print(type(X).__name__, getattr(model, "feature_names_in_", "no names"))
PROGRAM
diff "$folder/seen" - <<'SEEN'
Table ['a' 'b']
RecordBatch no names
SEEN
echo "as described"
