#!/bin/sh
# scikit-survival 0.28.0: concordance_index_censored takes risks that differ by at most 1e-8 for
# ties, so that the same order has another concordance once the risks are small numbers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 scikit-survival==0.28.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sksurv.metrics import concordance_index_censored

times = np.arange(1.0, 21.0)
risks = -times
for scale in (1.0, 4e-9, 1e-10):
    print(scale, concordance_index_censored(times > 0, times, scale * risks)[0].round(4))
PROGRAM
diff "$folder/seen" - <<'SEEN'
1.0 1.0
4e-09 0.9026
1e-10 0.5
SEEN
echo "as described"
