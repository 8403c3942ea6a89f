/* Decimal numbers of LIBSVM text, eight characters at a time; every value is strtod's, bit for bit.
 *
 * A mantissa up to 2^53 divided by a power of ten up to 10^22 is correctly rounded (Clinger, How to
 * read floating point numbers accurately, 1990); from_chars reads all other numbers. Loads reach
 * up to 7 bytes beyond a number, so that much memory behind the text must be readable. */
#ifndef RRM_LIBSVM_DECIMAL_H
#define RRM_LIBSVM_DECIMAL_H

#include <stddef.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "charconv.h"

namespace rrm {

constexpr double EXACT_POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr double SIGNED_POWERS[2][9] = {{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8},
                                        {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8}};
constexpr uint64_t WHOLE_POWERS[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};
constexpr int MAX_EXACT_POWER = 22;
constexpr uint64_t MAX_EXACT_MANTISSA = uint64_t(1) << 53;
constexpr int MAX_WHOLE_DIGITS = 19; /* what 64 bits hold */

/* Eight characters, '0' … '9' as 0 … 9, the first in the lowest byte. */
static inline uint64_t load_digits(const char *p)
{
    uint64_t chunk;
    std::memcpy(&chunk, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    chunk = __builtin_bswap64(chunk);
#endif
    return chunk ^ 0x3030303030303030u;
}

/* How many of the eight, from the first on, are digits. A carry out of a byte that is no digit
 * reaches later characters only. */
static inline unsigned count_digits(uint64_t chunk)
{
    uint64_t other = ((chunk + 0x7676767676767676u) | chunk) & 0x8080808080808080u;
    return other ? unsigned(__builtin_ctzll(other)) / 8 : 8;
}

/* The number that all eight digits write. */
static inline uint64_t join_digits(uint64_t chunk)
{
    chunk = chunk * 10 + (chunk >> 8);
    return (((chunk & 0x000000FF000000FFu) * 0x000F424000000064u)
            + (((chunk >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >> 32;
}

/* The number that the first `digits` write, 1 to 8 of them. */
static inline uint64_t join_digits(uint64_t chunk, size_t digits)
{
    return join_digits(chunk << (64 - 8 * digits));
}

static inline const char *append_digits(const char *p, uint64_t &number)
{
    for (;;) {
        uint64_t chunk = load_digits(p);
        unsigned digits = count_digits(chunk);
        if (digits == 0)
            return p;
        number = number * WHOLE_POWERS[digits] + join_digits(chunk, digits);
        if (digits < 8)
            return p + digits;
        p += 8;
    }
}

/* [+-]digits[.digits][e[+-]digits] at p: the end of the number, or NULL where it is anything else or
 * out of the range of normal doubles. */
static const char *read_decimal(const char *p, const char *end, double &value)
{
    bool negative = *p == '-';
    p += int(negative) | int(*p == '+');
    const char *start = p;
    uint64_t mantissa = 0;
    p = append_digits(p, mantissa);
    ptrdiff_t digits = p - start, exponent = 0;
    if (*p == '.') {
        const char *point = ++p;
        p = append_digits(p, mantissa);
        exponent = point - p;
        digits += p - point;
    }
    if (digits == 0)
        return nullptr;
    if ((*p | 0x20) == 'e') {
        bool down = *++p == '-';
        p += down || *p == '+';
        uint64_t power = 0;
        const char *first = p;
        p = append_digits(p, power);
        if (p == first || p - first > 8)
            return nullptr;
        exponent += down ? -ptrdiff_t(power) : ptrdiff_t(power);
    }
    double result;
    if (digits <= MAX_WHOLE_DIGITS && mantissa <= MAX_EXACT_MANTISSA && exponent >= -MAX_EXACT_POWER
        && exponent <= MAX_EXACT_POWER) {
        result = double(int64_t(mantissa));
        result = exponent < 0 ? result / EXACT_POWERS[-exponent] : result * EXACT_POWERS[exponent];
    } else {
        auto [stop, error] = from_chars(start, end, result);
        if (error != std::errc() || stop != p || (result != 0 && result <= DBL_MIN))
            return nullptr;
    }
    value = negative ? -result : result;
    return p;
}

} // namespace rrm

#endif
