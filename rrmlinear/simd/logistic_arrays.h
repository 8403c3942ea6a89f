/* The logistic loss over all examples at once. */
#ifndef RRM_LOGISTIC_ARRAYS_H
#define RRM_LOGISTIC_ARRAYS_H

#include <math.h>
#include "elementary.h"

#define MIN_EXPONENT (-708.0)
#define MIN_NORMAL 0x1p-1022

/* log(1 + x) for −1 < x ≤ 1. The factor x / (u − 1) makes up for the rounding of u = 1 + x. */
RRM_INLINE double log1p_simd(double x)
{
    double u = 1 + x, distance = u - 1;
    double value = log_simd(u) * x / (distance == 0 ? 1 : distance);
    return distance == 0 ? x : value;
}

RRM_INLINE double exp_of_minus(double size)
{
    return exp_simd(-size < MIN_EXPONENT ? MIN_EXPONENT : -size);
}

/* Σ c_i log(1 + exp(−y_i a_i)). */
RRM_CLONES static double logistic_total(const double *y, const double *c, const double *scores,
                                        ptrdiff_t n)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t i = 0; i < n; i++) {
        double margin = y[i] * scores[i];
        total += c[i] * (log1p_simd(exp_of_minus(fabs(margin))) + (margin < 0 ? -margin : 0));
    }
    return total;
}

/* −y_i / (1 + exp(y_i a_i)). */
RRM_CLONES static void logistic_derivatives(const double *y, const double *scores,
                                            double *restrict out, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++) {
        double margin = y[i] * scores[i], e = exp_of_minus(fabs(margin)), s = margin > 0 ? e : 1;
        out[i] = -y[i] * (s / (1 + e));
    }
}

/* 1 / ((1 + exp(a_i)) (1 + exp(−a_i))). */
RRM_CLONES static void logistic_curvatures(const double *scores, double *restrict out, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++) {
        double e = exp_of_minus(fabs(scores[i]));
        out[i] = e / ((1 + e) * (1 + e));
    }
}

/* Σ c_i log(1 + exp(−y_i a_i)), which is returned, and φ'(a_i): one exponential for both. */
RRM_CLONES static double logistic_tangent(const double *y, const double *c, const double *scores,
                                          double *restrict out, ptrdiff_t n)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t i = 0; i < n; i++) {
        double margin = y[i] * scores[i], e = exp_of_minus(fabs(margin)), s = margin > 0 ? e : 1;
        total += c[i] * (log1p_simd(e) + (margin < 0 ? -margin : 0));
        out[i] = -y[i] * (s / (1 + e));
    }
    return total;
}

/* Σ c_i [b log b + (1 − b) log(1 − b)] at b = y_i α_i of examples with a cost, infinite where b is
 * not in [0, 1]. */
RRM_CLONES static double logistic_conjugate(const double *y, const double *c, const double *alpha,
                                            ptrdiff_t n)
{
    double total = 0, beyond = 0;
#pragma omp simd reduction(+ : total, beyond)
    for (ptrdiff_t i = 0; i < n; i++) {
        double b = y[i] * alpha[i], inside = b > MIN_NORMAL ? b : MIN_NORMAL;
        double rest = b < 1 ? 1 - b : 0, last = b < 1 && b > 0 ? b : 0;
        double phi = (b > MIN_NORMAL ? b : 0) * log_simd(inside) + rest * log1p_simd(-last);
        total += c[i] > 0 ? c[i] * phi : 0;
        beyond += (c[i] > 0) & ((b < 0) | (b > 1)) ? 1.0 : 0.0;
    }
    return beyond > 0 ? INFINITY : total;
}

#endif
