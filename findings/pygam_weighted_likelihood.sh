#!/bin/sh
# pygam 0.12.0: the log-likelihood of LinearGAM with weights, and its AIC, divide standard deviations by the
# weights, where the fit divides variances by them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check pygam==0.12.0 numpy==2.4.6 scipy==1.16.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pygam import LinearGAM, l
from scipy.stats import norm

random = np.random.default_rng(0)
X = random.normal(size=(300, 1))
weights = random.uniform(0.2, 4, 300)
y = X[:, 0] + 2 * random.normal(size=300) / np.sqrt(weights)
model = LinearGAM(l(0), lam=1e-9).fit(X, y, weights=weights)
rows = np.c_[X, np.ones(300)]
own = np.linalg.lstsq(rows * np.sqrt(weights)[:, None], y * np.sqrt(weights), rcond=None)[0]
print("weights of least squares with variances over weights", bool(np.allclose(model.coef_, own, atol=1e-5)))
means, scale = model.predict(X), model.statistics_["scale"]
print(f"pygam {model.loglikelihood(X, y, weights=weights):.1f}")
print(f"variances over weights {norm.logpdf(y, means, scale / np.sqrt(weights)).sum():.1f}")
print(f"standard deviations over weights {norm.logpdf(y, means, scale / weights).sum():.1f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights of least squares with variances over weights True
pygam -611.1
variances over weights -522.0
standard deviations over weights -611.1
SEEN
echo "as described"
