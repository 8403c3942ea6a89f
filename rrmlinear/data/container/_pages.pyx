"""Pages of mapped memory."""


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
