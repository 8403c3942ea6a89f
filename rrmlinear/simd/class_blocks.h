/* Loops over the k classes of one example: the blocks of Weston–Watkins and of Crammer–Singer.
 *
 * With 32 classes and more these take 1.5 to 4.5 times as long without vector registers, and with few
 * a call for each evaluation of Newton's method costs a tenth, so that it runs inside the clones.
 * k is a multiple of 8; classes that take no part (the true class, padding) have margins of −1e300. */
#ifndef RRM_CLASS_BLOCKS_H
#define RRM_CLASS_BLOCKS_H

#include "newton.h"

#define CLASSES(k) ((k) & ~(ptrdiff_t)7) /* tells the compiler that no remainder is left */

enum { WW_STEPS = 12 };

/* v = margins / q + b + Σ b for a block b, whose Σ b is returned: the first guess for θ. */
RRM_CLONES static double ww_unconstrained(const double *margins, const double *b,
                                          double inverse_curvature, ptrdiff_t k, double *v)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        total += b[j];
#pragma omp simd
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        v[j] = margins[j] * inverse_curvature + b[j] + total;
    return total;
}

typedef struct {
    const double *v;
    ptrdiff_t k;
    double upper, e;
} ww_t;

/* Σ clip(v − θ, 0, upper) = e θ. */
RRM_INLINE value_t ww_value(const void *terms, double theta)
{
    const ww_t *block = terms;
    const double *v = block->v;
    const double upper = block->upper;
    const ptrdiff_t k = block->k;
    double total = 0, between = 0, above = 0;
#pragma omp simd reduction(+ : total, between, above)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double t = v[j] - theta;
        double b = t < 0 ? 0 : t;
        b = b > upper ? upper : b;
        total += b;
        above += t >= upper ? 1.0 : 0.0;
        between += t > 0 ? 1.0 : 0.0;
    }
    value_t value = {total - block->e * theta, block->e + between - above, between, above, theta};
    return value;
}

/* Its root from a first guess, after two or three evaluations in practice. NaN where Newton's method
 * did not end, and then in `open` the bracket that it found. */
RRM_CLONES static double ww_newton(const double *v, ptrdiff_t k, double upper, double e,
                                   double theta, bracket_t *open)
{
    ww_t block = {v, k, upper, e};
    bracket_t bracket = {0, upper / e * (double)k};
    /* A step from far below would round off the digits of v; this also takes a NaN for 0. */
    theta = theta > 0 ? (theta < bracket.high ? theta : bracket.high) : 0;
    if (newton(ww_value, &block, &bracket, WW_STEPS, &theta))
        return theta;
    *open = bracket;
    return NAN;
}

/* b = clip((v − θ)/e, 0, C); returns Σ b. */
RRM_CLONES static double ww_clip(const double *v, ptrdiff_t k, double C, double e, double theta,
                                 double *b)
{
    double total = 0, inverse = 1 / e;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double t = (v[j] - theta) * inverse;
        t = t < 0 ? 0 : t;
        t = t > C ? C : t;
        b[j] = t;
        total += t;
    }
    return total;
}

/* Σ max(0, m_j). */
RRM_CLONES static double ww_loss(const double *margins, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        total += margins[j] > 0 ? margins[j] : 0;
    return total;
}

/* Σ [C max(0, m_j) − b_j m_j], no term negative: an example's part of the duality gap. */
RRM_CLONES static double ww_gap(const double *margins, const double *b, double C, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double m = margins[j];
        total += ((m > 0 ? C : 0) - b[j]) * m;
    }
    return total;
}

/* The derivative of max over 0 ≤ b ≤ 1 of b m − (γ/2) b²: the b that attains it. */
RRM_INLINE double ww_attained(double m, double gamma)
{
    double b = m > 0 ? m : 0;
    return b >= gamma ? (m > 0 ? 1 : 0) : b / gamma;
}

/* Σ of those maxima, and the b that attain them. */
RRM_CLONES static double ww_smooth_loss(const double *margins, double gamma, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double m = margins[j], b = ww_attained(m, gamma);
        total += b * (m - gamma / 2 * b);
    }
    return total;
}

RRM_CLONES static void ww_derivative(const double *margins, double gamma, ptrdiff_t k, double *b)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        b[j] = ww_attained(margins[j], gamma);
}

/* The same gap for the smoothed loss, no term negative either: with u where the maximum is
 * attained and t = b/C, (u − t)(m − γ (u + t)/2). */
RRM_CLONES static double ww_smooth_gap(const double *margins, const double *b, double C,
                                       double gamma, ptrdiff_t k)
{
    double total = 0, inverse = 1 / C;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double m = margins[j], u = ww_attained(m, gamma), t = b[j] * inverse;
        double term = (u - t) * (m - gamma / 2 * (u + t));
        total += term > 0 ? term : 0; /* rounding alone makes it negative */
    }
    return C * total;
}

/* Σ b². */
RRM_CLONES static double ww_squares(const double *b, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        total += b[j] * b[j];
    return total;
}

#endif
