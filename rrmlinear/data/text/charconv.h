/* Numbers from characters, whatever the locale of the program is. */
#ifndef RRM_CHARCONV_H
#define RRM_CHARCONV_H

#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

namespace rrm {

#if defined(_WIN32)
static const _locale_t plain_locale = _create_locale(LC_ALL, "C");
#else
static const locale_t plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
#endif

/* strtod in the C locale. */
static inline double plain_strtod(const char *text, char **stop)
{
#if defined(_WIN32)
    return _strtod_l(text, stop, plain_locale);
#else
    return strtod_l(text, stop, plain_locale);
#endif
}

/* std::from_chars of a double, by strtod where the standard library has none: libc++ before 20 and macOS
 * before 26. meson.build tries it, and defines RRM_NO_FROM_CHARS there. */
#ifdef RRM_NO_FROM_CHARS
static inline bool may_stand_in_number(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
           || (c != '\0' && std::strchr("+-.()_", c)); /* as in nan(a_name) */
}

static inline std::from_chars_result from_chars(const char *first, const char *last, double &value)
{
    const char *stop = first;
    while (stop < last && may_stand_in_number(*stop))
        ++stop;
    if (stop == first || *first == '+')
        return {first, std::errc::invalid_argument};
    std::string text(first, stop); /* strtod wants a zero behind */
    size_t sign = *first == '-';
    if (text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] | 0x20) == 'x')
        text.resize(sign + 1); /* strtod would read a hexadecimal number */
    char *end;
    errno = 0;
    double read = plain_strtod(text.c_str(), &end);
    const char *at = first + (end - text.c_str());
    if (at == first)
        return {first, std::errc::invalid_argument};
    if (errno == ERANGE && (read == 0 || std::isinf(read))) /* not where it is subnormal */
        return {at, std::errc::result_out_of_range};
    value = read;
    return {at, std::errc()};
}
#else
static inline std::from_chars_result from_chars(const char *first, const char *last, double &value)
{
    return std::from_chars(first, last, value);
}
#endif

} // namespace rrm

#endif
