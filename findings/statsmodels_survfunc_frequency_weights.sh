#!/bin/sh
# statsmodels 0.15.0: standard errors of SurvfuncRight with freq_weights are not those of repeated rows; the
# survival function is. lifelines' KaplanMeierFitter with weights has the same errors as with repeated rows.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check statsmodels==0.15.0 lifelines==0.30.3 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from lifelines import KaplanMeierFitter
from statsmodels.duration.survfunc import SurvfuncRight

times = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
events = np.array([1, 1, 0, 1, 1])
weights = np.array([3, 2, 4, 2, 3])
rows = np.repeat(np.arange(5), weights)
weighted = SurvfuncRight(times, events, freq_weights=weights)
repeated = SurvfuncRight(times[rows], events[rows])
for name, each in (("weights", weighted), ("repeated", repeated)):
    print(f"statsmodels, {name}: survival {each.surv_prob[1]:.4f}, error {each.surv_prob_se[1]:.4f}")
fits = KaplanMeierFitter().fit(times, events, weights=weights), KaplanMeierFitter().fit(times[rows], events[rows])
for name, each in zip(("weights", "repeated"), fits):
    survival = each.survival_function_.loc[2.0].item()
    print(f"lifelines, {name}: survival {survival:.4f}, error {survival * each._cumulative_sq_.loc[2.0].item()**0.5:.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
statsmodels, weights: survival 0.6429, error 0.1784
statsmodels, repeated: survival 0.6429, error 0.1281
lifelines, weights: survival 0.6429, error 0.1281
lifelines, repeated: survival 0.6429, error 0.1281
SEEN
echo "as described"
