"""A problem of two classes, and one of numbers."""

import numpy as np
import pytest

from rrmlinear import Problem


@pytest.fixture(scope="session")
def signs():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 5))
    y = np.where(X @ [1, -2, 0.5, 0, 0] + generator.normal(size=80) > 0, 1.0, -1.0)
    return Problem.from_arrays(X, y)


@pytest.fixture(scope="session")
def reals():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(80, 5))
    return Problem.from_arrays(X, X @ [1, -2, 0.5, 0, 0] + 0.3 * generator.normal(size=80))
