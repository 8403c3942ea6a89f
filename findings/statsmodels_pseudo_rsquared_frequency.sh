#!/bin/sh
# statsmodels 0.15.0: pseudo_rsquared of a GLM with freq_weights takes the root of the ratio of likelihoods by the
# number of rows, not by the sum of frequencies: it is not that of repeated rows. All else is: weights,
# standard errors, deviance, AIC. kind="mcf" is right too.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
X = sm.add_constant(random.normal(size=(100, 2)))
y = random.poisson(np.exp(X @ [0.2, 0.4, -0.3]))
frequencies = random.integers(1, 6, 100)
rows = np.repeat(np.arange(100), frequencies)
poisson = sm.families.Poisson()
weighted = sm.GLM(y, X, family=poisson, freq_weights=frequencies).fit()
repeated = sm.GLM(y[rows], X[rows], family=poisson).fit()
for name, model in (("weighted", weighted), ("repeated", repeated)):
    values = model.deviance, model.aic, model.pseudo_rsquared(kind="mcf"), model.pseudo_rsquared()
    print(name, "deviance %.2f aic %.2f mcf %.4f cox-snell %.4f" % values)
print("by hand %.4f" % (1 - np.exp(2 * (weighted.llnull - weighted.llf) / frequencies.sum())))
PROGRAM
diff "$folder/seen" - <<'SEEN'
weighted deviance 304.12 aic 812.06 mcf 0.1368 cox-snell 0.7212
repeated deviance 304.12 aic 812.06 mcf 0.1368 cox-snell 0.3505
by hand 0.3505
SEEN
echo "as described"
