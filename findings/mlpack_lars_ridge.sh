#!/bin/sh
# mlpack 4.8.0: LARS with lambda1=0 ignores lambda2 and gives least squares, silently. Its documentation says that this is
# ridge regression. With lambda1=1e-6 it is.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check mlpack==4.8.0 numpy==2.4.6 pandas==2.3.3 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import mlpack
import numpy as np
from sklearn.linear_model import LinearRegression, Ridge

random = np.random.default_rng(0)
X = random.normal(size=(60, 3))
y = X @ [1.0, 2.0, -1.0] + 5 + 0.1 * random.normal(size=60)
points = np.column_stack([np.zeros(3), np.eye(3)])
for lambda1 in (0.0, 1e-6):
    model = mlpack.lars_train(input_=X, responses=y, lambda1=lambda1, lambda2=10.0, no_normalize=True)["output_model"]
    told = mlpack.lars_predict(input_model=model, test=points)["predictions"].ravel()
    print(f"lambda1={lambda1}", (told[1:] - told[0]).round(4))
print("ridge", Ridge(alpha=10.0).fit(X, y).coef_.round(4))
print("least squares", LinearRegression().fit(X, y).coef_.round(4))
PROGRAM
diff "$folder/seen" - <<'SEEN'
lambda1=0.0 [ 0.9867  2.0175 -0.959 ]
lambda1=1e-06 [ 0.8623  1.624  -0.7879]
ridge [ 0.8623  1.624  -0.7879]
least squares [ 0.9867  2.0175 -0.959 ]
SEEN
echo "as described"
