"""Any scikit-learn estimator that takes sample_weight, as the weak learner of boosting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from rrmlinear.solvers.boosting.hypotheses import Found

Array = NDArray[np.float64]


class Learner:
    """Hypotheses that an estimator learns, with both signs: predictions of classes −1 and 1, or
    predicted numbers cut to [−1, 1].

    Raises ValueError for an estimator that takes no sample_weight.
    """

    complete = False

    def __init__(self, estimator: Any, X: Any, signs: Array, random: RandomState) -> None:
        if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise ValueError(
                f"estimator is {estimator!r}; it must be None, 'stumps', 'columns', or an "
                "estimator with fit and predict"
            )
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(f"{type(estimator).__name__} takes no sample_weight in fit")
        self.estimator, self.X, self.signs, self.random = estimator, X, signs, random

    def prepare(self) -> None:
        """Nothing."""

    def best(self, g: Array, count: int) -> list[Found]:
        """The estimator trained with weights |g_i| times n, their mean being 1."""
        learner = clone(self.estimator)
        seeds = {
            name: int(self.random.randint(np.iinfo(np.int32).max))
            for name in sorted(learner.get_params())
            if name == "random_state" or name.endswith("__random_state")
        }
        learner.set_params(**seeds)
        labels = self.signs.astype(np.int64) if is_classifier(learner) else self.signs
        learner.fit(self.X, labels, sample_weight=np.abs(g) * len(g))
        outputs = outputs_of(learner, self.X)
        sign = 1.0 if float(g @ outputs) >= 0 else -1.0
        return [Found((learner, sign), sign * outputs)]


def outputs_of(learner: Any, X: Any) -> Array:
    """Predictions as numbers in [−1, 1]."""
    return np.clip(np.asarray(learner.predict(X), dtype=np.float64).ravel(), -1.0, 1.0)
