#!/bin/sh
# lifelines 0.30.3: of a Cox regression with strata, concordance_index_ compares the pairs within strata,
# and score(scoring_method="concordance_index") all pairs, though risks of different strata have no
# order. On the same rows they give two numbers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from lifelines import CoxPHFitter

random = np.random.default_rng(0)
group = np.repeat([0, 1], 40)
x = random.normal(size=80) + 2 * group
times = random.exponential(size=80) * np.exp(3 * group - x)
table = pd.DataFrame({"x": x, "time": times, "event": True, "group": group})


def share(within):
    pairs = [(i, j) for i in range(80) for j in range(80) if times[i] < times[j]]
    pairs = [(i, j) for i, j in pairs if not within or group[i] == group[j]]
    return np.mean([x[i] > x[j] for i, j in pairs])


fit = CoxPHFitter().fit(table, "time", "event", strata=["group"])
score = fit.score(table, scoring_method="concordance_index")
print(f"concordance_index_ {fit.concordance_index_:.3f} score {score:.3f}")
print(f"pairs within strata {share(True):.3f} all pairs {share(False):.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
concordance_index_ 0.728 score 0.583
pairs within strata 0.728 all pairs 0.583
SEEN
echo "as described"
