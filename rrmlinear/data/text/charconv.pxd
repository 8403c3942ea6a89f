# Numbers to characters and back, whatever the locale: <charconv> of C++17, see charconv.h.
from libc.stdint cimport int64_t, uint64_t


cdef extern from "<charconv>" namespace "std" nogil:
    cdef enum class chars_format:
        hex
        general

    cdef cppclass to_chars_result:
        char* ptr

    cdef cppclass from_chars_result:
        const char* ptr
        errc ec

    to_chars_result to_chars(char* first, char* last, double value)
    to_chars_result to_chars(char* first, char* last, float value)
    to_chars_result to_chars(char* first, char* last, int64_t value)
    to_chars_result to_chars(char* first, char* last, uint64_t value)
    to_chars_result to_chars(char* first, char* last, double value, chars_format format)
    to_chars_result to_chars(char* first, char* last, double value, chars_format format,
                             int precision)

cdef extern from "charconv.h" namespace "rrm" nogil:
    double plain_strtod(const char* text, char** stop)
    from_chars_result from_chars(const char* first, const char* last, double& value)

cdef extern from "<system_error>" namespace "std" nogil:
    cdef enum class errc:
        invalid_argument
        result_out_of_range
