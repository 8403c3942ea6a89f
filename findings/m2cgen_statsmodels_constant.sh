#!/bin/sh
# m2cgen 0.10.0: code of a statsmodels regression takes the weight of the constant column for the intercept,
# whatever the constant is. With a column of 5 the intercept is a fifth of what it was, silently. statsmodels
# finds any constant column; with a column of 1, as add_constant makes it, both agree.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0 m2cgen==0.10.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import m2cgen
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
X = random.normal(size=(50, 2))
y = X @ [1.0, 2.0] + 3 + 0.1 * random.normal(size=50)
for constant in (1.0, 5.0):
    Z = np.column_stack([np.full(50, constant), X])
    model = sm.OLS(y, Z).fit()
    names = {}
    exec(m2cgen.export_to_python(model), names)
    print(f"constant {constant}: statsmodels {model.predict(Z[:1])[0]:.4f}, m2cgen {names['score'](list(X[0])):.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
constant 1.0: statsmodels 2.8668, m2cgen 2.8668
constant 5.0: statsmodels 2.8668, m2cgen 0.4644
SEEN
echo "as described"
