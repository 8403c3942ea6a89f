/* Losses of one score a whose dual is a clipped line, over all examples at once:
 *
 *     φ(a) = max over l ≤ α ≤ u of r α − ε |α| − (γ/2) α²,   r = y − a,   γ being `smoothing`.
 *
 * For the hinge family, `by_sign`, y α lies in 0 … `upper`, y = ±1, and ε is 0. */
#ifndef RRM_CLIPPED_ARRAYS_H
#define RRM_CLIPPED_ARRAYS_H

#include <math.h>
#include "rows.h"

typedef struct {
    double lower, upper, epsilon, smoothing;
    int by_sign;
} clipped_t;

RRM_INLINE double clipped_lower(const clipped_t *f, double y, int by_sign)
{
    return by_sign ? (y > 0 ? 0 : -f->upper) : f->lower;
}

RRM_INLINE double clipped_upper(const clipped_t *f, double y, int by_sign)
{
    return by_sign && !(y > 0) ? 0 : f->upper;
}

/* The best α for a curvature s. */
RRM_INLINE double clipped_best(const clipped_t *f, double y, double r, double s, int by_sign)
{
    double l = clipped_lower(f, y, by_sign), u = clipped_upper(f, y, by_sign);
    double inside = r > f->epsilon ? f->epsilon : r < -f->epsilon ? -f->epsilon : r;
    double pull = by_sign ? r : r - inside;
    double a = pull / s, bound = pull > 0 ? u : l;
    a = a < l ? l : a;
    a = a > u ? u : a;
    return pull == 0 ? 0 : s == 0 ? bound : a;
}

RRM_INLINE double clipped_value(const clipped_t *f, double y, double score, int by_sign)
{
    double r = y - score, a = clipped_best(f, y, r, f->smoothing, by_sign);
    return a * (r - f->smoothing / 2 * a) - (by_sign ? 0 : f->epsilon * fabs(a));
}

/* CALL(by_sign) with by_sign a constant. */
#define CLIPPED_SWITCH(f, CALL) \
    if ((f)->by_sign) {         \
        CALL(1)                 \
    } else {                    \
        CALL(0)                 \
    }

/* Σ c_i φ(a_i). */
RRM_CLONES static double clipped_total(const clipped_t *f, const double *y, const double *c,
                                       const double *scores, ptrdiff_t n)
{
    double total = 0;
#define CALL(by_sign)                                                             \
    _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t i = 0; i < n; i++)    \
        total += c[i] * clipped_value(f, y[i], scores[i], by_sign);
    CLIPPED_SWITCH(f, CALL)
#undef CALL
    return total;
}

/* φ'(a_i). */
RRM_CLONES static void clipped_derivatives(const clipped_t *f, const double *y,
                                           const double *scores, double *restrict out, ptrdiff_t n)
{
#define CALL(by_sign)                                               \
    _Pragma("omp simd") for (ptrdiff_t i = 0; i < n; i++)           \
        out[i] = -clipped_best(f, y[i], y[i] - scores[i], f->smoothing, by_sign);
    CLIPPED_SWITCH(f, CALL)
#undef CALL
}

/* Σ c_i φ(a_i), which is returned, and φ'(a_i). */
RRM_CLONES static double clipped_tangent(const clipped_t *f, const double *y, const double *c,
                                         const double *scores, double *restrict out, ptrdiff_t n)
{
    double total = 0;
#define CALL(by_sign)                                                                       \
    _Pragma("omp simd reduction(+ : total)") for (ptrdiff_t i = 0; i < n; i++)              \
    {                                                                                       \
        double r = y[i] - scores[i], a = clipped_best(f, y[i], r, f->smoothing, by_sign);   \
        double phi = a * (r - f->smoothing / 2 * a) - (by_sign ? 0 : f->epsilon * fabs(a)); \
        total += c[i] * phi;                                                                \
        out[i] = -a;                                                                        \
    }
    CLIPPED_SWITCH(f, CALL)
#undef CALL
    return total;
}

/* Σ c_i φ'(s_i) d_i at s = a + x d, d the moves, which is returned, and Σ c_i φ(s_i); s and φ'(s)
 * are written unless `moved` is NULL. In chunks of several loops it took 1.05 of the time. */
