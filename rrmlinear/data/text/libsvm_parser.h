/* One line of LIBSVM text of the plain grammar `label[ qid:n][ index:value]*`.
 *
 * It is read from separator to separator: where a number ends is known before it is read, so the
 * processor reads several numbers at once. Lines of short pairs are read by characters, whose ends
 * the processor guesses well. */
#ifndef RRM_LIBSVM_PARSER_H
#define RRM_LIBSVM_PARSER_H

#include "libsvm_separators.h"

namespace rrm {

/* Indices as written: before_first < index ≤ largest; stored less `offset`. */
struct Rules {
    int64_t before_first, offset, largest;
    int64_t features;   /* n_features as the caller gave it, for the last index when the base is open */
    bool open_base;     /* whether indices begin at 0 or at 1 is known only when all is read */
    bool strict;        /* refuse what LIBLINEAR passes over */
    double value_limit; /* from which on values do not fit their type */
};

struct Line {
    double label;
    int64_t query_id;
    bool has_query_id;
    int64_t last; /* its largest index as written */
    bool is_terse = true, is_plain = true; /* few bytes a pair; no line yet that `short_pairs` leaves */
};

constexpr ptrdiff_t TERSE = 12; /* bytes a pair below which a loop over characters is quicker */

static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* A whole number that fills [p, end), as strtol takes it; `fits` 64 bits or not. */
static inline bool read_whole(const char *p, const char *end, int64_t &number, bool &fits)
{
    while (p < end && is_space(*p))
        ++p;
    const char *first = p;
    if (p < end && *p == '+')
        ++first; /* from_chars knows '-' alone */
    if (first < end && first > p && *first == '-')
        return false;
    auto [stop, error] = std::from_chars(first, end, number);
    fits = error != std::errc::result_out_of_range;
    return error != std::errc::invalid_argument && stop == end;
}

/* `qid:n` up to the next blank: its end, or NULL. */
static inline const char *read_query_id(const char *p, const char *end, int64_t &number)
{
    const char *stop = p;
    bool fits = false;
    while (stop < end && !is_space(*stop))
        ++stop;
    bool whole = stop - p > 4 && std::memcmp(p, "qid:", 4) == 0
                 && read_whole(p + 4, stop, number, fits);
    return whole && fits ? stop : nullptr;
}

/* Arrays of values of type V and indices of type I. */
template <class V, class I> struct Plain {
    V *values;
    I *indices;

    int64_t index(int64_t k) const { return int64_t(indices[k]); }

    bool put(int64_t k, int64_t index, double value) const
    {
        values[k] = V(value);
        indices[k] = I(index);
        return true;
    }

    /* mantissa / 10^scale, below 10^7, scale ≤ 8 */
    bool put_decimal(int64_t k, int64_t index, bool negative, uint64_t mantissa, size_t scale) const
    {
        return put(k, index, double(int64_t(mantissa)) / SIGNED_POWERS[negative][scale]);
    }
};

/* Packed arrays (rows.h). A value that they cannot hold, exactly as strtod reads it, is not put. */
struct Packed {
    int32_t *values;
    uint16_t *indices;
    size_t decimals;

    int64_t index(int64_t k) const { return indices[k]; }

    bool put(int64_t k, int64_t index, double value) const
    {
        double power = EXACT_POWERS[decimals], whole = std::nearbyint(value * power);
        if (!(std::fabs(whole) <= INT32_MAX && whole / power == value))
            return false;
        values[k] = int32_t(whole);
        indices[k] = uint16_t(index);
        return true;
    }

