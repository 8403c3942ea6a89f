#!/bin/sh
# skops 0.16.0: a collections.deque in the state of an estimator comes back empty from skops.io,
# without a word. Lists, tuples and sets beside it come back whole.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skops==0.16.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from collections import deque

import skops.io
from sklearn.linear_model import Ridge

model = Ridge()
model.tuple_, model.deque_, model.set_ = (1, 2, 3), deque([1, 2, 3]), {1, 2, 3}
again = skops.io.loads(skops.io.dumps(model), trusted=["collections.deque"])
print(again.tuple_, again.deque_, again.set_)
PROGRAM
diff "$folder/seen" - <<'SEEN'
(1, 2, 3) deque([]) {1, 2, 3}
SEEN
echo "as described"
