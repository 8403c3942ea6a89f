# distutils: language = c++
"""One line of LIBSVM text of any kind, as LIBLINEAR's strtok, strtol and strtod calls read it."""

from libc cimport errno
from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t
from libc.string cimport memchr, strncmp
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from rrmlinear.data.text.charconv cimport plain_strtod
from rrmlinear.data.text.libsvm_parser cimport (
    Line,
    Rules,
    is_blank,
    is_space,
    read_query_id,
    read_whole,
)


cdef const char* skip_blanks(const char* p, const char* end) noexcept nogil:
    while p < end and is_blank(p[0]):
        p += 1
    return p


cdef const char* find_blank(const char* p, const char* end) noexcept nogil:
    while p < end and not is_blank(p[0]):
        p += 1
    return p


cdef const char* find(const char* p, const char* end, char wanted) noexcept nogil:
    """NULL: it is not there."""
    return <const char*> memchr(p, wanted, end - p) if p < end else NULL


cdef size_t read_double(const string& token, double* value, int* error) noexcept nogil:
    """strtod of one token in the C locale: how many characters it took, and errno."""
    cdef char* stop
    errno.errno = 0
    value[0] = plain_strtod(token.c_str(), &stop)
    error[0] = errno.errno
    return stop - token.c_str()


cdef Outcome refuse(Fault* fault, Code code, const char* begin, const char* text, const char* stop,
                    int64_t previous=0) noexcept nogil:
    fault.code, fault.column = code, text - begin
    fault.text, fault.length, fault.previous = text, stop - text, previous
    return REFUSED


cdef bint may_pass(const Rules* rules, Fault* fault, Code code, const char* begin,
                   const char* text, const char* stop) noexcept nogil:
    """Whether the line may have this text, which is passed over; ``fault`` tells the first."""
    if fault.code == FINE:
        refuse(fault, code, begin, text, stop)
    return not rules.strict


cdef Outcome exact_line(const char* begin, const char* end, const Rules* rules, Line* line,
                        vector[double]* values, vector[int64_t]* indices,
                        Fault* fault) noexcept nogil:
    """One line [begin, end), its newline at ``end``.

    LIBLINEAR: label = strtok(" \\t\\n"), then pairs strtok(":"), strtok(" \\t") until there is no
    second of a pair. With a line that is not refused, ``fault`` tells what is passed over first.
    """
    cdef const char* p
    cdef const char* stop
    cdef const char* colon
    cdef const char* text
    cdef string token
    cdef int error
    cdef cbool fits = True, comment = False
    cdef int64_t index = 0, previous = rules.before_first
    cdef double value
    cdef size_t used
    values.clear()
    indices.clear()
    fault.code = FINE
    if end > begin and (end - 1)[0] == b"\r":
        end -= 1
    p = find(begin, end, b"\r")
    if p != NULL and not may_pass(rules, fault, LONE_CR, begin, p, p + 1):
        return REFUSED
    p = begin
    while p < end:
        if p[0] == b"#" and (p == begin or is_blank((p - 1)[0])):
            end, comment = p, True
        p += 1
    p = find(begin, end, 0)
    if p != NULL:
        return refuse(fault, NUL_BYTE, begin, p, p + 1)

    p = skip_blanks(begin, end)
    stop = find_blank(p, end)
    if p == stop:
        return COMMENT if comment else refuse(fault, EMPTY_LINE, begin, begin, stop)
    token.assign(p, stop - p)
    if read_double(token, &line.label, &error) != token.size():
        return refuse(fault, BAD_LABEL, begin, p, stop)
    if not isfinite(line.label):
        return refuse(fault, LABEL_NOT_FINITE, begin, p, stop)
    p = stop + (stop < end)
    line.has_query_id = False
    text = skip_blanks(p, end)
    if end - text >= 4 and strncmp(text, "qid:", 4) == 0:
        stop = read_query_id(text, end, line.query_id)
        if stop == NULL:
            return refuse(fault, BAD_QUERY_ID, begin, text, find_blank(text, end))
        line.has_query_id = True
        p = stop + (stop < end)

    while True:
        while p < end and p[0] == b":":
            p += 1
        colon = find(p, end, b":")
        text = skip_blanks(p, end)
        if colon == NULL:
            if text < end and not may_pass(rules, fault, LEFT_OUT, begin, text, end):
                return REFUSED
            line.last = previous
            return EXAMPLE
        if not read_whole(p, colon, index, fits):
            return refuse(fault, BAD_INDEX, begin, text, colon)
        if not fits:
            return refuse(fault, INDEX_TOO_LARGE, begin, text, colon)
        if index <= rules.before_first:
            return refuse(fault, INDEX_BELOW_FIRST, begin, text, colon)
        if index <= previous:
            return refuse(fault, INDEX_NOT_INCREASING, begin, text, colon, previous)
        if index > rules.features:
            return refuse(fault, INDEX_ABOVE_FEATURES, begin, text, colon)
        if index > rules.largest:
            return refuse(fault, NEEDS_WIDER, begin, text, colon)
        text = skip_blanks(colon + 1, end)
        stop = find_blank(text, end)
        token.assign(text, stop - text)
        used = read_double(token, &value, &error)
        if used == 0 or (used < token.size() and not is_space(text[used])):
            return refuse(fault, BAD_VALUE, begin, text, stop)
        if not isfinite(value) and error == 0:
            return refuse(fault, VALUE_NOT_FINITE, begin, text, stop)
        if error != 0 or fabs(value) >= rules.value_limit:
            return refuse(fault, VALUE_OUT_OF_RANGE, begin, text, stop)
        text += used
        while text < stop and is_space(text[0]):
            text += 1
        if text < stop and not may_pass(rules, fault, LEFT_OUT, begin, text, stop):
            return REFUSED
        values.push_back(value)
        indices.push_back(index)
        previous = index
        p = stop + (stop < end)
