/* Blocks of LIBSVM text to CSR arrays; every line is read as LIBLINEAR reads it.
 *
 * fast_line takes the plain grammar `label[ qid:n][ index:value]*`. Any other line goes to exact_line,
 * which cuts it as LIBLINEAR's strtok, strtol and strtod calls do; it alone refuses lines. A block
 * ends with '\n' and has PADDING readable bytes behind it. */
#ifndef RRM_LIBSVM_PARSER_H
#define RRM_LIBSVM_PARSER_H

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <locale.h>
#include <string>
#include <type_traits>
#include <vector>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "libsvm_decimal.h"

namespace rrm {

constexpr int PADDING = 64;

enum Code {
    FINE, NEEDS_INT64, EMPTY_LINE, NUL_BYTE, BAD_LABEL, LABEL_NOT_FINITE, BAD_QUERY_ID,
    QUERY_ID_MISSING, QUERY_ID_UNEXPECTED, BAD_INDEX, INDEX_TOO_LARGE, INDEX_NOT_INCREASING,
    INDEX_BELOW_FIRST, INDEX_ABOVE_FEATURES, BAD_VALUE, VALUE_OUT_OF_RANGE, VALUE_NOT_FINITE
};

/* Indices as written: before_first < index ≤ largest; stored less `offset`. */
struct Rules {
    int64_t before_first, offset, largest;
    int64_t features; /* n_features as the caller gave it, for the last index when the base is open */
    bool open_base;   /* whether indices begin at 0 or at 1 is known only when all is read */
};

struct Fault {
    int code;
    int64_t line, column; /* from 0, within the block */
    const char *text;
    int64_t length, previous;
};

struct Block {
    int64_t rows = 0, stored = 0;
    int64_t largest = -1; /* index as written */
    bool has_zero = false;
    int query_mode = -1; /* −1: no example yet; 0: examples without a query id; 1: with */
    Fault first = {};    /* where the first example's query id stands, or should */
    Fault fault = {};
    Fault at_limit = {}; /* open base: where index n_features stands, wrong if they begin at 0 */
    std::vector<int64_t> query_ids;
};

template <class V, class I> struct Target {
    V *values;
    I *indices;
    double *labels;
    int64_t *row_ends;
    int64_t base; /* values stored before this block */
};

struct Line {
    double label;
    int64_t query_id;
    bool has_query_id;
    int64_t last; /* its largest index as written */
};

static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <class V> static inline bool overflows(double value)
{
    /* half a unit beyond the largest float rounds to infinity */
    return std::is_same<V, float>::value && std::fabs(value) >= 0x1.ffffffp127;
}

/* A whole number that fills [p, end): 0, BAD_INDEX (not a number) or INDEX_TOO_LARGE. */
static inline int read_whole(const char *p, const char *end, int64_t &number)
{
    while (p < end && is_space(*p))
        ++p;
    const char *first = p;
    if (p < end && *p == '+')
        ++first; /* from_chars knows '-' alone */
    if (first < end && first > p && *first == '-')
        return BAD_INDEX;
    auto [stop, error] = std::from_chars(first, end, number);
    if (error == std::errc::invalid_argument || stop != end)
        return BAD_INDEX;
    return error == std::errc::result_out_of_range ? INDEX_TOO_LARGE : FINE;
}

/* `qid:n` up to the next blank: its end, or NULL. */
static inline const char *read_query_id(const char *p, const char *end, int64_t &number)
{
    const char *stop = p;
    while (stop < end && !is_space(*stop))
        ++stop;
    if (stop - p < 5 || std::memcmp(p, "qid:", 4) != 0 || is_space(p[4])
        || read_whole(p + 4, stop, number) != FINE)
        return nullptr;
    return stop;
}

static inline locale_t plain_locale()
{
    static locale_t plain = newlocale(LC_ALL_MASK, "C", locale_t(0));
    return plain;
}

/* strtod of one token in the C locale: where it stopped, and errno. */
static inline size_t read_double(const std::string &token, double &value, int &error)
{
    char *stop;
    errno = 0;
    value = strtod_l(token.c_str(), &stop, plain_locale());
    error = errno;
    return size_t(stop - token.c_str());
}

template <class V, class I>
static inline const char *fast_line(const char *p, const char *end, const Rules &rules,
                                    V *values, I *indices, int64_t &stored, Line &line)
{
    int64_t k = stored, previous = rules.before_first;
    p = read_decimal(p, end, line.label);
    if (!p)
        return nullptr;
    line.has_query_id = false;
    for (;;) {
        p += *p == ' ';
        uint64_t chunk = load_digits(p);
        unsigned digits = count_digits(chunk);
        int64_t index;
        if (__builtin_expect(digits - 1 < 7, 1)) {
            index = int64_t(join_digits(chunk, digits));
            p += digits;
        } else if (digits == 8) {
            const char *first = p;
            uint64_t number = 0;
            p = append_digits(p, number);
            if (p - first >= MAX_WHOLE_DIGITS)
                return nullptr;
            index = int64_t(number);
        } else if (*p == '\n') {
            ++p;
            break;
        } else if (is_blank(*p)) {
            ++p;
            continue;
        } else if (*p == '\r' && p[1] == '\n') {
            p += 2;
            break;
        } else if (*p == '#' && is_blank(p[-1])) {
            p = static_cast<const char *>(std::memchr(p, '\n', size_t(end - p))) + 1;
            break;
        } else if (*p == 'q' && is_blank(p[-1]) && k == stored && !line.has_query_id) {
            p = read_query_id(p, end, line.query_id);
            if (!p)
                return nullptr;
            line.has_query_id = true;
            continue;
        } else {
            return nullptr;
        }
        if (*p != ':' || index <= previous || index > rules.largest)
            return nullptr;
        double value;
        p = read_decimal(p + 1, end, value);
        if (!p || overflows<V>(value))
            return nullptr;
        values[k] = V(value);
        indices[k++] = I(index - rules.offset);
        previous = index;
    }
    stored = k;
    line.last = previous;
    return p;
}

enum Outcome { EXAMPLE, COMMENT, REFUSED };

/* One line [begin, end), its '\n' at end. LIBLINEAR: label = strtok(" \t\n"), then pairs
 * strtok(":"), strtok(" \t") until there is no second of a pair. */
template <class V, class I>
static Outcome exact_line(const char *begin, const char *end, const Rules &rules, V *values,
                          I *indices, int64_t &stored, Line &line, Fault &fault)
{
    auto refuse = [&](int code, const char *text, const char *stop, int64_t previous = 0) {
        fault.code = code;
        fault.column = text - begin;
        fault.text = text;
        fault.length = stop - text;
        fault.previous = previous;
        return REFUSED;
    };
    bool comment = false;
    for (const char *p = begin; p < end; ++p)
        if (*p == '#' && (p == begin || is_blank(p[-1]))) {
            comment = true;
            end = p;
        }
    if (const void *nul = std::memchr(begin, 0, size_t(end - begin)))
        return refuse(NUL_BYTE, static_cast<const char *>(nul), static_cast<const char *>(nul) + 1);
    auto skip_blanks = [end](const char *p) {
        while (p < end && is_blank(*p))
            ++p;
        return p;
    };
    auto find_blank = [end](const char *p) {
        while (p < end && !is_blank(*p))
            ++p;
        return p;
    };

    const char *p = skip_blanks(begin), *stop = find_blank(p);
    const char *label_end = stop > p && stop == end && stop[-1] == '\r' ? stop - 1 : stop;
    if (p == label_end) {
        if (comment)
            return COMMENT;
        return refuse(EMPTY_LINE, begin, label_end);
    }
    int error;
    std::string token(p, label_end);
    if (read_double(token, line.label, error) != token.size())
        return refuse(BAD_LABEL, p, label_end);
    if (!std::isfinite(line.label))
        return refuse(LABEL_NOT_FINITE, p, label_end);
    p = stop < end ? stop + 1 : end;

    line.has_query_id = false;
    const char *query = skip_blanks(p);
    if (end - query >= 4 && std::memcmp(query, "qid:", 4) == 0) {
        stop = read_query_id(query, end, line.query_id);
        if (!stop)
            return refuse(BAD_QUERY_ID, query, find_blank(query));
        line.has_query_id = true;
        p = stop < end ? stop + 1 : end;
    }

    int64_t k = stored, previous = rules.before_first;
    for (;;) {
        while (p < end && *p == ':')
            ++p;
        const char *colon = static_cast<const char *>(std::memchr(p, ':', size_t(end - p)));
        if (!colon)
            break;
        const char *index_text = skip_blanks(p), *value_text = skip_blanks(colon + 1);
        stop = find_blank(value_text);
        int64_t index;
        int code = read_whole(p, colon, index);
        if (code != FINE)
            return refuse(code, index_text, colon);
        if (index <= previous) {
            code = index <= rules.before_first ? INDEX_BELOW_FIRST : INDEX_NOT_INCREASING;
            return refuse(code, index_text, colon, previous);
        }
        if (index > rules.largest) {
            code = index > rules.features ? INDEX_ABOVE_FEATURES : NEEDS_INT64;
            return refuse(code, index_text, colon);
        }
        double value;
        token.assign(value_text, stop);
        size_t used = read_double(token, value, error);
        if (used == 0 || (used < token.size() && !is_space(token[used])))
            return refuse(BAD_VALUE, value_text, stop);
        if (!std::isfinite(value) && error == 0)
            return refuse(VALUE_NOT_FINITE, value_text, stop);
        if (error != 0 || overflows<V>(value))
            return refuse(VALUE_OUT_OF_RANGE, value_text, stop);
        values[k] = V(value);
        indices[k++] = I(index - rules.offset);
        previous = index;
        p = stop < end ? stop + 1 : end;
    }
    stored = k;
    line.last = previous;
    return EXAMPLE;
}

/* An open base: index n_features fits if indices begin at 1, and not if they begin at 0. */
template <class V, class I>
static void note_limit(const char *begin, const char *end, const Rules &rules, V *values,
                       I *indices, int64_t stored, int64_t number, Block &block)
{
    Rules from_zero = rules;
    from_zero.largest = from_zero.features = rules.features - 1;
    Line line;
    exact_line(begin, end, from_zero, values, indices, stored, line, block.at_limit);
    block.at_limit.line = number;
}

template <class V, class I>
static void parse_block(const char *p, const char *end, const Rules &rules, Target<V, I> target,
                        Block &block)
{
    block = Block();
    int64_t stored = 0;
    for (int64_t number = 0; p < end; ++number) {
        const char *begin = p;
        int64_t row_begin = stored;
        Line line;
        p = fast_line(begin, end, rules, target.values, target.indices, stored, line);
        if (!p) {
            p = static_cast<const char *>(std::memchr(begin, '\n', size_t(end - begin)));
            Outcome outcome = exact_line(begin, p++, rules, target.values, target.indices, stored,
                                         line, block.fault);
            if (outcome == REFUSED) {
                block.fault.line = number;
                return;
            }
            if (outcome == COMMENT)
                continue;
        }
        if (block.query_mode < 0) {
            block.query_mode = line.has_query_id;
            block.first = {line.has_query_id ? QUERY_ID_UNEXPECTED : QUERY_ID_MISSING, number, 0,
                           begin, p - 1 - begin, 0};
        } else if (block.query_mode != line.has_query_id) {
            block.fault = {line.has_query_id ? QUERY_ID_UNEXPECTED : QUERY_ID_MISSING, number, 0,
                           begin, p - 1 - begin, 0};
            return;
        }
        if (line.has_query_id)
            block.query_ids.push_back(line.query_id);
        if (stored > row_begin) {
            if (line.last > block.largest)
                block.largest = line.last;
            block.has_zero |= int64_t(target.indices[row_begin]) + rules.offset == 0;
            if (rules.open_base && line.last == rules.features && block.at_limit.code == FINE)
                note_limit(begin, p - 1, rules, target.values, target.indices, row_begin, number,
                           block);
        }
        target.labels[block.rows] = line.label;
        target.row_ends[block.rows++] = target.base + stored;
        block.stored = stored;
    }
}

/* How many '\n' and ':' there are: bounds on a block's lines and stored values. */
static void count_marks(const char *p, const char *end, int64_t &lines, int64_t &colons)
{
    constexpr int WIDTH = 64, ROUNDS = 255;
    lines = colons = 0;
    while (end - p >= WIDTH) {
        unsigned char line_sums[WIDTH] = {0}, colon_sums[WIDTH] = {0};
        ptrdiff_t rounds = (end - p) / WIDTH;
        if (rounds > ROUNDS)
            rounds = ROUNDS;
        for (ptrdiff_t round = 0; round < rounds; ++round, p += WIDTH)
            for (int t = 0; t < WIDTH; ++t) {
                line_sums[t] = (unsigned char)(line_sums[t] + (p[t] == '\n'));
                colon_sums[t] = (unsigned char)(colon_sums[t] + (p[t] == ':'));
            }
        for (int t = 0; t < WIDTH; ++t) {
            lines += line_sums[t];
            colons += colon_sums[t];
        }
    }
    for (; p < end; ++p) {
        lines += *p == '\n';
        colons += *p == ':';
    }
}

} // namespace rrm

#endif
