from rrmlinear.core.block_store cimport block_store_t


cdef class BlockDuals:
    cdef block_store_t store
    cdef const double[::1] cost
    cdef object sums    # of each block, and one entry more
