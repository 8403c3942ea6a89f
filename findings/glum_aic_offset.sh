#!/bin/sh
# glum 3.4.1: aic, aicc and bic of a model that was fitted with an offset are those of its predictions without the
# offset, and they take no offset. So they choose among such models by wrong numbers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 statsmodels==0.15.0 glum==3.4.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import inspect

import numpy as np
import statsmodels.api as sm
from glum import GeneralizedLinearRegressor

random = np.random.default_rng(0)
X, exposure = random.normal(size=(100, 2)), random.uniform(0.5, 5, size=100)
y = random.poisson(exposure * np.exp(X @ [0.4, -0.3]))
glum = GeneralizedLinearRegressor(family="poisson", alpha=0, gradient_tol=1e-9)
glum.fit(X, y, offset=np.log(exposure))
other = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson(), offset=np.log(exposure)).fit()
print("weights", np.r_[glum.intercept_, glum.coef_].round(3), "statsmodels", other.params.round(3))
print("aic", glum.aic(X, y).round(1), "statsmodels", other.aic.round(1))
print("an argument offset:", "offset" in inspect.signature(glum.aic).parameters)
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights [-0.019  0.475 -0.449] statsmodels [-0.019  0.475 -0.449]
aic 678.9 statsmodels 340.8
an argument offset: False
SEEN
echo "as described"
