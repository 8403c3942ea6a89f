"""What estimators over workers do with their client."""

from __future__ import annotations

import copy
from typing import Any, Self

from sklearn.base import BaseEstimator


class HasClient(BaseEstimator):
    """An estimator with a parameter ``client``: clones share it, and states leave it out."""

    client: Any

    def __getstate__(self) -> dict[str, Any]:
        """A client lives in its process alone: an estimator that was read has the present one."""
        state: dict[str, Any] = dict(super().__getstate__())
        return state | {"client": None} if "client" in state else state

    def __sklearn_clone__(self) -> Self:
        clone: Self = BaseEstimator.__sklearn_clone__(copy.copy(self))
        clone.client = self.client
        return clone
