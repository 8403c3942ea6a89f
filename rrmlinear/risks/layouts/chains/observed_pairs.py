"""Chains with weights for the pairs of a feature and a label that occur together, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.layouts.chains._chain_sums import observed_gradient, observed_scores
from rrmlinear.risks.layouts.chains.chain_products import columns_of, with_bias
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.shares import Shares

Array = NDArray[np.float64]


class ObservedProducts:
    """Products of n rows with weights of the pairs (feature, label) that occur at some position.

    Pairs stand by features, and by labels within one. An appended column is a feature as others.
    """

    def __init__(self, rows: Rows, label: NDArray[np.int32], k: int, threads: int) -> None:
        from scipy.sparse import csc_array

        # zeros of dense data are left out
        columns = with_bias(csc_array(rows.values) if rows.is_dense else columns_of(rows), rows)
        self.k, self.width = k, columns.shape[1]
        by_rows = columns.tocsr()
        of_entries = np.repeat(np.arange(self.width), np.diff(columns.indptr))
        found = np.unique(of_entries * k + label[columns.indices])
        self.feature, self.label = found // k, (found % k).astype(np.int32)
        self.begins = np.searchsorted(self.feature, np.arange(self.width + 1))
        self.by_rows, self.by_features = (_arrays(each) for each in (by_rows, columns))
        self.shares = Shares(Rows(*self.by_rows, self.width), threads, k)
        self.feature_shares = Shares(Rows(*self.by_features, rows.shape[0]), threads, k)

    def times(self, w: Array, out: Array) -> None:
        """out = the scores, n × k, of weights of pairs."""
        self.shares.run(observed_scores, *self.by_rows, self.begins, self.label, w, out)

    def gradient(self, D: Array, out: Array) -> None:
        """out = the derivatives by the weights of pairs, of those by the scores, n × k."""
        self.feature_shares.run(
            observed_gradient, *self.by_features, self.begins, self.label, D, out
        )

    def spread(self, w: Array) -> Array:
        """Weights of pairs as a matrix, 0 for other pairs."""
        result = np.zeros((self.width, self.k))
        result[self.feature, self.label] = w
        return result


class ObservedChainRisk(ChainRisk):
    """`ChainRisk` with the weights of pairs that do not occur held at 0: CRFsuite's default.

    Weights are those of the pairs, as in `ObservedProducts`, and then those of neighbours, all of
    them. `complete` gives the weights of a `ChainRisk`, and `chosen` those of pairs.
    """

    products: Any

    def _products(self) -> Any:
        return ObservedProducts(self.rows, self.label, self.k, self.threads)

    @property
    def n_pairs(self) -> int:
        """The number of pairs that occur."""
        return len(self.products.label)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.n_pairs + self.pair_rows * self.k,)

    def scores(self, w: Array) -> Array:
        """Node scores n × k, weights of pairs of neighbours, and 0, in one array."""
        result, nodes = np.empty(self.n_scores), self.n * self.k
        self.products.times(w[: self.n_pairs], result[:nodes].reshape(self.n, self.k))
        result[nodes:-1] = w[self.n_pairs :]
        result[-1] = 0
        return result

    def gradient(self, derivatives: Array) -> Array:
        """∇F by the weights of pairs and of neighbours."""
        nodes, pairs = self.split(derivatives, self.n)
        result = np.empty(self.shape)
        self.products.gradient(nodes, result[: self.n_pairs])
        result[self.n_pairs :] = pairs.ravel()
        return result

    def diagonal(self) -> Array:
        """The diagonal of ∇²F at w = 0, as that of a `ChainRisk`."""
        k = self.k
        nodes = super().diagonal()[: self.rows.width * k : k]
        return np.append(nodes[self.products.feature], self.diagonal_of_pairs())

    def shares_of(self, alphas: Array, w: Array) -> tuple[Array, Array]:
        return super().shares_of(alphas, self.complete(w))

    def complete(self, w: Array, at: Any = None) -> Array:
        """The weights of all pairs of a feature and a label, and those of transitions."""
        spread = self.products.spread(w[: self.n_pairs])
        return np.append(spread.ravel(), w[self.n_pairs :])

    def chosen(self, w: Array) -> Array:
        """The weights of pairs and transitions, of those of a `ChainRisk`."""
        nodes, transitions = self.split(w, self.rows.width)
        return np.append(nodes[self.products.feature, self.products.label], transitions.ravel())


def _arrays(matrix: Any) -> tuple[Array, NDArray[np.int32], NDArray[np.int64]]:
    return (
        matrix.data.astype(np.float64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.indptr.astype(np.int64),
    )
