"""The methods by which linear models leave the package: exports, tables of weights, files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np

from rrmlinear.core.loading import imported
from rrmlinear.exports.scorer import Scorer


class Exported:
    """A model of scores that others take; ``_scorer`` says its scores."""

    @abstractmethod
    def _scorer(self) -> Scorer:
        """The scores and what they mean."""

    def to_sklearn(self) -> Any:
        """scikit-learn's own class, fitted, with the same scores, probabilities and predictions.

        It is the class of the same name where scikit-learn has one; for other losses LinearSVC,
        LogisticRegression where the loss has probabilities, or LinearRegression. Several classes
        with a sigmoid each, and several labels a row, come as OneVsRestClassifier, and OneClassSVM
        as SGDOneClassSVM. Kernels come as a Pipeline of Nystroem and the class of the scores, which
        are linear in its columns. Tools that look for scikit-learn's classes then take the model:
        skl2onnx, SHAP, ELI5, sklearn2pmml. Shared parameters are set; a score of exactly 0 may
        count for the other class. Raises NotFittedError before a fit, ImportError without
        scikit-learn, and ValueError where no class of scikit-learn predicts so.
        """
        from rrmlinear.exports.sklearn_twin import twin_of

        return twin_of(self, self._scorer())

    def to_onnx(self, path: str | PathLike[str], *, dtype: str = "float32") -> None:
        """Write an ONNX file that predicts the same, whole or not at all.

        Its input ``X`` is n × d numbers of ``dtype``, "float32" or "float64". Its outputs are
        ``label`` and ``scores`` of classifiers, and ``probabilities``, n × k, where the loss has
        them; ``variable``, n × m, of numbers. Of any number of labels a row ``label`` is a matrix
        of zeros and ones, n × k. Labels may be numbers, text or truth values. Raises ImportError
        without onnx (the extra ``onnx``), NotFittedError before a fit, ValueError for other types,
        for kernels and hypotheses that ONNX does not have, and for weights of 2 GB and more.
        """
        from rrmlinear.exports.onnx_file import write_onnx

        write_onnx(self._scorer(), path, dtype)


class Tabled:
    """A model that is linear in the features; ``_scorer`` says its weights."""

    @abstractmethod
    def _scorer(self) -> Scorer:
        """The weights and what their scores mean."""

    def to_dataframe(self) -> Any:
        """The weights as a pandas DataFrame: a row for each feature by its name, and one of the
        intercepts; a column for each class, label or target.

        Features without names are x0, x1, …. For two classes the one column is named by the class
        of positive scores. Raises ImportError without pandas, and NotFittedError before a fit.
        """
        return table_of(self._scorer())


INTERCEPT = "(intercept)"


def table_of(scorer: Scorer) -> Any:
    """A pandas DataFrame of weights, the intercepts last."""
    pandas = imported("pandas", "to_dataframe", "pandas")
    values = np.vstack([scorer.dense.T, scorer.intercepts])
    index = pandas.Index([*scorer.features, INTERCEPT], name="feature")
    return pandas.DataFrame(values, index=index, columns=scorer.columns)


class Saved:
    """An estimator with a plain state, which a file holds."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the estimator with all that its fit found, whole or not at all.

        The file is a zip of JSON and NumPy's arrays, with a version; reading it runs no code.
        Learners of scikit-learn inside need skops. Raises OSError as `open` does, and ValueError
        for a parameter that is a function.
        """
        from rrmlinear.exports.plain_file import save_state

        save_state(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, trusted: Sequence[str] = ()) -> Self:
        """Read what `save` of this class wrote; predictions are the same bits.

        ``trusted`` are types of other packages inside that skops may make beside those it knows to
        be harmless, as "sklearn.tree._tree.Tree" of an ensemble of trees from a source you trust.
        Warns where another version of this package wrote it. Raises OSError as `open` does, and
        ValueError for other files, other classes and damage.
        """
        from rrmlinear.exports.plain_file import load_state

        found: Any = load_state(cls, path, trusted)
        return found  # type: ignore[no-any-return]
