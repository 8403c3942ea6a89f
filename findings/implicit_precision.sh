#!/bin/sh
# implicit 0.7.3: precision_at_k, documented as P@K, is no precision: hits are divided by the sum over users of
# min(K, relevant items), not by K. One hit in two places counts 1 where the user has one relevant item, and the
# value is 1 where a third of the list is relevant. The mean is over items, so users with more of them weigh more.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check implicit==0.7.3 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import scipy.sparse as sp
from implicit.evaluation import precision_at_k


class Lists:
    def __init__(self, lists):
        self.lists = np.array(lists, dtype=np.int32)

    def recommend(self, users, items, N=10, **_):
        return self.lists[users, :N], np.zeros((len(users), N), dtype=np.float32)


lists = [[0, 2, 3, 4], [0, 2, 1, 3]]
relevant = sp.csr_matrix([[1.0, 0, 0, 0, 0, 0], [1.0, 1.0, 0, 0, 0, 0]])
for k in (1, 2, 3, 4):
    told = precision_at_k(Lists(lists), sp.csr_matrix((2, 6)), relevant, K=k, show_progress=False, num_threads=1)
    hits = np.mean([relevant[user, lists[user][:k]].sum() / k for user in (0, 1)])
    print(f"K={k}: implicit {told:.4f}, hits over K {hits:.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
K=1: implicit 1.0000, hits over K 1.0000
K=2: implicit 0.6667, hits over K 0.5000
K=3: implicit 1.0000, hits over K 0.5000
K=4: implicit 1.0000, hits over K 0.3750
SEEN
echo "as described"
