#!/bin/sh
# ranx 0.3.21: bpref of a query whose judged documents are all relevant is nan, and so is the mean over all
# queries. trec_eval, by ir-measures, gives the part of relevant documents that was found.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check ranx==0.3.21 ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import ir_measures
from ranx import Qrels, Run, evaluate

judged = {"one": {"a": 1, "b": 0}, "two": {"a": 1, "b": 1}}
found = {"one": {"a": 2.0, "b": 1.0}, "two": {"a": 2.0, "c": 1.0}}
qrels = [ir_measures.Qrel(q, d, v) for q in judged for d, v in judged[q].items()]
run = [ir_measures.ScoredDoc(q, d, s) for q in found for d, s in found[q].items()]
print("trec_eval", {each.query_id: each.value for each in ir_measures.iter_calc([ir_measures.Bpref], qrels, run)})
for q in judged:
    print("ranx", q, float(evaluate(Qrels({q: judged[q]}), Run({q: found[q]}), "bpref")))
print("ranx mean", float(evaluate(Qrels(judged), Run(found), "bpref")))
PROGRAM
diff "$folder/seen" - <<'SEEN'
trec_eval {'one': 1.0, 'two': 0.5}
ranx one 1.0
ranx two nan
ranx mean nan
SEEN
echo "as described"
