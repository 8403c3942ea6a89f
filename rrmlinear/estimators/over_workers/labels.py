"""`MultilabelClassifier` over the workers of a Dask cluster."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from rrmlinear.dask.many_labels import crews
from rrmlinear.dask.training import WAIT_LIMIT, present_client
from rrmlinear.estimators.arguments import POSITIVE
from rrmlinear.estimators.labels import multilabel


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


@dataclass(eq=False, repr=False, kw_only=True)
class MultilabelClassifier(HasClient, multilabel.MultilabelClassifier):
    """`rrmlinear.MultilabelClassifier` whose labels are dealt to workers, with the same bits;
    X and y are in the client's memory. See `rrmlinear.dask.fit_labels`.

    Parameters
    ----------
    client : distributed.Client, default=None
        None: the present one.
    wait_limit : float, default=600
        Bounds every wait, in seconds.
    others
        As in `rrmlinear.MultilabelClassifier`.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> from rrmlinear.dask import MultilabelClassifier  # doctest: +SKIP
    >>> model = MultilabelClassifier(client=Client(n_workers=2)).fit(X, Y)  # doctest: +SKIP
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **multilabel.MultilabelClassifier._parameter_constraints,
        "wait_limit": POSITIVE,
    }

    client: Any = None
    wait_limit: float = WAIT_LIMIT

    def _crew_of(self) -> Any:
        client = present_client() if self.client is None else self.client
        return crews(client, float(self.wait_limit))
