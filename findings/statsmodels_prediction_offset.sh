#!/bin/sh
# statsmodels 0.15.0: of a fit with an offset, predict() gives the means of the examples with their
# offsets, and get_prediction() without them, so that its means are not those of the fit.
# Exposures are left out too; get_prediction(offset=) and (exposure=) take them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
X = sm.add_constant(random.normal(size=(60, 1)))
hours = random.integers(1, 20, size=60)
counts = random.poisson(hours * np.exp(X @ [0.5, 0.3]))
poisson = sm.families.Poisson()
fits = {
    "offset": sm.GLM(counts, X, family=poisson, offset=np.log(hours)).fit(),
    "exposure": sm.GLM(counts, X, family=poisson, exposure=hours).fit(),
    "neither": sm.GLM(counts, X, family=poisson).fit(),
}
print("mean of the counts", counts.mean().round(3))
for name, fit in fits.items():
    print(name, fit.predict().mean().round(3), fit.get_prediction().predicted_mean.mean().round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
mean of the counts 19.283
offset 19.283 1.832
exposure 19.283 1.832
neither 19.283 19.283
SEEN
echo "as described"
