#!/bin/sh
# pygam 0.12.0: the log-likelihood of GammaGAM, and its AIC, take the square root of the dispersion for the
# dispersion. It is far below the log-likelihood at the dispersion that Pearson's residuals give.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check pygam==0.12.0 numpy==2.4.6 scipy==1.16.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pygam import GammaGAM, l
from scipy.stats import gamma

random = np.random.default_rng(0)
X = random.normal(size=(300, 1))
y = random.gamma(4, np.exp(0.5 * X[:, 0]) / 4)
model = GammaGAM(l(0), lam=1e-9, tol=1e-12).fit(X, y)
means = model.predict(X)
dispersion = ((y / means - 1) ** 2).sum() / 298
print(f"dispersion {dispersion:.4f}, its square root {dispersion**0.5:.4f}, scale {model.statistics_['scale']:.4f}")


def likelihood(dispersion):
    return gamma.logpdf(y, 1 / dispersion, scale=means * dispersion).sum()


print(f"pygam {model.loglikelihood(X, y):.1f}")
print(f"at the dispersion {likelihood(dispersion):.1f}, at its square root {likelihood(dispersion**0.5):.1f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
dispersion 0.2087, its square root 0.4568, scale 0.4568
pygam -197.5
at the dispersion -157.3, at its square root -197.5
SEEN
echo "as described"
