#!/bin/sh
# skops 0.16.0: a dict with the keys True and False in the state of an estimator comes back with one
# of them, without a word: both keys are True.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skops==0.16.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import skops.io
from sklearn.linear_model import Ridge

model = Ridge()
model.words_, model.numbers_ = {True: "yes", False: "no"}, {1: "yes", 0: "no"}
again = skops.io.loads(skops.io.dumps(model))
print(again.words_, again.numbers_)
PROGRAM
diff "$folder/seen" - <<'SEEN'
{True: 'no'} {1: 'yes', 0: 'no'}
SEEN
echo "as described"
