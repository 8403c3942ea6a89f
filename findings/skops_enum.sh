#!/bin/sh
# skops 0.16.0: a member of an Enum in the state of an estimator is written by skops.io.dumps, and
# loads fails on it with a TypeError, also where the class is trusted.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skops==0.16.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import uuid

import skops.io
from sklearn.linear_model import Ridge

model = Ridge()
model.kind_ = uuid.SafeUUID.safe  # an Enum of the standard library
data = skops.io.dumps(model)
try:
    skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
except TypeError as error:
    print("TypeError:", error)
PROGRAM
diff "$folder/seen" - <<'SEEN'
TypeError: Enum.__new__() missing 1 required positional argument: 'value'
SEEN
echo "as described"
