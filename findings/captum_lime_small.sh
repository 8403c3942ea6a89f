#!/bin/sh
# captum 0.9.0: Lime fits its explanation with a lasso whose penalty is 0.01 whatever the unit of the model's output is:
# of a linear model whose outputs are small all attributions are 0, silently. KernelShap's are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scikit-learn==1.9.1 scipy==1.17.1 torch==2.14.1 captum==0.9.0
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import torch
from captum.attr import KernelShap, Lime

weights = torch.tensor([1.0, 2.0, 3.0])
for unit in (1.0, 0.01):
    for method in (Lime, KernelShap):
        torch.manual_seed(0)
        told = method(lambda rows, unit=unit: unit * (rows @ weights)).attribute(torch.ones(1, 3), n_samples=200)
        print("weights", [round(unit * weight, 2) for weight in (1, 2, 3)], method.__name__, [round(value, 3) for value in told[0].tolist()])
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights [1.0, 2.0, 3.0] Lime [0.96, 1.956, 2.952]
weights [1.0, 2.0, 3.0] KernelShap [1.0, 2.0, 3.0]
weights [0.01, 0.02, 0.03] Lime [0.0, 0.0, 0.0]
weights [0.01, 0.02, 0.03] KernelShap [0.01, 0.02, 0.03]
SEEN
echo "as described"
