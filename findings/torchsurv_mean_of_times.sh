#!/bin/sh
# torchsurv 0.2.0: where times tie, reduction="mean" of its Cox loss, the default, divides by the number of distinct
# times, not by that of examples or events: to round the times multiplies the loss, beside any penalty, and one batch
# counts more than another.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 torch==2.14.1 pandas==2.3.3 torchmetrics==1.9.0 torchsurv==0.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import torch
from torchsurv.loss.cox import neg_partial_log_likelihood

torch.manual_seed(0)
scores = torch.randn(400, dtype=torch.float64)
times = torch.empty(400, dtype=torch.float64).exponential_() * 100
events = torch.ones(400, dtype=torch.bool)
for unit in (0.0, 1.0, 30.0):
    rounded = torch.ceil(times / unit) * unit if unit else times
    told = {name: neg_partial_log_likelihood(scores, events, rounded, reduction=name).item() for name in ("sum", "mean")}
    print("unit", unit, "distinct times", len(rounded.unique()), {name: round(value, 2) for name, value in told.items()})
PROGRAM
diff "$folder/seen" - <<'SEEN'
unit 0.0 distinct times 400 {'sum': 2193.92, 'mean': 5.48}
unit 1.0 distinct times 196 {'sum': 2194.16, 'mean': 11.19}
unit 30.0 distinct times 18 {'sum': 2186.76, 'mean': 121.49}
SEEN
echo "as described"
