#!/bin/sh
# python-crfsuite 0.9.12: a pair of an attribute and a label whose values in the training data sum
# below 0 gets no weight, without a word. With the value -1 the attribute a is not in the model; with
# 1 it is.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check python-crfsuite==0.9.12
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import os
import tempfile

import pycrfsuite

os.chdir(tempfile.mkdtemp())
for value in (1.0, -1.0):
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.1})
    for _ in range(5):
        trainer.append([{"a": value}, {"b": 1.0}], ["X", "Y"])
        trainer.append([{"c": 1.0}, {"b": 1.0}], ["Y", "X"])
    trainer.train("model")
    tagger = pycrfsuite.Tagger()
    tagger.open("model")
    print(value, sorted(tagger.info().state_features))
    tagger.close()
PROGRAM
diff "$folder/seen" - <<'SEEN'
1.0 [('a', 'X'), ('b', 'X'), ('b', 'Y'), ('c', 'Y')]
-1.0 [('b', 'X'), ('b', 'Y'), ('c', 'Y')]
SEEN
echo "as described"
