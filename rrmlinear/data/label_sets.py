"""Examples with any number of labels each: which rows have each label, and the problem of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record, replace
from rrmlinear.data.array_rows import check_unmasked, is_missing, rows_of, take_rows
from rrmlinear.data.problem import Examples, checked_weights

if TYPE_CHECKING:
    from rrmlinear.data.container.mapping import Mapped

Array = NDArray[Any]


@record()
class LabelSets(PlainState):
    """Which of K labels each of n rows has.

    ``names`` are the labels, K of any kind. Label j has the rows ``members``[``begins``[j]] …
    ``members``[``begins``[j + 1] − 1], in rising order.
    """

    names: Array
    begins: NDArray[np.int64]
    members: NDArray[np.int32]
    n_rows: int

    @property
    def n_labels(self) -> int:
        return len(self.names)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of each label."""
        return np.diff(self.begins)

    @classmethod
    def from_matrix(cls, Y: Any, names: Any = None) -> LabelSets:
        """From n × K zeros and ones of any type, a dense array, nested lists or a sparse matrix.

        The labels are ``names``, or 0 … K − 1. A pair that a sparse matrix stores twice counts
        once. Raises ValueError for other numbers, with row and column, and for another shape.
        """
        rows, columns, (n, k) = _places(Y)
        given = np.arange(k) if names is None else np.asarray(names)
        if given.shape != (k,):
            raise ValueError(f"there must be {k} names, one for each column of Y, not {len(given)}")
        return cls._of_pairs(rows, columns, n, given)

    @classmethod
    def from_lists(cls, lists: Iterable[Iterable[Any]], names: Any = None) -> LabelSets:
        """From the labels of each row: numbers, text or others that can be sorted.

        The labels are sorted, or are ``names`` in that order; a label that a row has twice counts
        once. Raises ValueError for a row that is no list of labels, and for a label that is not
        among the names.
        """
        each = [_labels_of(row, i) for i, row in enumerate(lists)]
        flat = [label for row in each for label in row]
        known = sorted_labels(flat) if names is None else list(names)
        place = {label: j for j, label in enumerate(known)}
        missing = [label for label in flat if label not in place]
        if missing:
            raise ValueError(f"label {missing[0]!r} is not among the {len(known)} labels known")
        columns = np.array([place[label] for label in flat], dtype=np.int64)
        rows = np.repeat(np.arange(len(each)), [len(row) for row in each])
        return cls._of_pairs(rows, columns, len(each), array_of(known))

    @classmethod
    def _of_pairs(cls, rows: Array, columns: Array, n: int, names: Array) -> LabelSets:
        if n >= 2**31:
            raise ValueError(f"labels are for at most 2^31 − 1 rows, and there are {n}")
        pairs = np.sort(columns.astype(np.int64) * max(n, 1) + rows)  # quicker than np.unique
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        counts = np.bincount(pairs // max(n, 1), minlength=len(names))
        return cls(names, begins_of(counts), (pairs % max(n, 1)).astype(np.int32), n)

    def of(self, label: int) -> NDArray[np.int32]:
        """The rows of a label, by its place."""
        return self.members[self.begins[label] : self.begins[label + 1]]

    def matrix(self) -> Any:
        """The n × K matrix of zeros and ones, a scipy.sparse.csr_array of int8."""
        from scipy.sparse import csc_array

        ones = np.ones(len(self.members), dtype=np.int8)
        shape = (self.n_rows, self.n_labels)
        return csc_array((ones, self.members, self.begins), shape=shape).tocsr()

    def some(self, chosen: NDArray[np.int64]) -> LabelSets:
        """Some of the labels, by their places."""
        parts = [self.of(j) for j in chosen.tolist()]
        members = np.concatenate(parts) if parts else self.members[:0]
        return LabelSets(self.names[chosen], begins_of(map(len, parts)), members, self.n_rows)

    def among(self, known: Array) -> LabelSets:
        """The same by the names of others, as text, in their order; those that they have not come
        last.
        """
        place = {str(name): j for j, name in enumerate(known.tolist())}
        own = [place.setdefault(str(name), len(place)) for name in self.names.tolist()]
        columns = np.repeat(np.array(own, np.int64), self.counts)
        return self._of_pairs(self.members, columns, self.n_rows, array_of(list(place)))

    def take(self, chosen: NDArray[np.int64]) -> LabelSets:
        """The labels of these rows, in this order."""
        pairs = self.matrix()[chosen].tocoo()
        return self._of_pairs(pairs.row, pairs.col, len(chosen), self.names)


@record()
class MultilabelProblem(Examples):
    """n examples x_i over d features, each with any of K labels, and weights c_i ≥ 0 if given.

    ``rows.bias`` is as in `Problem`: the value of a column appended to every row.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import MultilabelProblem
    >>> problem = MultilabelProblem.from_lists(np.eye(3), [["red"], [], ["blue", "red"]], bias=1.0)
    >>> problem.labels.names.tolist(), problem.labels.counts.tolist()
    (['blue', 'red'], [1, 2])
    """

    rows: Any
    labels: LabelSets
    weights: NDArray[np.float64] | None = None
    #: The file that rows lie in, if they do.
    container: Mapped | None = None
    feature_names: Sequence[str] | None = None

    @classmethod
    def from_arrays(
        cls, X: Any, Y: Any, sample_weight: Any = None, *, bias: float = -1.0, names: Any = None
    ) -> MultilabelProblem:
        """Over ``X`` as in `Problem.from_arrays`, and ``Y``, n × K as in `LabelSets.from_matrix`.

        Raises ValueError for wrong arrays, and where X and Y have different numbers of rows.
        """
        return cls.of_labels(X, LabelSets.from_matrix(Y, names), sample_weight, bias)

    @classmethod
    def from_lists(
        cls,
        X: Any,
        labels: Sequence[Iterable[Any]],
        sample_weight: Any = None,
        *,
        bias: float = -1.0,
        names: Any = None,
    ) -> MultilabelProblem:
        """The same with a list of labels for each row, as in `LabelSets.from_lists`."""
        return cls.of_labels(X, LabelSets.from_lists(labels, names), sample_weight, bias)

    @classmethod
    def of_labels(
        cls, X: Any, labels: LabelSets, weights: Any = None, bias: float = -1.0
    ) -> MultilabelProblem:
        """The same with labels that are known."""
        rows = rows_of(X)
        if labels.n_rows != rows.shape[0]:
            raise ValueError(f"Y has {labels.n_rows} rows, but X has {rows.shape[0]}")
        given = checked_weights(weights, rows.shape[0])
        return cls(rows, labels, given).with_bias(bias)

    @classmethod
    def open(cls, path: Any, *, verify: bool = False) -> MultilabelProblem:
        """Over the rows of a container of several labels an example, mapped and read-only; labels
        are in memory.

        What is checked, and errors, are those of `Problem.open`.
        """
        from rrmlinear.data.container.layout import ContainerError
        from rrmlinear.data.container.mapping import names_in
        from rrmlinear.data.container.opening import open_container

        mapped = open_container(path, verify)
        arrays = mapped.arrays
        if "sets" not in arrays:
            raise ContainerError(
                f"{mapped.path} has one label an example: Problem.open and read_libsvm read it"
            )
        names, places = names_in(mapped)
        numbers, ends = arrays["sets"], arrays["setptr"]
        sound = ends[0] == 0 and ends[-1] == len(numbers) and not (np.diff(ends) < 0).any()
        if not sound or (len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(places)):
            raise ContainerError(f"{mapped.path} is damaged: its labels are not those it names")
        rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        labels = LabelSets._of_pairs(rows, places[numbers], len(ends) - 1, names)
        return cls(mapped.rows, labels, arrays.get("weights"), mapped, mapped.names()[0])

    def take(self, chosen: NDArray[np.int64]) -> MultilabelProblem:
        """The chosen examples, in that order (their rows are copied)."""
        weights = None if self.weights is None else self.weights[chosen]
        rows, labels = take_rows(self.rows, chosen), self.labels.take(chosen)
        return replace(self, rows=rows, labels=labels, weights=weights, container=None)


def begins_of(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Where parts of these lengths begin, one after another, and the end of the last."""
    return np.cumsum([0, *lengths], dtype=np.int64)


def _places(Y: Any) -> tuple[Array, Array, tuple[int, int]]:
    """Rows and columns of the ones of a matrix of zeros and ones."""
    check_unmasked(Y, "Y must be a matrix of zeros and ones")
    if hasattr(Y, "tocoo"):
        matrix = Y.tocoo()
        rows, columns, values = matrix.row, matrix.col, matrix.data
    else:
        matrix = np.asarray(Y)
        if matrix.ndim != 2:
            raise ValueError(
                f"Y must be a matrix of zeros and ones, n × K, and has {matrix.ndim} axes; lists "
                "of labels are taken as lists"
            )
        if matrix.dtype.kind == "O":  # pandas' columns that may miss entries, or of several types
            for (i, j), entry in np.ndenumerate(matrix):
                if not isinstance(entry, Real | np.bool_):
                    raise ValueError(f"Y[{i}, {j}] is {entry!r}; it must be 0 or 1")
            matrix = matrix.astype(np.float64)
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"Y must be a matrix of zeros and ones, and holds {matrix.dtype}")
        rows, columns = np.nonzero(matrix)  # NaN is not zero
        values = matrix[rows, columns]
    wrong = np.flatnonzero((values != 0) & (values != 1))
    if len(wrong):
        i, j = rows[wrong[0]], columns[wrong[0]]
        raise ValueError(f"Y[{i}, {j}] is {values[wrong[0]]}; a label matrix has 0 and 1 alone")
    ones = values != 0
    return rows[ones], columns[ones], matrix.shape


def _labels_of(row: Any, i: int) -> list[Any]:
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise ValueError(f"row {i} of the labels is {row!r}; it must be a list of labels")
    labels = row.tolist() if isinstance(row, np.ndarray) else list(row)
    for label in labels:
        if not isinstance(label, Hashable):
            raise ValueError(f"row {i} has the label {label!r}; it must be a number, text or tuple")
        if is_missing(label):
            raise ValueError(f"row {i} has the label {label!r}, which is missing")
    return list(dict.fromkeys(labels))


def sorted_labels(labels: list[Any]) -> list[Any]:
    """The different labels in order. ValueError for labels that have none among them."""
    try:
        return sorted(set(labels))
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"labels must be of one kind, and are of {' and '.join(kinds)}") from None


def array_of(labels: list[Any]) -> Array:
    """Labels as an array of one axis, also where they are tuples or an array would change them."""
    with suppress(ValueError):  # tuples of unlike lengths
        array = np.array(labels) if labels else np.zeros(0, dtype=np.int64)
        rounds = array.dtype.kind == "f" and not any(isinstance(x, float) for x in labels)
        if array.tolist() == labels and not rounds:  # whole numbers of 2^63 and more
            return array
    result = np.empty(len(labels), dtype=object)
    result[:] = labels
    return result
