#!/bin/sh
# liac-arff 2.5.0: a category named ? is written without quotes, and comes back as a missing value; a missing
# value is written the same. In quotes, as ARFF asks for, it comes back as the category.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check liac-arff==2.5.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import arff

data = {
    "relation": "r",
    "attributes": [("answer", ["yes", "no", "?"])],
    "data": [["yes"], ["?"], [None]],
}
text = arff.dumps(data)
print(text.split("@DATA")[1].split()[:3])
print(arff.loads(text)["data"])
quoted = "@relation r\n@attribute answer {yes,no,'?'}\n@data\nyes\n'?'\n?\n"
print(arff.loads(quoted)["data"])
PROGRAM
diff "$folder/seen" - <<'SEEN'
['yes', '?', '?']
[['yes'], [None], [None]]
[['yes'], ['?'], [None]]
SEEN
echo "as described"
