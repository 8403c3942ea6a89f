#!/bin/sh
# trectools 0.0.50 with pandas 3: get_rprec counts a document where it is relevant for any query, as groupby.apply
# leaves the column of queries out. Here d1 is relevant for query 2 alone, and query 1 has it too. With
# pandas 2 both are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 scikit-learn==1.9.1 trectools==0.0.50 pytrec-eval-terrier==0.5.11
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import tempfile
from pathlib import Path

import pytrec_eval
from trectools import TrecEval, TrecQrel, TrecRun

QRELS = {"1": {"d1": 0, "d2": 1, "d3": 1}, "2": {"d1": 1, "d2": 0, "d4": 1}}
RUN = {"1": {"d1": 9.0, "d2": 8.0, "d5": 7.0}, "2": {"d4": 9.0, "d2": 8.0, "d1": 7.0}}
with tempfile.TemporaryDirectory() as folder:
    qrels, run = Path(folder) / "qrels", Path(folder) / "run"
    qrels.write_text("".join(f"{q} 0 {d} {grade}\n" for q, docs in QRELS.items() for d, grade in docs.items()))
    lines = (f"{q} Q0 {d} {k} {s} t\n" for q, docs in RUN.items() for k, (d, s) in enumerate(docs.items(), 1))
    run.write_text("".join(lines))
    table = TrecEval(TrecRun(str(run)), TrecQrel(str(qrels))).get_rprec(per_query=True)
print("trectools", {str(query): float(value) for query, value in table.iloc[:, 0].items()})
right = pytrec_eval.RelevanceEvaluator(QRELS, {"Rprec"}).evaluate(RUN)
print("trec_eval", {query: values["Rprec"] for query, values in right.items()})
PROGRAM
diff "$folder/seen" - <<'SEEN'
trectools {'1': 1.0, '2': 1.0}
trec_eval {'1': 0.5, '2': 0.5}
SEEN
echo "as described"
