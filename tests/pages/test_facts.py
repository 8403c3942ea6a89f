"""Facts of a data set, beside NumPy on the full matrix."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from rrmlinear import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.pages import facts as facts_module
from rrmlinear.pages.facts import Spread, facts_of


def sample(dense, dtype=np.float64, n=60):
    rng = np.random.default_rng(3)
    X = random_array((n, 9), density=0.3, rng=rng, dtype=np.float64).toarray().astype(dtype)
    X[:, 4], X[7], X[11] = 0, 0, 0
    y = rng.integers(0, 3, n) * 2 - 1
    return X, y, Problem.from_arrays(X if dense else csr_array(X), y, bias=1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("dense", "n"), [(False, 60), (True, 60), (True, 1 + facts_module.AT_ONCE // 9)]
)
def test_facts_are_those_of_the_matrix(dense, dtype, n):
    X, y, problem = sample(dense, dtype, n)
    facts = facts_of(problem)
    assert (facts.n, facts.d, facts.is_dense) == (n, 9, dense)
    assert facts.stored == (X.size if dense else np.count_nonzero(X))
    rows, columns = (np.linalg.norm(X.astype(float), axis=axis) for axis in (1, 0))
    assert facts.empty == (rows == 0).sum() >= 2
    assert facts.unused == (columns == 0).sum() == 1
    for spread, lengths in ((facts.row_norms, rows), (facts.column_norms, columns)):
        used = lengths[lengths > 0]
        found = (spread.least, spread.median, spread.largest)
        assert found == pytest.approx((used.min(), np.median(used), used.max()), rel=1e-6)
    assert facts.labels.tolist() == [-1, 1, 3]
    assert facts.counts.tolist() == [(y == label).sum() for label in (-1, 1, 3)]
    assert facts.rarest == facts.counts.min() / n
    assert not facts.weighted


def test_labels_are_classes_or_numbers():
    X = np.ones((4, 1))
    assert facts_of(Problem.from_arrays(X, [1.5, 2, 2, 7])).numbers == Spread(1.5, 2.0, 7.0)
    assert facts_of(Problem.from_arrays(X, [1, 2, 2, 7])).labels.tolist() == [1, 2, 7]
    as_asked = facts_of(Problem.from_arrays(X, [1, 2, 2, 7]), as_numbers=True)
    assert as_asked.labels is None
    assert as_asked.numbers == Spread(1.0, 2.0, 7.0)
    many = np.arange(facts_module.MOST_CLASSES + 1)
    assert facts_of(Problem.from_arrays(np.ones((len(many), 1)), many)).labels is None


def test_sequences_are_counted():
    rows = Problem.from_arrays(np.eye(5), np.zeros(5)).rows
    label = np.array([0, 1, 1, 0, 1], dtype=np.int32)
    problem = SequenceProblem(rows, label, np.array([0, 2, 5]), np.array([7, 9]))
    facts = facts_of(problem)
    assert (facts.sequences, facts.n) == (2, 5)
    assert facts.labels.tolist() == [7, 9]
    assert facts.counts.tolist() == [2, 3]


def test_a_matrix_of_zeros_has_no_lengths():
    facts = facts_of(Problem.from_arrays(np.zeros((3, 2)), [1, 2, 1]))
    assert facts.row_norms is facts.column_norms is None
    assert (facts.empty, facts.unused) == (3, 2)
