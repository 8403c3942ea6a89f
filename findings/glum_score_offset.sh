#!/bin/sh
# glum 3.4.1: score() with an offset compares with a model without the offset, so that what the offset explains
# counts for the model; its documentation speaks of a model with the intercept alone. Of targets that depend on
# the offset alone it is far above 0. 1 - deviance / null deviance of statsmodels, whose null model has the
# offset, is near 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check glum==3.4.1 statsmodels==0.15.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm
from glum import GeneralizedLinearRegressor

random = np.random.default_rng(0)
X, offset = random.normal(size=(500, 1)), random.normal(size=500)
y = random.poisson(np.exp(1 + offset)).astype(float)
model = GeneralizedLinearRegressor(family="poisson", alpha=0, gradient_tol=1e-10).fit(X, y, offset=offset)
peer = sm.GLM(y, sm.add_constant(X), sm.families.Poisson(), offset=offset).fit()
print("weights alike", bool(np.allclose(model.coef_[0], peer.params[1], atol=1e-6)))
print(f"glum {model.score(X, y, offset=offset):.3f}")
print(f"statsmodels {1 - peer.deviance / peer.null_deviance:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights alike True
glum 0.776
statsmodels 0.000
SEEN
echo "as described"
