/* The k-th smallest of many numbers by the digits of their bits: six sweeps at most. */
#ifndef RRM_DIGIT_SELECTION_H
#define RRM_DIGIT_SELECTION_H

#include <stdint.h>
#include <string.h>
#include "selection.h"

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    DIGIT_COUNTERS = 4,      /* so that equal digits in a row do not wait for each other */
    DIGITS_PAY_FROM = 4096   /* counting costs as much as this many numbers */
};

/* An integer in the order of the numbers, NaN left out. */
static inline uint64_t digit_key(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | (uint64_t)1 << 63);
}

/* Reorders `a` and returns its element of rank `rank` (0 … n−1).
 *
 * A sweep counts the numbers by the topmost digit in which they differ and keeps those of the digit
 * that holds the rank; 64 bits have six digits, so that no input takes more than six sweeps over n
 * numbers. Few numbers are left to comparisons, whose worst case is linear, too. */
static double select_rank_by_digits(double *a, ptrdiff_t n, ptrdiff_t rank)
{
    while (n > DIGITS_PAY_FROM) {
        uint64_t least = ~(uint64_t)0, most = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            uint64_t key = digit_key(a[i]);
            least = key < least ? key : least;
            most = key > most ? key : most;
        }
        if (least == most)
            return a[0];
        int top = 63 - __builtin_clzll(least ^ most); /* the highest bit in which any two differ */
        int shift = top >= DIGIT_BITS ? top - DIGIT_BITS + 1 : 0;
        uint32_t counts[DIGIT_COUNTERS][DIGITS];
        memset(counts, 0, sizeof counts);
        for (ptrdiff_t i = 0; i < n; i++)
            counts[i % DIGIT_COUNTERS][digit_key(a[i]) >> shift & (DIGITS - 1)]++;
        ptrdiff_t digit = 0;
        for (;; digit++) {
            ptrdiff_t count = 0;
            for (int c = 0; c < DIGIT_COUNTERS; c++)
                count += counts[c][digit];
            if (rank < count)
                break;
            rank -= count;
        }
        ptrdiff_t kept = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            double x = a[i];
            a[kept] = x;
            kept += (ptrdiff_t)(digit_key(x) >> shift & (DIGITS - 1)) == digit;
        }
        n = kept;
    }
    return select_rank(a, n, rank);
}

#endif
