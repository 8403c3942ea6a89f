"""Memory of arrays that grow while they are filled."""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, realloc

import numpy as np


cdef extern from * nogil:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    #endif
    #ifndef MADV_HUGEPAGE
    #define MADV_HUGEPAGE 0
    #define madvise(begin, size, advice) ((void) (begin), 0)
    #endif
    """
    int MADV_HUGEPAGE
    int madvise(void* begin, size_t size, int advice)

cdef enum:
    PAGE = 4096
    LEAST_ADVISED = 1 << 22     # bytes: smaller arrays have too few page faults to save


cdef class Memory:
    """Bytes that grow without being touched or zeroed; an array over them keeps them alive."""

    def __dealloc__(self):
        free(self.data)

    cdef int resize(self, Py_ssize_t size) except -1:
        cdef void* data = realloc(self.data, max(size, 1))
        if data == NULL:
            raise MemoryError(f"{size} bytes for the examples cannot be had")
        self.data = <char*> data
        self.size = size
        if size >= LEAST_ADVISED:
            self._advise_large_pages()
        return 0

    cdef void _advise_large_pages(self) noexcept:
        # Fewer page faults while the array is first filled. From the first page to the last, the
        # allocator's header included: memory advised in part is two mappings, which realloc could
        # not grow without a copy.
        cdef uintptr_t begin = <uintptr_t> self.data // PAGE * PAGE
        cdef uintptr_t end = (<uintptr_t> self.data + self.size + PAGE - 1) // PAGE * PAGE
        madvise(<void*> begin, end - begin, MADV_HUGEPAGE)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    cdef object array(self, dtype, Py_ssize_t count):
        """The first ``count`` entries; the rest of the memory is given back."""
        self.resize(count * dtype.itemsize)
        return np.frombuffer(self, dtype=dtype) if count else np.empty(0, dtype=dtype)
