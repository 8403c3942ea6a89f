#!/bin/sh
# statsmodels 0.15.0: fit_regularized(alpha=a) of Logit and of GLM with the Binomial family are not one
# problem: GLM's a is relative to the mean of losses, Logit's to their sum.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check statsmodels==0.15.0 pandas==2.3.3 scipy==1.17.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
y = (X[:, 0] + rng.normal(size=200) > 0).astype(float)
logit = sm.Logit(y, X).fit_regularized(alpha=10.0, disp=0).params
glm = sm.GLM(y, X, family=sm.families.Binomial())
print("alpha=10, weights not 0: Logit", int((logit != 0).sum()), end=", ")
print("GLM", int((glm.fit_regularized(alpha=10.0, L1_wt=1.0).params != 0).sum()))
scaled = glm.fit_regularized(alpha=10.0 / 200, L1_wt=1.0).params
print("Logit at 10 is GLM at 10/n", bool(np.allclose(logit, scaled, atol=1e-4)))
PROGRAM
diff "$folder/seen" - <<'SEEN'
alpha=10, weights not 0: Logit 2, GLM 0
Logit at 10 is GLM at 10/n True
SEEN
echo "as described"
