#!/bin/sh
# fasttext-wheel 0.9.2: predict adds 1e-5 to probabilities, so that they are above 1 and those of all classes sum to
# more than 1; the logarithm of 1 - p for a log loss is nan. The Python module hands out what the program uses for
# logarithms inside.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==1.26.4 fasttext-wheel==0.9.2 setuptools==80.9.0
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pathlib import Path

import fasttext
import numpy as np

Path("rows").write_text("".join(f"__label__{'ab'[row % 2]} {('bad', 'good')[row % 2]}\n" for row in range(200)))
model = fasttext.train_supervised("rows", thread=1, epoch=500, lr=1.0, verbose=0)
labels, told = model.predict("good", k=2)
print(labels, np.round(told, 7), "sum", round(float(np.sum(told)), 6), "above 1", bool(told[0] > 1))
PROGRAM
diff "$folder/seen" - <<'SEEN'
('__label__b', '__label__a') [1.0000083e+00 1.1600000e-05] sum 1.00002 above 1 True
SEEN
echo "as described"
