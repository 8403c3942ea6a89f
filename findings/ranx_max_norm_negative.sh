#!/bin/sh
# ranx 0.3.21: fuse with norm="max" divides the scores of a run by the largest, and by 1e-9 where that is below 0, as
# scores of linear models and log-probabilities may be: such a run is multiplied by 1e9 and decides alone, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 ranx==0.3.21
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from ranx import Run, fuse

other = {"q": {"a": 1.0, "b": 9.0}}
for shift in (10.0, 0.0):
    scores = {"q": {"a": -1.0 + shift, "b": -1.1 + shift}}
    for norm in ("max", "min-max"):
        told = fuse([Run(scores), Run(other)], norm=norm, method="sum").to_dict()["q"]
        print(norm, scores["q"], "and", other["q"], "->", {name: round(value, 2) for name, value in told.items()})
PROGRAM
diff "$folder/seen" - <<'SEEN'
max {'a': 9.0, 'b': 8.9} and {'a': 1.0, 'b': 9.0} -> {'b': 1.99, 'a': 1.11}
min-max {'a': 9.0, 'b': 8.9} and {'a': 1.0, 'b': 9.0} -> {'a': 1.0, 'b': 1.0}
max {'a': -1.0, 'b': -1.1} and {'a': 1.0, 'b': 9.0} -> {'a': -999999999.89, 'b': -1099999999.0}
min-max {'a': -1.0, 'b': -1.1} and {'a': 1.0, 'b': 9.0} -> {'a': 1.0, 'b': 1.0}
SEEN
echo "as described"
