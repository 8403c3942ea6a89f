# The dual blocks of all examples by their nonzeros: for each example the classes whose entry lies
# strictly between its bounds, with that entry, and the classes at the upper bound, without.
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from rrmlinear.simd.rows cimport prefetch


cdef enum:
    LEAST_CAPACITY = 40   # bytes: three entries, and with the header what malloc rounds up to

ctypedef struct stored_block_t:
    int32_t n_between
    int32_t n_upper
    size_t capacity       # bytes after this header: n_between entries, then all classes

ctypedef struct block_store_t:
    stored_block_t** blocks   # NULL: a zero block
    double* sums              # of each block, in memory of the caller
    Py_ssize_t n
    Py_ssize_t n_duals, n_upper    # entries of all blocks, and of these at the upper bound


cdef inline bint block_store_start(block_store_t* store, Py_ssize_t n, double* sums) noexcept nogil:
    """n zero blocks, of which ``sums`` are 0; False where there is no memory for them."""
    store.blocks = <stored_block_t**> calloc(n + 1, sizeof(stored_block_t*))
    store.sums, store.n, store.n_duals, store.n_upper = sums, n, 0, 0
    return store.blocks != NULL


cdef inline void block_store_free(block_store_t* store) noexcept nogil:
    cdef Py_ssize_t i
    if store.blocks != NULL:
        for i in range(store.n):
            free(store.blocks[i])
    free(store.blocks)
    store.blocks = NULL


cdef inline void block_store_prefetch_place(const block_store_t* store,
                                            Py_ssize_t i) noexcept nogil:
    """Prefetch where a block lies, some time before block_store_prefetch."""
    prefetch(&store.blocks[i], 1, 2)
    prefetch(&store.sums[i], 1, 2)


cdef inline void block_store_prefetch(const block_store_t* store, Py_ssize_t i) noexcept nogil:
    prefetch(store.blocks[i], 1, 2)
    prefetch(<const char*> store.blocks[i] + 64, 1, 2)    # blocks need not begin with a line


cdef inline int64_t block_store_begins(const block_store_t* store, int64_t* begins) noexcept nogil:
    """Where each block begins in a list of all entries, n + 1 numbers; returns how many of the
    entries are at the upper bound.
    """
    cdef Py_ssize_t i
    cdef int64_t upper = 0
    cdef const stored_block_t* block
    begins[0] = 0
    for i in range(store.n):
        block = store.blocks[i]
        begins[i + 1] = begins[i]
        if block != NULL:
            begins[i + 1] += block.n_between + block.n_upper
            upper += block.n_upper
    return upper


cdef inline Py_ssize_t block_store_unpack(const block_store_t* store, Py_ssize_t i, double upper,
                                          double* b) noexcept nogil:
    """Put block i into b, which holds zeros; returns how many nonzeros it has."""
    cdef const stored_block_t* block = store.blocks[i]
    cdef const double* values
    cdef const int32_t* classes
    cdef Py_ssize_t t
    if block == NULL:
        return 0
    values = <const double*> (block + 1)
    classes = <const int32_t*> (values + block.n_between)
    for t in range(block.n_between):
        b[classes[t]] = values[t]
    for t in range(block.n_between, block.n_between + block.n_upper):
        b[classes[t]] = upper
    return block.n_between + block.n_upper


cdef inline Py_ssize_t block_store_load(const block_store_t* store, Py_ssize_t i, double upper,
                                        double* b, int32_t* classes) noexcept nogil:
    """Block i without its zeros: b[c] belongs to classes[c]; returns how many nonzeros it has."""
    cdef const stored_block_t* block = store.blocks[i]
    cdef const double* values
    cdef Py_ssize_t t, n
    if block == NULL:
        return 0
    values = <const double*> (block + 1)
    n = block.n_between + block.n_upper
    memcpy(classes, values + block.n_between, <size_t> n * sizeof(int32_t))
    for t in range(n):
        b[t] = values[t] if t < block.n_between else upper
    return n


cdef inline bint block_store_pack(block_store_t* store, Py_ssize_t i, double upper,
                                  const double* b, const int32_t* names, Py_ssize_t k,
                                  int32_t* scratch) noexcept nogil:
    """Store b as block i, where b[c] belongs to class names[c], or to class c if names is NULL.

    k is a multiple of 8, and scratch has room for 2 k classes. False where there is no memory:
    block i is then as it was.
    """
    cdef int32_t* between = scratch
    cdef int32_t* at_upper = scratch + k
    cdef Py_ssize_t n_between = 0, n_upper = 0, held = 0, held_upper = 0, first, j, t
    cdef double largest, total = 0
    cdef size_t needed, capacity
    cdef stored_block_t* block
    cdef double* values
    cdef int32_t* classes
    for first in range(0, k, 8):
        largest = 0
        for j in range(first, first + 8):
            largest = b[j] if b[j] > largest else largest
        if largest == 0:
            continue
        for j in range(first, first + 8):      # without branches: the next overwrites a miss
            between[n_between] = at_upper[n_upper] = <int32_t> j
            n_between += (b[j] > 0) & (b[j] < upper)
            n_upper += b[j] >= upper
    needed = n_between * (sizeof(double) + sizeof(int32_t)) + n_upper * sizeof(int32_t)
    block = store.blocks[i]
    if block != NULL:
        held, held_upper = block.n_between + block.n_upper, block.n_upper
    if block == NULL or block.capacity < needed:
        capacity = max(needed + needed // 4 + 8, <size_t> LEAST_CAPACITY)
        block = <stored_block_t*> malloc(sizeof(stored_block_t) + capacity)
        if block == NULL:
            return False
        block.capacity = capacity
        free(store.blocks[i])
        store.blocks[i] = block
    block.n_between, block.n_upper = <int32_t> n_between, <int32_t> n_upper
    values = <double*> (block + 1)
    classes = <int32_t*> (values + n_between)
    for t in range(n_between):
        values[t] = b[between[t]]
        total += values[t]
        classes[t] = names[between[t]] if names != NULL else between[t]
    for t in range(n_upper):
        classes[n_between + t] = names[at_upper[t]] if names != NULL else at_upper[t]
    store.sums[i] = total + n_upper * upper
    store.n_duals += n_between + n_upper - held
    store.n_upper += n_upper - held_upper
    return True
