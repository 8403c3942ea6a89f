"""Rows of whole numbers in every kind of memory: sums of few of those are exact in any order."""

from collections import namedtuple

import numpy as np
import pytest
from scipy import sparse

from rrmlinear.data.rows import Rows

Kind = namedtuple("Kind", "form value index indptr")
KINDS = [
    Kind("dense", np.float32, None, None),
    Kind("dense", np.float64, None, None),
    *(
        Kind("csr", value, index, indptr)
        for value in (np.float32, np.float64)
        for index in (np.int32, np.int64)
        for indptr in (np.int32, np.int64)
    ),
]


def name_of(kind):
    return "-".join([kind.form, *(np.dtype(t).name for t in kind[1:] if t is not None)])


@pytest.fixture(scope="session")
def door(built):
    """The kernels as functions of arrays."""
    return built("simd/simd_door.pyx", "products.c", "row_products.c")


@pytest.fixture(params=KINDS, ids=name_of)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def whole():
    """A matrix of whole numbers up to 9, a part of them zero."""

    def make(n, d, density=1.0, seed=0):
        rng = np.random.default_rng([n, d, seed])
        X = rng.integers(-9, 10, (n, d)).astype(np.float64)
        X[rng.random((n, d)) >= density] = 0
        return X

    return make


@pytest.fixture
def rows_of(kind):
    """Rows over a matrix, without and with an appended column; the matrix with that beside each."""

    def rows_over(X, bias):
        if kind.form == "dense":
            return Rows(np.ascontiguousarray(X, kind.value), None, None, X.shape[1], bias)
        m = sparse.csr_array(X)
        values, indices = m.data.astype(kind.value), m.indices.astype(kind.index)
        return Rows(values, indices, m.indptr.astype(kind.indptr), X.shape[1], bias)

    def make(X):
        columns = [(bias, np.full((len(X), 1), max(bias, 0.0))) for bias in (-1.0, 0.0, 3.0)]
        return [(rows_over(X, bias), np.hstack([X, column])) for bias, column in columns]

    return make
