/* Steps of pairs of duals β, over all examples. F_i is the derivative of the dual by β_i without the
 * term of |β_i|; `up` is what a rise of β_i adds to it, −∞ at a bound, `down` likewise for a fall, +∞
 * at a bound. K is the Gram matrix, of which rows are given.
 *
 * The best example is found in pieces: the best value of each by vectors, then the first place in the
 * best piece that has it. Both loops round alike. */
#ifndef RRM_PAIRS_H
#define RRM_PAIRS_H

#include <math.h>
#include "rows.h"

enum { PAIRS_PIECE = 256 };

/* The gain of a pair is diff² over its curvature, which is at least this fraction of K_ii + K_jj. */
#define PAIRS_FLAT 1e-14

RRM_INLINE double pairs_gain(double diff, double curvature, double least)
{
    double q = curvature > least ? curvature : least;
    return diff > 0 ? diff * diff / q : 0;
}

/* F −= s a + t b; returns the example with the largest F + up, and that in `most`. */
RRM_CLONES static ptrdiff_t pairs_update(double *restrict F, const double *restrict a, double s,
                                         const double *restrict b, double t,
                                         const double *restrict up, ptrdiff_t n, double *most)
{
    ptrdiff_t from = 0;
    *most = -INFINITY;
    for (ptrdiff_t begin = 0; begin < n; begin += PAIRS_PIECE) {
        ptrdiff_t end = n - begin < PAIRS_PIECE ? n : begin + PAIRS_PIECE;
        double best = -INFINITY;
#pragma omp simd reduction(max : best)
        for (ptrdiff_t k = begin; k < end; k++) {
            F[k] -= s * a[k] + t * b[k];
            best = F[k] + up[k] > best ? F[k] + up[k] : best;
        }
        if (best > *most)
            *most = best, from = begin;
    }
    int size = n - from < PAIRS_PIECE ? (int)(n - from) : PAIRS_PIECE, at = PAIRS_PIECE;
    F += from, up += from;
#pragma omp simd reduction(min : at)
    for (int k = 0; k < size; k++) {
        int place = F[k] + up[k] == *most ? k : PAIRS_PIECE;
        at = place < at ? place : at;
    }
    return at < size ? from + at : from;
}

/* The example whose fall gains most beside the rise of i, where F_i + up_i = most; `least` is the
 * smallest F + down. −1 where none gains. */
RRM_CLONES static ptrdiff_t pairs_partner(const double *restrict F, const double *restrict down,
                                          const double *restrict row,
                                          const double *restrict diagonal, double own, double most,
                                          ptrdiff_t n, double *least)
{
    ptrdiff_t from = -1;
    double highest = 0;
    *least = INFINITY;
    for (ptrdiff_t begin = 0; begin < n; begin += PAIRS_PIECE) {
        ptrdiff_t end = n - begin < PAIRS_PIECE ? n : begin + PAIRS_PIECE;
        double best = 0, lowest = INFINITY;
#pragma omp simd reduction(max : best) reduction(min : lowest)
        for (ptrdiff_t k = begin; k < end; k++) {
            double low = F[k] + down[k], sum = own + diagonal[k];
            double gain = pairs_gain(most - low, sum - 2 * row[k], PAIRS_FLAT * sum);
            best = gain > best ? gain : best;
            lowest = low < lowest ? low : lowest;
        }
        if (best > highest)
            highest = best, from = begin;
        *least = lowest < *least ? lowest : *least;
    }
    if (from < 0)
        return -1;
    int size = n - from < PAIRS_PIECE ? (int)(n - from) : PAIRS_PIECE, at = PAIRS_PIECE;
    F += from, down += from, row += from, diagonal += from;
#pragma omp simd reduction(min : at)
    for (int k = 0; k < size; k++) {
        double sum = own + diagonal[k];
        double gain = pairs_gain(most - (F[k] + down[k]), sum - 2 * row[k], PAIRS_FLAT * sum);
        int place = gain == highest ? k : PAIRS_PIECE;
        at = place < at ? place : at;
    }
    return at < size ? from + at : -1;
}

