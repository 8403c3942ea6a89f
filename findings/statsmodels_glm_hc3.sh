#!/bin/sh
# statsmodels 0.15.0: cov_type="HC1", "HC2" and "HC3" of GLM, Logit and Poisson give the standard errors of HC0, silently. For
# one linear model OLS and GLM have different HC3: those of GLM are too small by a third for 12 rows.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 patsy==1.0.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
x = random.normal(size=12)
X, y, counts = sm.add_constant(x), x + random.normal(size=12), random.poisson(np.exp(x / 2))
models = {
    "OLS": sm.OLS(y, X),
    "GLM Gaussian": sm.GLM(y, X),
    "GLM Poisson": sm.GLM(counts, X, family=sm.families.Poisson()),
}
for name, model in models.items():
    told = {kind: model.fit(cov_type=kind) for kind in ("HC0", "HC1", "HC2", "HC3")}
    print(name, {fit.cov_type: round(float(fit.bse[1]), 3) for fit in told.values()})
PROGRAM
diff "$folder/seen" - <<'SEEN'
OLS {'HC0': 0.44, 'HC1': 0.482, 'HC2': 0.534, 'HC3': 0.65}
GLM Gaussian {'HC0': 0.44, 'HC1': 0.44, 'HC2': 0.44, 'HC3': 0.44}
GLM Poisson {'HC0': 0.13, 'HC1': 0.13, 'HC2': 0.13, 'HC3': 0.13}
SEEN
echo "as described"
