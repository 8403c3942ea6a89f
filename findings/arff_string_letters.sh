#!/bin/sh
# arff 0.9: a string without quotes loses its first and its last letter, and a category in quotes keeps them,
# silently. ARFF asks for quotes only where there are blanks: john and 'john' are one string, and a and 'a'
# one category.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check arff==0.9
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import arff

HEAD = "@relation two\n@attribute name string\n@attribute class {a,b}\n@data\n"
for row in arff.loads(HEAD + "john,a\n'john','a'\n"):
    print(list(row))
PROGRAM
diff "$folder/seen" - <<'SEEN'
['oh', 'a']
['john', "'a'"]
SEEN
echo "as described"
