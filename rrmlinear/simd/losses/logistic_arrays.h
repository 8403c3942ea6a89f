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

/* out_i = log(1 + exp(−y_i a_i)) + b log b + (1 − b) log(1 − b) + a_i α_i at b = y_i α_i: infinite where b
 * is not in [0, 1]. */
RRM_CLONES static void logistic_gaps(const double *y, const double *scores, const double *alpha,
                                     double *restrict out, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++) {
        double margin = y[i] * scores[i], b = y[i] * alpha[i];
        double inside = b > MIN_NORMAL ? b : MIN_NORMAL, last = b < 1 && b > 0 ? b : 0;
        double phi = (b > MIN_NORMAL ? b : 0) * log_simd(inside) +
                     (b < 1 ? 1 - b : 0) * log1p_simd(-last);
        double value = log1p_simd(exp_of_minus(fabs(margin))) + (margin < 0 ? -margin : 0);
        out[i] = (b < 0) | (b > 1) ? INFINITY : value + phi + margin * b;
    }
}

/* Examples whose steps are found side by side, and the most steps of Halley's method. */
enum { STEP_LANES = 8, LOGISTIC_STEPS = 60 };

/* The dual steps of Logistic.dual_step, whose formulas these are; q are the curvatures, and a step of
 * 0 takes one number for all. An example's bits do not depend on its neighbours. */
RRM_CLONES static void logistic_dual_steps(const double *y, const double *scores,
                                           const double *alpha, ptrdiff_t alpha_step,
                                           const double *q, ptrdiff_t q_step, double *out,
                                           ptrdiff_t n)
{
    for (ptrdiff_t begin = 0; begin < n; begin += STEP_LANES) {
        double m[STEP_LANES], b[STEP_LANES], c[STEP_LANES], u[STEP_LANES];
        double low[STEP_LANES], high[STEP_LANES], last[STEP_LANES], ended[STEP_LANES];
        double end[STEP_LANES];
        double open = STEP_LANES;
        for (int l = 0; l < STEP_LANES; l++) { /* the last example again where there is none */
            ptrdiff_t i = begin + l < n ? begin + l : n - 1;
            m[l] = y[i] * scores[i];
            b[l] = y[i] * alpha[i * alpha_step];
            c[l] = q[i * q_step];
        }
#pragma omp simd
        for (int l = 0; l < STEP_LANES; l++) {
            int is_inside = (c[l] > 1) & (b[l] > MIN_NORMAL) & (b[l] < 1);
            double odds = is_inside ? b[l] / (1 - b[l]) : 1, logit = log_simd(odds), start = -m[l];
            double from = c[l] * (b[l] - 1) - m[l], to = c[l] * b[l] - m[l];
            double least = logit < start ? logit : start, most = logit < start ? start : logit;
            low[l] = is_inside & (least > from) ? least : from;
            high[l] = is_inside & (most < to) ? most : to;
            u[l] = is_inside ? logit : start;
            last[l] = 2 * (high[l] - low[l]);
            ended[l] = 0;
        }
        for (int step = 0; step < LOGISTIC_STEPS && open > 0; step++) {
            open = 0;
#pragma omp simd reduction(+ : open)
            for (int l = 0; l < STEP_LANES; l++) {
                double e = exp_of_minus(fabs(u[l])), whole = 1 + e;
                double sigma = (u[l] >= 0 ? 1 : e) / whole, slope = e / (whole * whole);
                double value = u[l] + m[l] + c[l] * (sigma - b[l]);
                double bend = slope * (0.5 - sigma), rate = 1 / (1 + c[l] * slope);
                double newton = -value * rate, part = 1 + newton * c[l] * bend * rate;
                double move = newton / (part > 0.5 ? part : 0.5);
                double from = value > 0 ? low[l] : u[l], to = value > 0 ? u[l] : high[l];
                double most = c[l] > 1 ? c[l] : 1;
                int ends = most * fabs(move * move * move) <= 1e-17, stays = ended[l] > 0;
                int leaves = !((u[l] + move > from) & (u[l] + move < to));
                int halves = !ends & (leaves | (fabs(move) > last[l] / 2));
                move = halves ? from + (to - from) / 2 - u[l] : move;
                low[l] = from;
                high[l] = to;
                last[l] = fabs(move);
                u[l] = stays ? u[l] : u[l] + move;
                end[l] = stays ? end[l] : sigma + (ends ? move * (slope + move * bend) : 0);
                ended[l] = ends | stays ? 1 : 0;
                open += ends | stays ? 0.0 : 1.0;
            }
        }
        for (int l = 0; l < STEP_LANES && begin + l < n; l++) {
            out[begin + l] = y[begin + l] * end[l];
        }
    }
}

#endif
