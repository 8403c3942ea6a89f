"""Products of rows with each other, of the rows that Newton systems have used so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.row_factor import MAX_COPIED_ENTRIES

Array = NDArray[np.float64]

# Active rows with fewer dense values are multiplied anew: the products take some milliseconds.
MIN_KEPT_ENTRIES = 1_000_000


class KeptProducts:
    """X_A X_A' for the active rows A of one system after the other, of the same rows X.

    From one system to the next a few rows come and go. Products with rows that were active before
    are kept, with a dense copy of these rows. If the copy is too large, it begins anew with the
    rows that are active.
    """

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self._clear()

    def _clear(self) -> None:
        #: The place of each row in ``products``, −1 for a row that has none.
        self.place = np.full(self.rows.shape[0], -1)
        self.number = 0
        #: The rows in their order, in parts, and their products with spare room.
        self.parts: list[Array] = []
        self.products = np.empty((0, 0))

    def suits(self, hessian: Any) -> bool:
        """Whether the products of its active rows take long, and a copy of them has room."""
        if not isinstance(hessian, Hessian) or hessian.rows.blocks is not None:
            return False
        entries = hessian.size * hessian.rows.width
        return hessian.is_dense and MIN_KEPT_ENTRIES <= entries <= MAX_COPIED_ENTRIES

    def places(self, active: NDArray[Any]) -> NDArray[Any]:
        """The places of these rows in ``products``, which are made first where there are none."""
        new = active[self.place[active] < 0]
        if (self.number + len(new)) * self.rows.width > MAX_COPIED_ENTRIES:
            self._clear()
            new = active
        if len(new):
            self._add(new)
        return self.place[active]

    def _add(self, new: NDArray[Any]) -> None:
        check_time()
        h = np.zeros(self.rows.shape[0])
        h[new] = 1.0
        added = Hessian(self.rows, h).copied_less([], [], 0, len(new), None)
        begin, end = self.number, self.number + len(new)
        if end > len(self.products):
            grown = np.empty((2 * end, 2 * end))
            grown[:begin, :begin] = self.products[:begin, :begin]
            self.products = grown
        at = 0
        for part in self.parts:
            mixed = added @ part.T
            self.products[begin:end, at : at + len(part)] = mixed
            self.products[at : at + len(part), begin:end] = mixed.T
            at += len(part)
        self.products[begin:end, begin:end] = added @ added.T
        self.place[new] = np.arange(begin, end)
        self.parts.append(added)
        self.number = end
