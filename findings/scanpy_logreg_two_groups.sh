#!/bin/sh
# scanpy 1.11.5: rank_genes_groups(method="logreg") of two groups keeps one list of genes, under the name of the first
# group, and its scores are the weights of the second: the markers of b are told for a, silently. Of three groups each
# has its own.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 anndata==0.12.19 scanpy==1.11.5
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import anndata
import numpy as np
import pandas as pd
import scanpy

random = np.random.default_rng(0)
for groups in ("ab", "abc"):
    cells = np.array(list(groups * 60))
    X = random.normal(size=(len(cells), 3))
    for place, group in enumerate(groups):
        X[cells == group, place] += 3
    names = pd.DataFrame(index=[f"marker of {group}" for group in "abc"])
    data = anndata.AnnData(X, obs=pd.DataFrame({"group": pd.Categorical(cells)}, index=np.arange(len(cells)).astype(str)), var=names)
    scanpy.tl.rank_genes_groups(data, "group", method="logreg")
    told = data.uns["rank_genes_groups"]["names"]
    print("groups", groups, "first genes", {name: str(told[name][0]) for name in told.dtype.names})
PROGRAM
diff "$folder/seen" - <<'SEEN'
groups ab first genes {'a': 'marker of b'}
groups abc first genes {'a': 'marker of a', 'b': 'marker of b', 'c': 'marker of c'}
SEEN
echo "as described"
