# One line of LIBSVM text of any kind, and what it may tell.
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from rrmlinear.data.text.libsvm_parser cimport Line, Rules


cpdef enum Code:
    FINE, NEEDS_WIDER, EMPTY_LINE, NUL_BYTE, BAD_LABEL, LABEL_NOT_FINITE, BAD_QUERY_ID,
    QUERY_ID_MISSING, QUERY_ID_UNEXPECTED, BAD_INDEX, INDEX_TOO_LARGE, INDEX_NOT_INCREASING,
    INDEX_BELOW_FIRST, INDEX_ABOVE_FEATURES, BAD_VALUE, VALUE_OUT_OF_RANGE, VALUE_NOT_FINITE,
    LONE_CR, LEFT_OUT

cdef enum Outcome:
    EXAMPLE, COMMENT, REFUSED

cdef struct Fault:
    int code
    int64_t line, column        # from 0, within the block
    const char* text
    int64_t length, previous

cdef Outcome exact_line(const char* begin, const char* end, const Rules* rules, Line* line,
                        vector[double]* values, vector[int64_t]* indices,
                        Fault* fault) noexcept nogil
