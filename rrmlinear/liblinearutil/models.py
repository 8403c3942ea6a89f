"""A trained model with LIBLINEAR's methods."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.solvers import find_solver
from rrmlinear.liblinearutil.options import parameter
from rrmlinear.training.model import Model

# LIBLINEAR counts two classes of a regression.
REGRESSION_CLASSES = 2


class model:  # noqa: N801  (LIBLINEAR's name)
    """A model that `train` or `load_model` returns; ``fitted`` is the package's own `Model`.

    Features are counted from 1 and classes from 0, in the order of `get_labels`.
    """

    def __init__(self, fitted: Model):
        self.fitted = fitted

    @property
    def bias(self) -> float:
        """The value of the appended column; negative: there is none."""
        return self.fitted.bias

    @property
    def nr_class(self) -> int:
        """As `get_nr_class`."""
        return self.get_nr_class()

    @property
    def nr_feature(self) -> int:
        """As `get_nr_feature`."""
        return self.get_nr_feature()

    @property
    def label(self) -> list[int]:
        """As `get_labels`."""
        return self.get_labels()

    @property
    def w(self) -> NDArray[np.float64]:
        """The weights in LIBLINEAR's order: all classes of the first feature, then of the next."""
        return self.fitted.weights.ravel()

    @property
    def param(self) -> parameter:
        """The solver type, which is all that a model file says of the options."""
        return parameter(["-s", str(find_solver(self.fitted.solver_name).number)])

    def get_nr_feature(self) -> int:
        """Features of the training data, without an appended column."""
        return self.fitted.n_features

    def get_nr_class(self) -> int:
        """The number of classes; 2 for a regression."""
        return len(self.fitted.labels) or REGRESSION_CLASSES

    def get_labels(self) -> list[int]:
        """The labels in the order of the classes; none of a regression."""
        return [] if self.is_oneclass_model() else [int(label) for label in self.fitted.labels]

    def get_decfun_coef(self, feat_idx: int, label_idx: int = 0) -> float:
        """The weight of a feature for a class: 0 for no such feature, NaN for no such class."""
        if not 1 <= feat_idx <= self.get_nr_feature():
            return 0.0
        return self._weight(feat_idx - 1, label_idx)

    def get_decfun_bias(self, label_idx: int = 0) -> float:
        """What is added to the score of a class: the weight of the appended column times it."""
        if self.is_oneclass_model():
            raise ValueError("a one-class model has no bias: see get_decfun_rho")
        threshold = self.fitted.rho or 0.0
        if self.bias < 0:
            return -threshold
        return self.bias * self._weight(self.get_nr_feature(), label_idx) - threshold

    def get_decfun_rho(self) -> float:
        """What is taken from the score of a one-class model."""
        if self.fitted.rho is None or not self.is_oneclass_model():
            raise ValueError("only a one-class model has a rho: see get_decfun_bias")
        return self.fitted.rho

    def get_decfun(self, label_idx: int = 0) -> tuple[list[float], float]:
        """(the weights of a class, its bias), or (weights, −rho)."""
        weights = [self._weight(at, label_idx) for at in range(self.get_nr_feature())]
        if self.is_oneclass_model():
            return weights, -self.get_decfun_rho()
        return weights, self.get_decfun_bias(label_idx)

    def is_probability_model(self) -> bool:
        """Whether `predict` takes ``-b 1``."""
        return self.fitted.link is not None

    def is_regression_model(self) -> bool:
        """Whether predictions are numbers, not labels."""
        return self.fitted.is_regression

    def is_oneclass_model(self) -> bool:
        """Whether it separates outliers (−1) from the others (1)."""
        return self.fitted.loss == "one-class"

    def _weight(self, at: int, label_idx: int) -> float:
        weights = self.fitted.weights
        if self.is_regression_model() or self.is_oneclass_model():
            return float(weights[at, 0])
        if not 0 <= label_idx < self.get_nr_class():
            return math.nan
        if weights.shape[1] == 1:
            return float(weights[at, 0]) * (1 if label_idx == 0 else -1)
        return float(weights[at, label_idx])
