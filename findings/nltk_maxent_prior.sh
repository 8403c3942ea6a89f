#!/bin/sh
# NLTK 3.10.4: MaxentClassifier.train leaves gaussian_prior_sigma out with its own algorithms, iis, the default, and
# gis, silently: there is no ridge penalty, and the probability of a word seen once with one label goes to 1 as passes go on.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 nltk==3.10.4
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from nltk.classify import MaxentClassifier

examples = [({"rare": True}, "a"), ({"common": True}, "a"), ({"common": True}, "b"), ({"common": True}, "b")]
for algorithm in ("iis", "gis"):
    for sigma in (0, 0.01):
        model = MaxentClassifier.train(examples, algorithm, trace=0, max_iter=200, gaussian_prior_sigma=sigma)
        print(algorithm, "sigma", sigma, "probability of a:", round(model.prob_classify({"rare": True}).prob("a"), 4))
PROGRAM
diff "$folder/seen" - <<'SEEN'
iis sigma 0 probability of a: 0.995
iis sigma 0.01 probability of a: 0.995
gis sigma 0 probability of a: 0.9867
gis sigma 0.01 probability of a: 0.9867
SEEN
echo "as described"
