"""Estimators that save and load themselves."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self


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
