#!/bin/sh
# datasets 5.2.0: with_format("numpy") gives columns of float64 as float32, silently, where with_format("pandas") and
# the file have float64: numbers of more than seven digits come out changed, and near ones as one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 datasets==5.2.0 pandas==2.3.3 pyarrow==26.0.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import datasets

rows = datasets.Dataset.from_dict({"x": [1700000001.0, 1700000002.0], "y": [0.1, 0.2]})
print("type in the file", rows.features["x"])
for form in ("pandas", "numpy"):
    x = rows.with_format(form)[:]["x"]
    print(form, x.dtype, [f"{value:.1f}" for value in x])
PROGRAM
diff "$folder/seen" - <<'SEEN'
type in the file Value('float64')
pandas float64 ['1700000001.0', '1700000002.0']
numpy float32 ['1700000000.0', '1700000000.0']
SEEN
echo "as described"
