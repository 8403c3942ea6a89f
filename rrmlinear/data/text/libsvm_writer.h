/* Rows as LIBSVM text: the shortest digits that read back as the same number. */
#ifndef RRM_LIBSVM_WRITER_H
#define RRM_LIBSVM_WRITER_H

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "rows.h"

namespace rrm {

constexpr int NUMBER_BYTES = 32; /* a sign and 17 digits, point and exponent; 20 digits */
constexpr int ENTRY_BYTES = 2 * NUMBER_BYTES + 2;

template <class T> static inline char *write_shortest(char *p, T number)
{
    return std::to_chars(p, p + NUMBER_BYTES, number).ptr;
}

static inline char *write_double(char *p, double value)
{
    if (value == 0 || std::fabs(value) >= std::numeric_limits<double>::min())
        return write_shortest(p, value);
    /* readers refuse what strtod calls out of range, which a subnormal is unless written exactly */
    if (value < 0)
        *p++ = '-';
    std::memcpy(p, "0x", 2);
    return std::to_chars(p + 2, p + NUMBER_BYTES, std::fabs(value), std::chars_format::hex).ptr;
}

/* Readers go through double: a float's own shortest digits can round twice (7.038531e-26). */
static inline char *write_float(char *p, float value)
{
    char *end = write_shortest(p, value);
    double read = 0;
    std::from_chars(p, end, read);
    return float(read) == value ? end : write_double(p, double(value));
}

static inline char *write_label(char *p, double label)
{
    bool whole = label == std::trunc(label) && std::fabs(label) < 1e15;
    return whole && label != 0 ? write_shortest(p, int64_t(label)) : write_double(p, label);
}

static inline int64_t text_bound(int64_t rows, int64_t stored)
{
    return rows * (2 * NUMBER_BYTES + 8) + stored * ENTRY_BYTES;
}

/* Rows begin … end − 1; zeros of sparse rows stay. The text's end. */
static inline char *write_rows(char *p, const rows_t *rows, int64_t begin, int64_t end,
                               const double *labels, const int64_t *query_ids)
{
    for (int64_t i = begin; i < end; ++i) {
        row_t row = rows_get(rows, i);
        p = write_label(p, labels[i]);
        if (query_ids) {
            std::memcpy(p, " qid:", 5);
            p = write_shortest(p + 5, query_ids[i]);
        }
        for (ptrdiff_t t = 0; t < row.length; ++t) {
            double value = row_value(&row, row.kind, t);
            if (row.kind & ROW_DENSE && value == 0)
                continue;
            *p++ = ' ';
            p = write_shortest(p, uint64_t(row_index(&row, row.kind, t)) + 1);
            *p++ = ':';
            p = row.kind & ROW_FLOAT32 ? write_float(p, float(value)) : write_double(p, value);
        }
        *p++ = '\n';
    }
    return p;
}

} // namespace rrm

#endif
