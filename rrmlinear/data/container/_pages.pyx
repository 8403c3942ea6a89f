"""Pages of mapped memory."""

from libc.stdint cimport int64_t, uintptr_t

import os


cdef extern from * nogil:
    """
    #include <errno.h>
    #include <stddef.h>
    #include <stdint.h>
    #ifdef __linux__
    #include <sys/mman.h>
    static int lay_over(uintptr_t address, size_t size, int file, int64_t offset, int ready)
    {
        int flags = MAP_SHARED | MAP_FIXED | (ready ? MAP_POPULATE : 0);
        void *got = mmap((void *) address, size, PROT_READ, flags, file, (off_t) offset);
        return got == MAP_FAILED ? errno : 0;
    }
    #else
    #define lay_over(address, size, file, offset, ready) ENOSYS
    #endif
    """
    int lay_over(uintptr_t address, size_t size, int file, int64_t offset, int ready)


def map_over(uintptr_t address, size_t size, int file, int64_t offset, bint ready):
    """Map a piece of a file, to be read alone, in the place of what is mapped at an address: whole
    pages, in memory at once where it is ``ready``. Raises OSError.
    """
    cdef int error
    with nogil:
        error = lay_over(address, size, file, offset, ready)
    if error:
        raise OSError(error, os.strerror(error))


def touch(const unsigned char[::1] memory not None, Py_ssize_t page):
    """Read a byte of each page, so that all are in memory; other threads of Python run meanwhile.

    Returns their sum, so that no compiler leaves the reads out.
    """
    cdef Py_ssize_t at = 0, n = memory.shape[0]
    cdef unsigned int total = 0
    if n == 0:
        return 0
    with nogil:
        while at < n:
            total += memory[at]
            at += page
        total += memory[n - 1]
    return total