    bool put_decimal(int64_t k, int64_t index, bool negative, uint64_t mantissa, size_t scale) const
    {
        if (scale > decimals)
            return put(k, index, double(int64_t(mantissa)) / SIGNED_POWERS[negative][scale]);
        int64_t whole = int64_t(mantissa * WHOLE_POWERS[decimals - scale]);
        values[k] = int32_t(negative ? -whole : whole);
        indices[k] = uint16_t(index);
        return whole <= INT32_MAX;
    }
};

/* A run of digits at p: its end, where `number` goes on with them. */
static inline const char *read_digits(const char *p, uint64_t &number)
{
    for (unsigned digit; (digit = unsigned(*p) - '0') < 10; ++p)
        number = number * 10 + digit;
    return p;
}

/* The pairs from p to the line's end, each after one blank and with numbers of few digits: the end, or
 * NULL for any other grammar. */
template <class Store>
static inline const char *short_pairs(const char *p, const Rules &rules, const Store &store,
                                      int64_t &stored, Line &line)
{
    int64_t k = stored, previous = rules.before_first;
    bool fits = true;
    while (*p == ' ') {
        const char *start = ++p;
        if (*p == '\n' || *p == '\r')
            break;
        uint64_t index = 0, mantissa = 0;
        p = read_digits(p, index);
        if (size_t(p - start) - 1 >= 8 || *p != ':' || int64_t(index) <= previous)
            return nullptr;
        bool negative = *++p == '-';
        p += negative;
        start = p;
        p = read_digits(p, mantissa);
        size_t scale = 0;
        if (size_t(p - start) - 1 >= 7)
            return nullptr;
        if (*p == '.') {
            start = ++p;
            p = read_digits(p, mantissa);
            scale = size_t(p - start);
            if (scale > 8)
                return nullptr;
        }
        previous = int64_t(index);
        fits &= store.put_decimal(k++, previous - rules.offset, negative, mantissa, scale);
    }
    p += *p == '\r';
    if (*p != '\n' || previous > rules.largest || !fits)
        return nullptr;
    stored = k;
    line.last = previous;
    return p;
}

/* The line at p, where `separators` starts: the begin of the next, or NULL for any other grammar, for
 * lines to refuse and for values that the store cannot hold. `separators` then has to start anew. */
template <class Store>
static inline const char *fast_line(const char *p, const char *end, const Rules &rules,
                                    Separators &separators, const Store &store, int64_t &stored,
                                    Line &line)
{
    int64_t k = stored, previous = rules.before_first;
    bool fits = true;
    p = read_decimal(p, end, line.label);
    if (!p)
        return nullptr;
    line.has_query_id = false;
    const char *begin = p;
    if (line.is_terse && line.is_plain) {
        const char *after = short_pairs(p, rules, store, stored, line);
        line.is_plain = after;
        line.is_terse = after && after - begin < TERSE * (stored - k);
        if (after)
            return after + 1;
    }
    const char *const *next = separators.seek(separators.next, p);
    for (;;) {
        next = separators.ensure(next);
        const char *colon = next[1];
        size_t digits = size_t(colon - *next - 1);
        int64_t index;
        if (__builtin_expect(**next == ' ' && digits - 1 < 8, 1)) {
            index = int64_t(join_digits(load_digits(*next + 1), digits));
        } else if (**next == '\n') {
            break;
        } else if (**next == '\r' && digits == 0 && *colon == '\n') {
            ++next;
            continue;
        } else if (!is_blank(**next) || digits >= MAX_WHOLE_DIGITS) {
            return nullptr;
        } else if (digits > 0) {
            uint64_t number = 0;
            append_digits(*next + 1, number);
            index = int64_t(number);
        } else if (*colon == '#') {
            while (**next != '\n') {
                if (**next == '\r' && (*next)[1] != '\n')
                    return nullptr;
                next = separators.ensure(next + 1);
            }
            continue;
        } else if (*colon == 'q' && k == stored && !line.has_query_id) {
            p = read_query_id(colon, end, line.query_id);
            if (!p)
                return nullptr;
            line.has_query_id = true;
            next = separators.seek(next, p);
            continue;
        } else {
            ++next;
            continue;
        }
        if (*colon != ':' || index <= previous)
            return nullptr;
        next += 2;
        p = colon + 1;
        bool negative = *p == '-'; /* a branch: without one, each number waits for the one before */
        if (negative)
            p = *next++ + 1;
        const char *stop = *next;
        size_t whole = size_t(stop - p), scale = 0;
        uint64_t mantissa = uint64_t(*p - '0');
        if (whole - 2 < 6)
            mantissa = join_digits(load_digits(p), whole);
        if (*stop == '.') {
            uint64_t chunk = load_digits(stop + 1);
            scale = size_t(next[1] - stop - 1);
            stop = *++next;
            if (scale - 1 < 8)
                mantissa = mantissa * WHOLE_POWERS[scale] + join_digits(chunk, scale);
        }
        if (__builtin_expect(whole - 1 < 7 && scale <= 8 && (*stop | 0x20) != 'e', 1)) {
            fits &= store.put_decimal(k++, index - rules.offset, negative, mantissa, scale);
        } else {
            double value;
            p = read_decimal(colon + 1, end, value);
            if (!p || std::fabs(value) >= rules.value_limit)
                return nullptr;
            next = separators.seek(next, p);
            fits &= store.put(k++, index - rules.offset, value);
        }
        previous = index;
    }
    if (previous > rules.largest || !fits)
        return nullptr;
    line.is_terse = *next - begin < TERSE * (k - stored);
    stored = k;
    line.last = previous;
    separators.next = next + 1;
    return *next + 1;
}

} // namespace rrm

#endif
