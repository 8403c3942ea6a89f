#!/bin/sh
# pytrec-eval-terrier 0.5.11: documents with equal scores are ranked by their names, the later name
# first. Another name of the relevant document changes every measure.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pytrec-eval-terrier==0.5.11
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import pytrec_eval

for relevant in ("a", "m", "z"):
    documents = [relevant, "f", "p"]
    grades = {"query": {name: int(name == relevant) for name in documents}}
    scores = {"query": dict.fromkeys(documents, 0.0)}
    seen = pytrec_eval.RelevanceEvaluator(grades, {"ndcg", "recip_rank"}).evaluate(scores)
    print(relevant, {name: round(value, 4) for name, value in sorted(seen["query"].items())})
PROGRAM
diff "$folder/seen" - <<'SEEN'
a {'ndcg': 0.5, 'recip_rank': 0.3333}
m {'ndcg': 0.6309, 'recip_rank': 0.5}
z {'ndcg': 1.0, 'recip_rank': 1.0}
SEEN
echo "as described"
