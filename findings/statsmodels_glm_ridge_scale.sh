#!/bin/sh
# statsmodels 0.15.0: GLM.fit_regularized takes the scale of a Gaussian or Gamma family from the weights
# where L1_wt is 0, and 1 where L1_wt is above 0, even 1e-9. So the ridge weights are not the limit
# of elastic nets, nor those of OLS.fit_regularized; a family without a scale has the same for both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
X = random.normal(size=(60, 2))
rates = np.exp(X @ [0.5, 0.3])
normal, counts = 2 * rates + 2 * random.normal(size=60), random.poisson(rates)
gaussian, poisson = sm.families.Gaussian(), sm.families.Poisson()
models = {
    "Gaussian": sm.GLM(normal, X, family=gaussian),
    "OLS": sm.OLS(normal, X),
    "Poisson": sm.GLM(counts, X, family=poisson),
}
for name, model in models.items():
    ridge = model.fit_regularized(alpha=0.5, L1_wt=0).params
    print(name, ridge.round(1), model.fit_regularized(alpha=0.5, L1_wt=1e-9).params.round(1))
print("by hand", np.linalg.solve(X.T @ X / 60 + 0.5 * np.eye(2), X.T @ normal / 60).round(1))
PROGRAM
diff "$folder/seen" - <<'SEEN'
Gaussian [0.2 0.1] [0.8 0.5]
OLS [0.8 0.5] [0.8 0.5]
Poisson [0.3 0.3] [0.3 0.3]
by hand [0.8 0.5]
SEEN
echo "as described"