/* F −= s (a + shift); returns the example that alone gains most, and its gain in `most`. */
RRM_CLONES static ptrdiff_t pairs_single(double *restrict F, const double *restrict a, double s,
                                         double shift, const double *restrict up,
                                         const double *restrict down,
                                         const double *restrict diagonal, ptrdiff_t n, double *most)
{
    ptrdiff_t from = -1;
    *most = 0;
    for (ptrdiff_t begin = 0; begin < n; begin += PAIRS_PIECE) {
        ptrdiff_t end = n - begin < PAIRS_PIECE ? n : begin + PAIRS_PIECE;
        double best = 0;
#pragma omp simd reduction(max : best)
        for (ptrdiff_t k = begin; k < end; k++) {
            F[k] -= s * (a[k] + shift);
            double rise = F[k] + up[k], fall = -F[k] - down[k];
            double gain = pairs_gain(rise > fall ? rise : fall, diagonal[k] + shift, 1e-300);
            best = gain > best ? gain : best;
        }
        if (best > *most)
            *most = best, from = begin;
    }
    if (from < 0)
        return -1;
    int size = n - from < PAIRS_PIECE ? (int)(n - from) : PAIRS_PIECE, at = PAIRS_PIECE;
    F += from, up += from, down += from, diagonal += from;
#pragma omp simd reduction(min : at)
    for (int k = 0; k < size; k++) {
        double rise = F[k] + up[k], fall = -F[k] - down[k];
        double gain = pairs_gain(rise > fall ? rise : fall, diagonal[k] + shift, 1e-300);
        int place = gain == *most ? k : PAIRS_PIECE;
        at = place < at ? place : at;
    }
    return at < size ? from + at : -1;
}

/* Duals between bounds: `places` names the examples, or is NULL for the first n. The loops choose by
 * conditions that no processor guesses, and vectors do not branch. */
RRM_INLINE void pairs_range_at(const double *F, const double *beta, const double *lower,
                               const double *upper, const int32_t *places, ptrdiff_t n,
                               double *most, double *least)
{
    double best = *most, worst = *least;
#pragma omp simd reduction(max : best) reduction(min : worst)
    for (ptrdiff_t t = 0; t < n; t++) {
        ptrdiff_t i = places ? places[t] : t;
        double rise = beta[i] < upper[i] ? F[i] : -INFINITY;
        double fall = beta[i] > lower[i] ? F[i] : INFINITY;
        best = rise > best ? rise : best;
        worst = fall < worst ? fall : worst;
    }
    *most = best, *least = worst;
}

/* Raise `most` to the largest F of a dual that can rise, lower `least` to the least of one that can
 * fall. */
RRM_CLONES static void pairs_range(const double *F, const double *beta, const double *lower,
                                   const double *upper, const int32_t *places, ptrdiff_t n,
                                   double *most, double *least)
{
    if (places)
        pairs_range_at(F, beta, lower, upper, places, n, most, least);
    else
        pairs_range_at(F, beta, lower, upper, NULL, n, most, least);
}

RRM_INLINE double pairs_gap_at(const double *F, const double *beta, const double *lower,
                               const double *upper, const int32_t *places, ptrdiff_t n,
                               double middle, double *loss)
{
    double gap = 0, all = 0;
#pragma omp simd reduction(+ : gap, all)
    for (ptrdiff_t t = 0; t < n; t++) {
        ptrdiff_t i = places ? places[t] : t;
        double above = F[i] - middle, low = lower[i], high = upper[i];
        double end = above > 0 ? high : low;
        all += above * end;
        gap += above * (end - beta[i]);
    }
    *loss = all;
    return gap;
}

/* The sum of the gaps, with the intercept that `middle` is; and that of the losses. An example's loss
 * is the largest product of its residual with a dual. */
RRM_CLONES static double pairs_gap(const double *F, const double *beta, const double *lower,
                                   const double *upper, const int32_t *places, ptrdiff_t n,
                                   double middle, double *loss)
{
    return places ? pairs_gap_at(F, beta, lower, upper, places, n, middle, loss)
                  : pairs_gap_at(F, beta, lower, upper, NULL, n, middle, loss);
}

/* The upper bounds where F is above the threshold, and the lower ones elsewhere. */
RRM_CLONES static void pairs_ends(const double *F, double threshold, const double *lower,
                                  const double *upper, ptrdiff_t n, double *restrict ends)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++) {
        double low = lower[i], high = upper[i];
        ends[i] = F[i] > threshold ? high : low;
    }
}

#endif
