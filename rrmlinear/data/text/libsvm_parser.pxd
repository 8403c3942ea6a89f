# The C++ of LIBSVM text: separators, and lines of the plain grammar.
from libc.stdint cimport int32_t, int64_t, uint16_t
from libcpp cimport bool as cbool


cdef extern from "libsvm_parser.h" namespace "rrm" nogil:
    const int PADDING

    cppclass Rules:
        int64_t before_first, offset, largest, features
        cbool open_base, strict
        double value_limit

    cppclass Line:
        double label
        int64_t query_id, last
        cbool has_query_id

    cppclass Separators:
        void start(const char* p, const char* end)

    cppclass Plain[V, I]:
        V* values
        I* indices
        int64_t index(int64_t k)
        cbool put(int64_t k, int64_t index, double value)

    cppclass Packed:
        int32_t* values
        uint16_t* indices
        size_t decimals
        int64_t index(int64_t k)
        cbool put(int64_t k, int64_t index, double value)

    const char* fast_line[Store](const char* p, const char* end, const Rules& rules,
                                 Separators& separators, const Store& store, int64_t& stored,
                                 Line& line)
    void count_marks(const char* p, const char* end, int64_t& lines, int64_t& colons)
    cbool is_blank(char c)
    cbool is_space(char c)
    cbool read_whole(const char* p, const char* end, int64_t& number, cbool& fits)
    const char* read_query_id(const char* p, const char* end, int64_t& number)
