#!/bin/sh
# mlflow 3.17.2: save_model in its default format, skops, refuses an estimator that is not
# scikit-learn's own, a subclass without any code among them, unless all its types are named.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skops==0.16.0 mlflow==3.17.2
cat >"$folder/own.py" <<'MODULE'
from sklearn.linear_model import Ridge


class Own(Ridge):
    pass
MODULE
cd "$folder"
MLFLOW_DISABLE_TELEMETRY=true PYTHONPATH="$folder" "$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import mlflow.sklearn
from own import Own
from sklearn.linear_model import Ridge

needed = ["scikit-learn"]
for kind in (Ridge, Own):
    model = kind().fit([[0.0], [1.0]], [0.0, 1.0])
    try:
        mlflow.sklearn.save_model(model, kind.__name__, pip_requirements=needed)
        print(kind.__name__, "saved")
    except Exception as error:
        print(kind.__name__, type(error).__name__)
named = ["own.Own"]
mlflow.sklearn.save_model(model, "again", pip_requirements=needed, skops_trusted_types=named)
print("Own, its type named:", "saved")
PROGRAM
diff "$folder/seen" - <<'SEEN'
Ridge saved
Own MlflowException
Own, its type named: saved
SEEN
echo "as described"
