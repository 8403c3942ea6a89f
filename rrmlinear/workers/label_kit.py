"""What a worker needs to solve the problems of many labels."""

from __future__ import annotations

from threading import Lock
from typing import Any

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import csr_of, rows_of
from rrmlinear.data.label_sets import LabelSets, MultilabelProblem
from rrmlinear.training.labels.work import LabelWork, bytes_of
from rrmlinear.training.streaming import streamed


class LabelKit:
    """The arguments of `LabelWork`, on their way to workers.

    ``X`` are the rows, None for those that a worker has, or the path of the container that has them
    with its ``checksum``.
    """

    def __init__(
        self,
        X: Any,
        checksum: int | None,
        bias: float,
        labels: LabelSets,
        weights: Any,
        choices: Choices,
        rest: tuple[Any, ...],
    ) -> None:
        self.given = X, checksum, bias, labels, weights, choices, rest
        self.lock = Lock()
        self.made: LabelWork | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return LabelKit, self.given

    @classmethod
    def of(
        cls, problem: MultilabelProblem, chosen: Selection, *rest: Any, with_rows: bool = True
    ) -> LabelKit:
        """That of these arguments."""
        rows, container = problem.rows, problem.container
        X: Any = None
        checksum = None
        if container:
            X, checksum = container.path, container.header.table_checksum
        elif with_rows:
            X = rows.values if rows.indptr is None else csr_of(rows)
        choices = replace(chosen.choices, time_limit=None)
        return cls(X, checksum, rows.bias, problem.labels, problem.weights, choices, rest)

    def work(self, own: MultilabelProblem | None = None) -> LabelWork:
        """The work, made once in each process, with the rows of its ``own`` problem where none were
        sent. Raises ValueError for another container.
        """
        with self.lock:
            if self.made is None:
                self.made = self._work(own)
            return self.made

    def _work(self, own: MultilabelProblem | None) -> LabelWork:
        X, checksum, bias, labels, weights, choices, rest = self.given
        chosen = select(choices)
        if checksum is None:
            rows = rows_of(X) if own is None else own.rows
            problem = MultilabelProblem(rows, labels, weights)
        else:
            found = MultilabelProblem.open(X)
            assert found.container is not None
            if found.container.header.table_checksum != checksum:
                raise ValueError(f"{X} is another file here, or has changed while it was used")
            problem = replace(found, labels=labels, weights=weights)
            problem = streamed(problem, chosen, bytes_of(problem, chosen, rest[2]))
        return LabelWork(problem.with_bias(bias), chosen, *rest)
