"""Groups of coordinates in the form that kernels read; `columns` makes and checks them."""

import numpy as np


cdef class Partition:
    """Coordinates 0 … length − 1 in groups: ``indices`` group by group; groups begin at ``starts``.

    With ``indices`` None coordinates stand in order. Without ``starts`` every group has ``size``
    coordinates; size 0 makes one group of all. ``length`` is then 0 for any length, and −1 if it is
    not yet known. ``given`` is the number of groups that the caller named.
    """

    def __init__(self, starts=None, indices=None, Py_ssize_t size=0, Py_ssize_t length=0,
                 given=None):
        cdef const Py_ssize_t[::1] array
        self.starts, self.indices, self.length = starts, indices, length
        self.c.size, self.c.count = size, 0
        if starts is not None:
            self.starts = np.ascontiguousarray(starts, dtype=np.intp)
            array = self.starts
            self.c.starts, self.c.count = &array[0], array.shape[0] - 1
            self.c.largest = np.diff(self.starts).max(initial=1)
            self.length = array[self.c.count]
        if indices is not None:
            self.indices = np.ascontiguousarray(indices, dtype=np.intp)
            array = self.indices
            self.c.indices = &array[0]
        self.given = self.c.count if given is None else given

    @property
    def sizes(self):
        """The number of coordinates of each group, or None where the caller gave no groups."""
        return None if self.starts is None else np.diff(self.starts)

    def members(self, Py_ssize_t n):
        """The coordinates of each group of a vector of n coordinates."""
        order = np.arange(n) if self.indices is None else self.indices
        if self.starts is not None:
            return np.split(order, self.starts[1:len(self.starts) - 1])
        return list(order.reshape(-1, self.c.size or n))

    cdef partition_t of(self, Py_ssize_t n) noexcept nogil:
        """The groups of a vector of n coordinates."""
        cdef partition_t groups = self.c
        if groups.starts == NULL:
            groups.size = groups.size if groups.size > 0 else n
            groups.count = n // groups.size if n > 0 else 0
            groups.largest = 1
        return groups
