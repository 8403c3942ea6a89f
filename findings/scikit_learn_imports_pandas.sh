#!/bin/sh
# scikit-learn 1.9.1: `import sklearn.base` imports pandas and pyarrow where they are installed, and
# scipy.stats, so that it takes most of the time of `from sklearn.svm import LinearSVC`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1 pyarrow==26.0.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import sys

import sklearn.base

for name in ("scipy.stats", "pandas", "pyarrow", "sklearn.svm"):
    print(name, name in sys.modules)
PROGRAM
diff "$folder/seen" - <<'SEEN'
scipy.stats True
pandas True
pyarrow True
sklearn.svm False
SEEN
echo "as described"
