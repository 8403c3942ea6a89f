/* A matrix as text, one row a line, printf's "%.17g " for each number. */
#ifndef RRM_WEIGHTS_TEXT_H
#define RRM_WEIGHTS_TEXT_H

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace rrm {

constexpr int WEIGHT_BYTES = 25; /* "-2.2250738585072014e-308 " */

enum weights_fault {
    WEIGHTS_FINE,
    LINE_TOO_SHORT,
    LINE_TOO_LONG,
    NOT_A_NUMBER,
    NOT_FINITE,
    TOO_MANY_LINES,
};

struct weights_end {
    int64_t rows; /* read in full */
    int64_t column; /* numbers read of the row after them */
    const char *at; /* where the fault stands */
    weights_fault fault;
};

static inline char *write_weights(char *p, const double *w, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            p = std::to_chars(p, p + WEIGHT_BYTES, *w++, std::chars_format::general, 17).ptr;
            *p++ = ' ';
        }
        *p++ = '\n';
    }
    return p;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Lines from p to end, each with its newline, into w, which has room for max_rows rows. Lines of
 * blanks may follow the last row. */
static inline weights_end read_weights(const char *p, const char *end, double *w, int64_t max_rows,
                                       int64_t columns)
{
    int64_t row = 0;
    for (; p < end; ++p) {
        int64_t j = 0;
        for (;; ++j) {
            while (is_blank(*p))
                ++p;
            if (*p == '\n')
                break;
            if (row == max_rows)
                return {row, 0, p, TOO_MANY_LINES};
            if (j == columns)
                return {row, j, p, LINE_TOO_LONG};
            double number = 0;
            std::from_chars_result read = std::from_chars(p, end, number);
            if (read.ec == std::errc::invalid_argument || !(is_blank(*read.ptr) || *read.ptr == '\n'))
                return {row, j, p, NOT_A_NUMBER};
            if (read.ec != std::errc() || !std::isfinite(number))
                return {row, j, p, NOT_FINITE};
            *w++ = number;
            p = read.ptr;
        }
        if (row == max_rows)
            continue;
        if (j < columns)
            return {row, j, p, LINE_TOO_SHORT};
        ++row;
    }
    return {row, 0, p, WEIGHTS_FINE};
}

} // namespace rrm

#endif
