"""The dual blocks of all examples, kept by their nonzeros."""

from libc.stdint cimport int32_t, int64_t

from rrmlinear.core.block_store cimport (
    block_store_begins, block_store_free, block_store_load, block_store_start,
)

import numpy as np


cdef class BlockDuals:
    """One block an example, all zero at first; entries lie in 0 … ``cost`` of their example."""

    def __cinit__(self, const double[::1] cost not None):
        cdef double[::1] sums
        self.cost = cost
        self.sums = sums = np.zeros(cost.shape[0] + 1)
        if not block_store_start(&self.store, cost.shape[0], &sums[0]):
            raise MemoryError(f"no memory for {cost.shape[0]} dual blocks")

    def __dealloc__(self):
        block_store_free(&self.store)

    def arrays(self):
        """The duals as CSR arrays (indptr, classes, values), one row an example."""
        cdef Py_ssize_t i, t, n = self.cost.shape[0]
        indptr = np.empty(n + 1, dtype=np.int64)
        cdef int64_t[::1] begins = indptr
        block_store_begins(&self.store, &begins[0])
        classes, values = np.empty(begins[n], dtype=np.int32), np.empty(begins[n])
        cdef int32_t[::1] to_classes = classes
        cdef double[::1] to_values = values
        for i in range(n):
            if begins[i + 1] > begins[i]:
                t = begins[i]
                block_store_load(&self.store, i, self.cost[i], &to_values[t], &to_classes[t])
        return indptr, classes, values

    def count(self):
        """(examples with duals, duals above 0, of these at the upper bound)."""
        begins = np.empty(self.cost.shape[0] + 1, dtype=np.int64)
        cdef int64_t[::1] out = begins
        cdef int64_t upper = block_store_begins(&self.store, &out[0])
        cdef Py_ssize_t i, n = self.cost.shape[0], examples = 0
        for i in range(n):
            examples += out[i + 1] > out[i]
        return examples, int(out[n]), upper

    def sizes(self):
        """(Σ of each block, duals above 0, of these at the upper bound), as they are kept."""
        return self.sums[: self.cost.shape[0]], self.store.n_duals, self.store.n_upper
