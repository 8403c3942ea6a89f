/* The characters of LIBSVM text that are no digits, found 64 at a time: what stands between numbers. */
#ifndef RRM_LIBSVM_SEPARATORS_H
#define RRM_LIBSVM_SEPARATORS_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "libsvm_decimal.h"
#include "rows.h"

namespace rrm {

constexpr int PADDING = 64; /* bytes to be readable behind a text */

/* Bit t is set where p[t] is no digit, t = 0 … 63. */
static inline uint64_t mark_separators(const char *p)
{
    uint64_t digits = 0;
#if defined(__SSE2__)
    const __m128i shift = _mm_set1_epi8(127 - '9'), below = _mm_set1_epi8(127 - 10);
    for (int t = 0; t < 64; t += 16) {
        __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + t));
        __m128i digit = _mm_cmpgt_epi8(_mm_add_epi8(text, shift), below); /* sums wrap around */
        digits |= uint64_t(unsigned(_mm_movemask_epi8(digit))) << t;
    }
#else
    for (int t = 0; t < 64; t += 8) { /* a high bit for each digit, then the eight side by side */
        uint64_t chunk = load_digits(p + t), low = chunk & 0x7f7f7f7f7f7f7f7fu;
        uint64_t digit = ~((low + 0x7676767676767676u) | chunk) & 0x8080808080808080u;
        digits |= ((digit >> 7) * 0x0102040810204080u >> 56) << t;
    }
#endif
    return ~digits;
}

/* Pointers to the separators in [p, until), a multiple of 64 characters, appended to `found`. */
RRM_CLONES static const char **list_separators(const char *p, const char *until, const char **found)
{
    for (; p < until; p += 64) {
        uint64_t marks = mark_separators(p);
        int count = __builtin_popcountll(marks);
        for (int k = 0; k < count; k += 8)
            for (int t = 0; t < 8; ++t, marks &= marks - 1) /* some too many, written over later */
                found[k + t] = p + __builtin_ctzll(marks | uint64_t(1) << 63);
        found += count;
    }
    return found;
}

/* The separators of a text in order, in a window that moves along. */
class Separators {
public:
    const char *const *next = nullptr; /* where reading goes on */

    void start(const char *p, const char *end)
    {
        scanned_ = p;
        end_ = end;
        last_ = found_;
        next = fill(found_);
    }

    /* `mark`, or where the same separator stands now; AHEAD of them from there can be read. */
    const char *const *ensure(const char *const *mark)
    {
        return __builtin_expect(last_ - mark < AHEAD, 0) ? fill(mark) : mark;
    }

    /* The separators from p on. */
    const char *const *seek(const char *const *mark, const char *p)
    {
        while (*(mark = ensure(mark)) < p)
            ++mark;
        return mark;
    }

private:
    enum { AHEAD = 6, WINDOW = 4096 };

    const char *const *fill(const char *const *mark)
    {
        ptrdiff_t kept = last_ - mark;
        std::memmove(found_, mark, size_t(kept) * sizeof *found_);
        last_ = found_ + kept;
        do { /* more than once where a number has thousands of digits */
            ptrdiff_t left = (end_ - scanned_ + 63) / 64 * 64;
            const char *until = scanned_ + (left < WINDOW ? left : WINDOW);
            last_ = list_separators(scanned_, until, last_);
            scanned_ = until;
        } while (scanned_ < end_ && last_ - found_ < AHEAD);
        if (scanned_ >= end_)
            for (int t = 0; t < AHEAD; ++t)
                *last_++ = end_;
        return found_;
    }

    const char *scanned_, *end_, **last_;
    const char *found_[AHEAD + WINDOW + AHEAD + 8];
};

/* How many '\n' and ':' there are: bounds on a block's lines and stored values. */
RRM_CLONES static void count_marks(const char *p, const char *end, int64_t &lines, int64_t &colons)
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