RRM_CLONES static double clipped_along(const clipped_t *f, const double *y, const double *c,
                                       const double *scores, const double *moves, double x,
                                       double *restrict moved, double *restrict out, double *total,
                                       ptrdiff_t n)
{
    double sum = 0, rate = 0;
#define LOOP(by_sign, keep)                                                                       \
    _Pragma("omp simd reduction(+ : sum, rate)") for (ptrdiff_t i = 0; i < n; i++)                \
    {                                                                                             \
        double s = scores[i] + x * moves[i], r = y[i] - s;                                        \
        double a = clipped_best(f, y[i], r, f->smoothing, by_sign);                               \
        sum += c[i] * (a * (r - f->smoothing / 2 * a) - (by_sign ? 0 : f->epsilon * fabs(a)));    \
        rate -= c[i] * a * moves[i];                                                              \
        if (keep) {                                                                               \
            moved[i] = s;                                                                         \
            out[i] = -a;                                                                          \
        }                                                                                         \
    }
#define CALL(by_sign)     \
    if (moved) {          \
        LOOP(by_sign, 1)  \
    } else {              \
        LOOP(by_sign, 0)  \
    }
    CLIPPED_SWITCH(f, CALL)
#undef CALL
#undef LOOP
    if (total)
        *total = sum;
    return rate;
}

/* Σ c_i φ*(−α_i) of examples with a cost, infinite where one is out of its bounds. */
RRM_CLONES static double clipped_conjugate(const clipped_t *f, const double *y, const double *c,
                                           const double *alpha, ptrdiff_t n)
{
    double total = 0, beyond = 0;
#define CALL(by_sign)                                                                            \
    _Pragma("omp simd reduction(+ : total, beyond)") for (ptrdiff_t i = 0; i < n; i++)           \
    {                                                                                            \
        double a = alpha[i], l = clipped_lower(f, y[i], by_sign);                                \
        double u = clipped_upper(f, y[i], by_sign);                                              \
        double phi = a * (f->smoothing / 2 * a - y[i]) + f->epsilon * fabs(a);                   \
        total += c[i] > 0 ? c[i] * phi : 0;                                                      \
        beyond += (c[i] > 0) & ((a < l) | (a > u)) ? 1.0 : 0.0;                                  \
    }
    CLIPPED_SWITCH(f, CALL)
#undef CALL
    return beyond > 0 ? INFINITY : total;
}

/* φ(a_i) + φ*(−α_i) + a_i α_i for α_i within their bounds. */
RRM_CLONES static void clipped_gaps(const clipped_t *f, const double *y, const double *scores,
                                    const double *alpha, double *restrict out, ptrdiff_t n)
{
#define CALL(by_sign)                                                                     \
    _Pragma("omp simd") for (ptrdiff_t i = 0; i < n; i++)                                 \
    {                                                                                     \
        double a = alpha[i];                                                              \
        out[i] = clipped_value(f, y[i], scores[i], by_sign)                               \
                 + a * (f->smoothing / 2 * a - (y[i] - scores[i])) + f->epsilon * fabs(a); \
    }
    CLIPPED_SWITCH(f, CALL)
#undef CALL
}

/* The dual steps from α at these scores. A step of 0 through α or q means one number for all, else it
 * is 1. */
RRM_CLONES static void clipped_steps(const clipped_t *f, const double *y, const double *scores,
                                     const double *alpha, ptrdiff_t alpha_step, const double *q,
                                     ptrdiff_t q_step, double *restrict out, ptrdiff_t n)
{
#define LOOP(by_sign, a, b)                                                                     \
    _Pragma("omp simd") for (ptrdiff_t i = 0; i < n; i++)                                       \
        out[i] = clipped_best(f, y[i], q[b] * alpha[a] + y[i] - scores[i], q[b] + f->smoothing, \
                              by_sign);
#define CALL(by_sign)                     \
    if (alpha_step && q_step) {           \
        LOOP(by_sign, i, i)               \
    } else if (alpha_step) {              \
        LOOP(by_sign, i, 0)               \
    } else if (q_step) {                  \
        LOOP(by_sign, 0, i)               \
    } else {                              \
        LOOP(by_sign, 0, 0)               \
    }
    CLIPPED_SWITCH(f, CALL)
#undef CALL
#undef LOOP
}

#endif
