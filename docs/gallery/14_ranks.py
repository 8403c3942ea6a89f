"""
Documents in the order of their grades
======================================

``RankingSVM`` learns from the order of documents within queries, and not across them. Here the
grades of some queries are stricter than those of others, and a feature tells how strict. A
regression of grades takes this for an effect of the feature. Cross validation holds out whole
queries: ``qid`` is routed to the folds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn import config_context
from sklearn.model_selection import GroupKFold, cross_val_score

from rrmlinear import RankingSVM, Ridge
from rrmlinear.metrics import ndcg

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(100), 20)
level = rng.normal(size=100)[qid]
X = rng.normal(size=(len(qid), 10))
X[:, 9] = X[:, 9] / 2 + level  # a feature of the query
worth = X[:, 0] - X[:, 1] + X[:, 9] - 3 * level + rng.normal(size=len(qid))
grades = np.digitize(worth, [0, 2, 4])

given, held = qid < 50, qid >= 50
ranks, numbers = [], []
sizes = [1, 2, 5, 10, 20, 50]
for size in sizes:
    some = qid < size
    ranker = RankingSVM(C=0.01).fit(X[some], grades[some], qid=qid[some])
    ridge = Ridge(alpha=1.0).fit(X[some], grades[some])
    ranks.append(ndcg(grades[held], ranker.predict(X[held]), qid[held], k=5))
    numbers.append(ndcg(grades[held], ridge.predict(X[held]), qid[held], k=5))

with config_context(enable_metadata_routing=True):
    routed = RankingSVM(C=0.01).set_fit_request(qid=True).set_score_request(qid=True)
    given_too = {"qid": qid, "groups": qid}
    taus = cross_val_score(routed, X, grades, cv=GroupKFold(5), params=given_too)

figure, axes = plt.subplots(layout="constrained")
axes.semilogx(sizes, ranks, "o-", label="RankingSVM")
axes.semilogx(sizes, numbers, "o-", label="Ridge on the grades")
axes.set(xlabel="queries that train", ylabel="nDCG@5 of other queries")
axes.set_title(f"Kendall's τ of five folds: {taus.mean():.3f}")
axes.legend()
assert ranks[-1] > numbers[-1]
