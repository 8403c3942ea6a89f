#!/bin/sh
# lifelines 0.30.3: log_likelihood_ of a Cox regression with a penalizer, documented as the
# log-likelihood at the fitted weights, is this less the penalty; so the likelihood ratio test is of
# penalized likelihoods. score(), times the number of examples, is the log-likelihood.
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
X = random.normal(size=(60, 2))
times = random.exponential(size=60) * np.exp(-X @ [0.5, 0.3])
events = random.random(60) < 0.7
table = pd.DataFrame(X, columns=["a", "b"]).assign(time=times, event=events)


def likelihood(weights):
    scores = X @ weights
    at_risk = [np.log(np.exp(scores[times >= time]).sum()) for time in times]
    return (scores - at_risk)[events].sum()


for penalizer in (0.0, 1.0):
    fit = CoxPHFitter(penalizer=penalizer).fit(table, "time", "event")
    own, score, by_hand = fit.log_likelihood_, 60 * fit.score(table), likelihood(fit.params_.values)
    print(f"{penalizer} log_likelihood_ {own:.2f} score {score:.2f} by hand {by_hand:.2f}", end=" ")
    ratio = 2 * (by_hand - likelihood(np.zeros(2)))
    print(f"ratio {fit.log_likelihood_ratio_test().test_statistic:.2f} by hand {ratio:.2f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
0.0 log_likelihood_ -121.92 score -121.92 by hand -121.92 ratio 20.86 by hand 20.86
1.0 log_likelihood_ -128.61 score -126.18 by hand -126.18 ratio 7.48 by hand 12.34
SEEN
echo "as described"
