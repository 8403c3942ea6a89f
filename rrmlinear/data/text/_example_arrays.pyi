from typing import Any

import numpy as np
from numpy.typing import NDArray

Fault = tuple[int, int, int, bytes, int]

class Block:
    row_offset: int
    offset: int
    rows: int
    stored: int
    first_line: int
    lines: int
    largest: int
    has_zero: bool
    query_mode: int
    passed_lines: int
    first: Fault | None
    fault: Fault | None
    at_limit: Fault | None
    passed: Fault | None
    def __init__(self, row_offset: int, offset: int, first_line: int) -> None: ...
    def line_of(self, row: int) -> int: ...
    def query_ids(self) -> NDArray[np.int64]: ...

class ExampleArrays:
    wide: bool
    decimals: int
    widened: int
    row_capacity: int
    capacity: int
    def __init__(
        self,
        dtype: Any,
        before_first: int,
        offset: int,
        features: int,
        open_base: bool,
        strict: bool,
        packed: bool = False,
    ) -> None: ...
    def reserve(self, rows: int, stored: int) -> None: ...
    def widen(self, blocks: list[Block]) -> None: ...
    def close_gaps(self, blocks: list[Block]) -> tuple[int, int]: ...
    def shift_indices(self, stored: int, by: int) -> None: ...
    def views(
        self, rows: int, stored: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], NDArray[np.float64]]: ...
    def finish_dense(self, rows: int, width: int) -> tuple[NDArray[Any], NDArray[np.float64]]: ...
    def finish(
        self, rows: int, stored: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], NDArray[np.float64]]: ...
