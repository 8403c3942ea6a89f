#!/bin/sh
# scikit-survival 0.28.0: writearff writes a full stop for each comma in a category, and an underscore for each blank
# in a name of a column: "p,q" comes back as "p.q". Where both are categories, the file names one of them twice.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 scikit-survival==0.28.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import tempfile
from pathlib import Path

import pandas as pd
from sksurv.io import loadarff, writearff

frame = pd.DataFrame({"stage at start": pd.Categorical(["p,q", "r", "p,q"]), "age": [1.0, 2.0, 3.0]})
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "data.arff"
    writearff(frame, str(path), relation_name="data", index=False)
    back = loadarff(str(path))
print("before", list(frame.columns), frame["stage at start"].tolist())
print("after", list(back.columns), back["stage_at_start"].tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
before ['stage at start', 'age'] ['p,q', 'r', 'p,q']
after ['age', 'stage_at_start'] ['p.q', 'r', 'p.q']
SEEN
echo "as described"
