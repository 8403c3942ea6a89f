# Heaps of items by their keys, the largest key first. Items and keys are two arrays of n entries.
from libc.stdint cimport int32_t


cdef inline void sift_down(int32_t* item, double* key, Py_ssize_t at, Py_ssize_t n) noexcept nogil:
    """Restore the heap where the entry at this place may be too small."""
    cdef Py_ssize_t child
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and key[child + 1] > key[child]:
            child += 1
        if not key[child] > key[at]:
            break
        item[at], item[child] = item[child], item[at]
        key[at], key[child] = key[child], key[at]
        at = child


cdef inline void make_heap(int32_t* item, double* key, Py_ssize_t n) noexcept nogil:
    """Make a heap of n entries in any order."""
    cdef Py_ssize_t at
    for at in range(n // 2 - 1, -1, -1):
        sift_down(item, key, at, n)


cdef inline void pop_heap(int32_t* item, double* key, Py_ssize_t n) noexcept nogil:
    """Move the first of n entries behind the others, which remain a heap."""
    item[0], item[n - 1] = item[n - 1], item[0]
    key[0], key[n - 1] = key[n - 1], key[0]
    sift_down(item, key, 0, n - 1)
