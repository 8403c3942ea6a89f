#!/bin/sh
# h2o 3.46.0.12 (it needs Java): the label that predict gives of two classes is by the threshold of the largest F1 of
# the training rows, not by 0.5 and not the class of the larger probability: rows of probability 0.15 are labelled 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check h2o==3.46.0.12 pandas==2.3.3 numpy==2.4.6
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import contextlib
import sys

import h2o
import numpy as np
import pandas as pd

random = np.random.default_rng(0)
x = random.normal(size=2000)
y = np.where(random.random(2000) < 1 / (1 + np.exp(3 - x)), "1", "0")
with contextlib.redirect_stdout(sys.stderr):
    h2o.init(nthreads=1, max_mem_size="1g", port=54931, verbose=False)
    h2o.no_progress()
    frame = h2o.H2OFrame(pd.DataFrame({"x": x, "y": y}), column_types=["numeric", "enum"])
    model = h2o.estimators.H2OGeneralizedLinearEstimator(family="binomial", lambda_=0)
    model.train(["x"], "y", frame)
    told = model.predict(frame).as_data_frame(use_multi_thread=False)
    h2o.cluster().shutdown()
for label, rows in told.groupby(told["predict"].astype(str)):
    print("label", label, "rows", len(rows), "probability of 1 from", rows["p1"].min().round(3), "to", rows["p1"].max().round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
label 0 rows 1790 probability of 1 from 0.001 to 0.145
label 1 rows 210 probability of 1 from 0.145 to 0.528
SEEN
echo "as described"
