# Both reorder `a` and return its element of rank `rank` (0 … n−1), in O(n) whatever the numbers
# are, and add to `work` the number of elements that their sweeps go over.

cdef double select_by_comparison(double* a, Py_ssize_t n, Py_ssize_t rank,
                                 Py_ssize_t* work) noexcept nogil
# Faster for thousands of numbers, none of which may be NaN.
cdef double select_by_digits(double* a, Py_ssize_t n, Py_ssize_t rank,
                             Py_ssize_t* work) noexcept nogil
