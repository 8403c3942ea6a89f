#!/bin/sh
# pyfixest 0.60.0: predict of fepois and feglm gives scores unless type="response" is said, logarithms of means of a
# Poisson regression, though its help calls "response" the default. R's fixest, which it follows, gives means.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 pyfixest==0.60.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import pandas as pd
import pyfixest

random = np.random.default_rng(0)
table = pd.DataFrame({"x": random.normal(size=400)})
table["count"] = random.poisson(np.exp(table["x"]))
model = pyfixest.fepois("count ~ x", table)
told = {name: model.predict(**options).mean().round(3) for name, options in (("predict", {}), ("response", {"type": "response"}))}
print("mean of the counts", table["count"].mean().round(3), "means of predictions", told)
PROGRAM
diff "$folder/seen" - <<'SEEN'
mean of the counts 1.562 means of predictions {'predict': np.float64(-0.106), 'response': np.float64(1.563)}
SEEN
echo "as described"
