from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks

def aligned_zeros(n_rows: int, columns: int) -> NDArray[np.float64]: ...
def bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]: ...
def nonzeros(values: NDArray[np.float64]) -> NDArray[np.intp]: ...
def gathered(
    array: NDArray[Any], begins: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[Any]: ...

class Rows:
    bias: float
    indptr: NDArray[Any] | None
    blocks: RowBlocks | None
    def __init__(
        self,
        values: NDArray[Any],
        indices: NDArray[Any] | None,
        indptr: NDArray[Any] | None,
        n_features: int,
        bias: float = -1.0,
        blocks: RowBlocks | None = None,
    ) -> None: ...
    @property
    def values(self) -> NDArray[Any]: ...
    @property
    def indices(self) -> NDArray[Any] | None: ...
    @property
    def stored(self) -> tuple[NDArray[Any], NDArray[Any] | None]: ...
    def over(
        self,
        values: NDArray[Any],
        indices: NDArray[Any] | None,
        indptr: NDArray[Any] | None,
        bias: float,
        blocks: RowBlocks | None = None,
    ) -> Rows: ...
    @property
    def is_dense(self) -> bool: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def width(self) -> int: ...
    @property
    def n_stored(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    def with_bias(self, bias: float) -> Rows: ...
    def streamed(self, blocks: RowBlocks | None) -> Rows: ...
    def spans(self, begin: int = 0, end: int = -1) -> Iterable[tuple[int, int]]: ...
    def spans_among(self, chosen: NDArray[np.int64]) -> Iterable[tuple[int, int]]: ...
    def between(self, begin: int, end: int) -> Rows: ...
    def lengths(self) -> NDArray[np.int64]: ...
    def squared_norms(self) -> NDArray[np.float64]: ...
    def feature_cuts(self, n_parts: int) -> NDArray[np.int64]: ...
    def frequent_features(self, most: int) -> NDArray[np.int64]: ...
    def product(self, weights: NDArray[np.float64], n_features: int) -> NDArray[np.float64]: ...
    def scores_of(
        self, examples: NDArray[np.int64], w: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def sums_over_features(
        self, u: NDArray[np.float64], begin: int, end: int
    ) -> NDArray[np.float64]: ...
    def find_fault(self) -> tuple[tuple[str, int, int] | None, bool]: ...

class PackedRows(Rows):
    decimals: int
    def __init__(
        self,
        values: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        n_features: int,
        bias: float = -1.0,
        blocks: RowBlocks | None = None,
        *,
        decimals: int,
    ) -> None: ...

class ShortRows(Rows):
    units: NDArray[np.float32]
    def __init__(
        self,
        values: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        n_features: int,
        bias: float = -1.0,
        blocks: RowBlocks | None = None,
        *,
        units: NDArray[np.float32],
    ) -> None: ...
