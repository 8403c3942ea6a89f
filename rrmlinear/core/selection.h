/* The k-th smallest of n numbers in O(n) whatever the input, by halving around a pivot. */
#ifndef RRM_SELECTION_H
#define RRM_SELECTION_H

#include <stddef.h>

static inline double median_of_three(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

static inline void sort_few(double *a, ptrdiff_t n)
{
    for (ptrdiff_t i = 1; i < n; i++) {
        double x = a[i];
        ptrdiff_t j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

/* Reorders `a` and returns its element of rank `rank` (0 … n−1).
 *
 * The pivot is a median of three while that works; once it has failed to take off a quarter of the
 * range, medians of five (Blum et al. 1973) guarantee it, so the worst case is linear. Elements
 * equal to the pivot are set apart: ties shorten the search. */
static double select_rank(double *a, ptrdiff_t n, ptrdiff_t rank)
{
    int guaranteed = 0;
    while (n > 16) {
        double pivot;
        if (guaranteed) {
            ptrdiff_t groups = n / 5;
            for (ptrdiff_t g = 0; g < groups; g++) {
                double kept;
                sort_few(a + 5 * g, 5);
                kept = a[g];
                a[g] = a[5 * g + 2];
                a[5 * g + 2] = kept;
            }
            pivot = select_rank(a, groups, groups / 2);
        } else {
            pivot = median_of_three(a[n / 4], a[n / 2], a[3 * (n / 4)]);
        }
        ptrdiff_t below = 0, above = n;
        for (ptrdiff_t i = 0; i < above;) { /* a[:below] < pivot = a[below:i], a[above:] > pivot */
            double x = a[i];
            if (x < pivot) {
                a[i++] = a[below];
                a[below++] = x;
            } else if (x > pivot) {
                a[i] = a[--above];
                a[above] = x;
            } else {
                i++;
            }
        }
        if (rank >= below && rank < above)
            return pivot;
        ptrdiff_t left = rank < below ? below : n - above;
        guaranteed = left > n - n / 4;
        if (rank >= above) {
            a += above;
            rank -= above;
        }
        n = left;
    }
    sort_few(a, n);
    return a[rank];
}

#endif
