#!/bin/sh
# anndata 0.12.19: a table written with write_loom and read with read_loom loses the names of its rows and
# columns and half of its digits, silently: the names are written under one key and looked for under another,
# and numbers come as float32. The file has both. dtype="float64", obs_names="obs_names" and
# var_names="var_names" bring them back.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 anndata==0.12.19 loompy==3.0.8
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import anndata
import numpy as np
import pandas as pd

X = np.array([[0.1234567890123, 16777217.0], [1e300, 3.0]])
table = anndata.AnnData(X, obs=pd.DataFrame(index=["ann", "bob"]), var=pd.DataFrame(index=["age", "height"]))
table.write_loom("table.loom")
for options in ({}, {"dtype": "float64", "obs_names": "obs_names", "var_names": "var_names"}):
    back = anndata.read_loom("table.loom", sparse=False, **options)
    print(list(back.obs_names), list(back.var_names), np.asarray(back.X).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
['0', '1'] ['0', '1'] [[0.12345679104328156, 16777216.0], [inf, 3.0]]
[np.str_('ann'), np.str_('bob')] [np.str_('age'), np.str_('height')] [[0.1234567890123, 16777217.0], [1e+300, 3.0]]
SEEN
echo "as described"
