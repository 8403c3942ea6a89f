from libc.stdint cimport int32_t, int64_t


cdef extern from "block_store.h" nogil:
    ctypedef struct stored_block_t:
        int32_t n_between
        int32_t n_upper

    ctypedef struct block_store_t:
        stored_block_t** blocks
        Py_ssize_t n

    bint block_store_start(block_store_t* store, Py_ssize_t n)
    void block_store_free(block_store_t* store)
    void block_store_prefetch(const block_store_t* store, Py_ssize_t i)
    int64_t block_store_begins(const block_store_t* store, int64_t* begins)
    Py_ssize_t block_store_unpack(const block_store_t* store, Py_ssize_t i, double upper, double* b)
    Py_ssize_t block_store_load(const block_store_t* store, Py_ssize_t i, double upper, double* b,
                                int32_t* classes)
    bint block_store_pack(block_store_t* store, Py_ssize_t i, double upper, const double* b,
                          const int32_t* names, Py_ssize_t k, int32_t* scratch)
