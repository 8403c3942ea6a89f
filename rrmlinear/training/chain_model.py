"""The ChainModel: weights, transitions and labels that label sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import NAMED_LOSSES, loss_row
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem, stack
from rrmlinear.risks.layouts._chain_sums import ChainSums, Transitions, best_labellings
from rrmlinear.training.model_file import ModelFileError, load_model, save_model
from rrmlinear.training.trained import TrainedModel

#: Scores of positions that are held at a time.
SCORES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class ChainModel(TrainedModel):
    """A `TrainedModel` with transitions, which labels sequences; else as `Model`.

    A labelling y of a sequence has the score Σ_t w_{y_t}'x_t + Σ_t ``transitions``[y_{t−1}, y_t].
    Sequences are given as a `SequenceProblem`, whose labels do not count, or as a list of matrices,
    sparse or dense, with a row for each position. Columns beyond the model's features are ignored,
    missing ones are zero. Results stand position after position, as in the problem's ``rows``;
    `SequenceProblem.split` cuts them.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import Parameter, SequenceProblem, fit_sequences
    >>> words = [np.eye(3), np.eye(3)[:2]]
    >>> problem = SequenceProblem.from_lists(words, [["a", "b", "b"], ["a", "b"]])
    >>> model = fit_sequences(problem, Parameter(solver="auto", loss="crf", C=10.0))
    >>> model.predict(problem).tolist()
    ['a', 'b', 'b', 'a', 'b']
    >>> model.transitions.shape
    (2, 2)
    """

    #: Mixtures of labellings that a later training may begin from, where the solver has some.
    labellings: Any = None

    @property
    def link(self) -> str | None:
        """The way from scores to marginals, or None."""
        return None if self.loss is None else loss_row(self.loss).link

    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """The label of each position, in the labelling of the highest score."""
        starts, rows = _sequences(X)
        ready = Transitions(self._transitions, 1.0, best=True)
        found = np.empty(rows.shape[0], dtype=np.int32)

        def some(sums: ChainSums, nodes: NDArray[np.float64], m: int, part: slice) -> None:
            sums.best(nodes, ready, 0, m, np.empty(m), found[part])

        self._in_parts(starts, rows, threads, some)
        return self.labels[found]

    def predict_marginals(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """The probability of each label at each position, n × k in the order of ``labels``.

        Raises ValueError for losses whose scores are no likelihoods.
        """
        if self.link is None:
            known = [name for name, row in NAMED_LOSSES.items() if row.link == "marginals"]
            raise ValueError(f"loss {self.loss} has no marginals: {' and '.join(known)} has them")
        starts, rows = _sequences(X)
        ready = Transitions(self._transitions)
        marginals = np.empty((rows.shape[0], len(self.labels)))
        pairs = np.zeros_like(self._transitions)  # which are not used

        def some(sums: ChainSums, nodes: NDArray[np.float64], m: int, part: slice) -> None:
            sums.log_sums(nodes, ready, 0, m, np.empty(m), marginals[part], pairs.copy())

        self._in_parts(starts, rows, threads, some)
        return marginals

    def predict_best(self, X: Any, most: int) -> list[tuple[NDArray[np.float64], NDArray[Any]]]:
        """For each sequence, the ``most`` highest scores and their labellings, each in a row.

        A sequence with fewer labellings has fewer. Raises ValueError for ``most`` below 1.
        """
        if most < 1:
            raise ValueError(f"most must be at least 1, got {most}")
        starts, rows = _sequences(X)
        result = []
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            nodes = self._nodes(rows.between(begin, end))
            scores, places = best_labellings(nodes, self._transitions, most)
            result.append((scores, self.labels[places]))
        return result

    @property
    def _transitions(self) -> NDArray[np.float64]:
        assert self.transitions is not None
        return np.ascontiguousarray(self.transitions, dtype=np.float64)

    def _nodes(self, rows: Rows) -> NDArray[np.float64]:
        return rows.with_bias(self.bias).product(self.weights, self.n_features)

    def _in_parts(
        self,
        starts: NDArray[np.int64],
        rows: Rows,
        threads: int,
        some: Callable[[ChainSums, NDArray[np.float64], int, slice], None],
    ) -> None:
        """Call ``some`` with sums, scores and number of some sequences, and their positions."""
        m, k = len(starts) - 1, len(self.labels)
        n_parts = max(threads, -(-rows.shape[0] * k // SCORES_AT_ONCE))
        cuts = np.unique(np.searchsorted(starts, np.linspace(0, starts[-1], n_parts + 1)))
        cuts[-1] = m

        def part(first: int, last: int) -> None:
            begin, end = int(starts[first]), int(starts[last])
            nodes = self._nodes(rows.between(begin, end))
            label = np.zeros(end - begin, dtype=np.int32)
            own = starts[first : last + 1] - begin
            sums = ChainSums(label, own, k, np.ones(last - first))
            some(sums, nodes, last - first, slice(begin, end))

        bounds: Sequence[tuple[int, int]] = list(
            zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        )
        if threads == 1:
            for first, last in bounds:
                part(first, last)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda bound: part(*bound), bounds))

    def save(self, path: str | PathLike[str], *, liblinear: bool = False) -> None:
        """Write a model file, whole or not at all; see `training.model_file`.

        Raises ValueError with ``liblinear``, as LIBLINEAR has no transitions, and for labels that
        are no whole numbers.
        """
        if self.labels.dtype.kind not in "iu":
            raise ValueError(f"a model file has numbers as labels, not {self.labels[0]!r}")
        save_model(self, path, liblinear)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ChainModel:
        """Read a model file, checking all of it; ModelFileError for one without transitions."""
        stored = load_model(path)
        if stored.transitions is None:
            raise ModelFileError(f"{path} holds a model of examples, without transitions")
        return cls(**vars(stored))


def _sequences(X: Any) -> tuple[NDArray[np.int64], Rows]:
    return (X.starts, X.rows) if isinstance(X, SequenceProblem) else stack(X)
