#!/bin/sh
# statsmodels 0.15.0: GLM with freq_weights has the weights, deviance and errors of a fit to repeated
# rows, and not the weights of fit_regularized: the sum of losses is divided by the number of rows,
# not by the sum of their frequencies, so that the same alpha is a smaller penalty.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
X = random.normal(size=(40, 2))
counts = random.poisson(np.exp(X @ [0.5, 0.3]))
times = random.integers(1, 6, size=40)
poisson = sm.families.Poisson()
models = {
    "frequencies": sm.GLM(counts, X, family=poisson, freq_weights=times),
    "repeated rows": sm.GLM(counts.repeat(times), X.repeat(times, axis=0), family=poisson),
}
for name, model in models.items():
    fit, penalized = model.fit(), model.fit_regularized(alpha=0.5, L1_wt=0)
    print(name, fit.params.round(3), fit.bse.round(3), "penalized", penalized.params.round(3))
alpha = 0.5 * times.sum() / 40
rescaled = models["frequencies"].fit_regularized(alpha=alpha, L1_wt=0)
print("frequencies, alpha times their mean", rescaled.params.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
frequencies [0.676 0.296] [0.07  0.074] penalized [0.625 0.288]
repeated rows [0.676 0.296] [0.07  0.074] penalized [0.536 0.265]
frequencies, alpha times their mean [0.536 0.265]
SEEN
echo "as described"
