#!/bin/sh
# lifelines 0.30.3: concordance_index_ and score of a fit with weights_col leave the weights out, unlike the weights and
# the likelihood of the same fit: they are not those of repeated rows.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from lifelines import WeibullAFTFitter

random = np.random.default_rng(0)
frame = pd.DataFrame({"a": random.normal(size=50)})
frame["T"] = random.exponential(np.exp(-frame["a"]))
frame["E"] = 1
frame["w"] = np.where(np.arange(50) < 25, 1, 4)
repeated = frame.loc[np.repeat(frame.index, frame["w"])].drop(columns="w").reset_index(drop=True)
one = WeibullAFTFitter().fit(frame, "T", "E", weights_col="w")
two = WeibullAFTFitter().fit(repeated, "T", "E")
for name, model, data in (("weights", one, frame), ("repeated", two, repeated)):
    score = model.score(data, scoring_method="concordance_index")
    values = model.params_.iloc[0], model.log_likelihood_, model.concordance_index_, score
    print(name, "weight %.3f likelihood %.2f concordance %.3f score %.3f" % values)
alone = WeibullAFTFitter().fit(frame.drop(columns="w"), "T", "E").concordance_index_
print("without weights, concordance %.3f" % alone)
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights weight -0.588 likelihood -129.68 concordance 0.603 score 0.603
repeated weight -0.588 likelihood -129.68 concordance 0.611 score 0.611
without weights, concordance 0.603
SEEN
echo "as described"
