#!/bin/sh
# statsmodels 0.15.0: get_margeff() of a Poisson regression with an exposure or offset leaves it out: with the exposure 2 the
# mean slope of the predicted counts is half of what it is, silently. predict() has it in.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 patsy==1.0.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
x = random.normal(size=200)
X, moved = sm.add_constant(x), sm.add_constant(x + 1e-6)
for exposure in (1.0, 2.0, 10.0):
    exposures = np.full(200, exposure)
    fit = sm.Poisson(random.poisson(exposure * np.exp(x / 2)), X, exposure=exposures).fit(disp=0)
    slope = np.mean(fit.predict(moved, exposure=exposures) - fit.predict()) / 1e-6
    print("exposure", exposure, "get_margeff", fit.get_margeff().margeff.round(3), "slope of predict()", slope.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
exposure 1.0 get_margeff [0.618] slope of predict() 0.618
exposure 2.0 get_margeff [0.518] slope of predict() 1.036
exposure 10.0 get_margeff [0.535] slope of predict() 5.351
SEEN
echo "as described"
