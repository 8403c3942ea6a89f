/* Half unit deviances of the mean eᵃ over all examples at once: Poisson, gamma and those between. */
#ifndef RRM_DEVIANCE_ARRAYS_H
#define RRM_DEVIANCE_ARRAYS_H

#include <math.h>
#include "elementary.h"

/* Beyond MAX_EXPONENT an exponential goes on as its tangent: products of it with costs stay finite. */
#define MAX_EXPONENT 600.0
#define LEAST_EXPONENT (-700.0)
#define LEAST_NORMAL 0x1p-1022

/* The variance is the power p of the mean: 1 or 2, whose terms are simple, or between; near 1 and 2
 * scores of slopes take more steps. */
typedef enum { POISSON_KIND, GAMMA_KIND, TWEEDIE_KIND, NEAR_KIND } deviance_kind_t;

typedef struct {
    double value, slope, bend; /* φ, φ' and φ'' */
} deviance_t;

/* eˣ, and the exponential or its tangent in ``value``. */
RRM_INLINE double tame_exp(double x, double *value)
{
    double inside = x < MAX_EXPONENT ? x : MAX_EXPONENT;
    double e = exp_simd(inside > LEAST_EXPONENT ? inside : LEAST_EXPONENT);
    *value = e * (1 + (x - inside));
    return e;
}

RRM_INLINE double tame_log(double x)
{
    return log_simd(x > LEAST_NORMAL ? x : LEAST_NORMAL);
}

/* φ(a), φ'(a) and φ''(a); ``y_power`` is y log y − y for p = 1, log y + 1 for p = 2, and else
 * y^(2−p)/((p − 1)(2 − p)). */
RRM_INLINE deviance_t deviance_of(deviance_kind_t kind, double p, double y, double a,
                                  double y_power)
{
    double value, other, e, f;
    if (kind == POISSON_KIND) {
        e = tame_exp(a, &value);
        return (deviance_t){value - y * a + y_power, e - y, a < MAX_EXPONENT ? e : 0};
    }
    if (kind == GAMMA_KIND) {
        e = y * tame_exp(-a, &value);
        return (deviance_t){y * value + a - y_power, 1 - e, -a < MAX_EXPONENT ? e : 0};
    }
    e = tame_exp((2 - p) * a, &value);
    f = y * tame_exp(-(p - 1) * a, &other);
    return (deviance_t){
        value / (2 - p) + y * other / (p - 1) - y_power, e - f,
        ((2 - p) * a < MAX_EXPONENT ? (2 - p) * e : 0)
            + (-(p - 1) * a < MAX_EXPONENT ? (p - 1) * f : 0)};
}

/* What `deviance_of` takes of a label. */
RRM_INLINE double power_of_label(deviance_kind_t kind, double p, double y)
{
    if (kind == POISSON_KIND)
        return y > 0 ? y * tame_log(y) - y : 0;
    if (kind == GAMMA_KIND)
        return tame_log(y) + 1;
    return y > 0 ? exp_simd((2 - p) * tame_log(y)) / ((p - 1) * (2 - p)) : 0;
}

/* Steps that leave no error, for (p − 1)(2 − p) ≥ FAR_FROM_ENDS and for others. */
enum { ROOT_STEPS = 6, NEAR_STEPS = 12 };
#define FAR_FROM_ENDS 0.08

/* The b at which e^((2−p)b) − e^(−(p−1)b) = v: Newton's steps on the logarithms, which rise to it. */
RRM_INLINE double balanced_score(deviance_kind_t kind, double p, double v)
{
    double size = fabs(v), r = v < 0 ? p - 1 : 2 - p, s = 1 - r, b = 0;
    for (int step = 0; step < (kind == NEAR_KIND ? NEAR_STEPS : ROOT_STEPS); step++) {
        double e = exp_simd(-s * b > LEAST_EXPONENT ? -s * b : LEAST_EXPONENT), whole = size + e;
        b += (tame_log(whole) - r * b) / (s * e / whole + r);
    }
    return v < 0 ? -b : b;
}

/* The a at which φ'(a) = u, ±infinity at an end of the domain. */
RRM_INLINE double score_of_slope(deviance_kind_t kind, double p, double y, double u)
{
    if (kind == POISSON_KIND)
        return u + y > 0 ? tame_log(u + y) : -INFINITY;
    if (kind == GAMMA_KIND)
        return u < 1 ? tame_log(y) - tame_log(1 - u) : INFINITY;
    double log_y = tame_log(y), unit = exp_simd((2 - p) * (y > 0 ? log_y : 0));
    double of_zero = u > 0 ? tame_log(u) / (2 - p) : -INFINITY;
    return y > 0 ? log_y + balanced_score(kind, p, u / unit) : of_zero;
}

/* φ*(u) in the domain. */
RRM_INLINE double deviance_conjugate_at(deviance_kind_t kind, double p, double y, double u)
{
    if (kind == POISSON_KIND) {
        double t = u + y;
        return (t > 0 ? t * tame_log(t) : 0) - (y > 0 ? y * tame_log(y) : 0) - u;
    }
    if (kind == GAMMA_KIND) {
        double s = 1 - u;
        return (s > 0 ? s * tame_log(s) : 0) + u + u * tame_log(y);
    }
    double log_y = tame_log(y), unit = exp_simd((2 - p) * (y > 0 ? log_y : 0));
    double score = log_y + balanced_score(kind, p, u / unit);
    deviance_t at = deviance_of(kind, p, y, score, unit / ((p - 1) * (2 - p)));
    double of_zero = (u > 0 ? u * tame_log(u) - u : 0) / (2 - p);
    return y > 0 ? u * score - at.value : of_zero;
}

RRM_INLINE int deviance_admits(deviance_kind_t kind, double y, double u)
{
    return kind == POISSON_KIND ? u >= -y : kind == GAMMA_KIND ? u <= 1 : (y > 0) | (u >= 0);
}

/* Σ c_i φ(a_i), and φ'(a_i) and c_i φ''(a_i) where there is room for them. */
RRM_INLINE double deviance_loop(deviance_kind_t kind, double p, const double *y, const double *c,
                                const double *a, double *restrict slopes, double *restrict bends,
                                int has_total, ptrdiff_t n)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t i = 0; i < n; i++) {
        double of_label = has_total ? power_of_label(kind, p, y[i]) : 0;
        deviance_t at = deviance_of(kind, p, y[i], a[i], of_label);
        if (has_total)
            total += c[i] * at.value;
        if (slopes)
            slopes[i] = at.slope;
        if (bends)
            bends[i] = at.bend;
    }
    return total;
}

RRM_INLINE double conjugate_loop(deviance_kind_t kind, double p, const double *y, const double *c,
                                 const double *alpha, ptrdiff_t n)
{
    double total = 0, beyond = 0;
#pragma omp simd reduction(+ : total, beyond)
    for (ptrdiff_t i = 0; i < n; i++) {
        int inside = deviance_admits(kind, y[i], -alpha[i]);
        double value = deviance_conjugate_at(kind, p, y[i], -alpha[i]);
        total += (c[i] > 0) & inside ? c[i] * value : 0;
        beyond += (c[i] > 0) & !inside ? 1.0 : 0.0;
    }
    return beyond > 0 ? INFINITY : total;
}

#define OF_EACH_KIND(p, LOOP, ...)                                      \
    (p == 1   ? LOOP(POISSON_KIND, 1, __VA_ARGS__)                      \
     : p == 2 ? LOOP(GAMMA_KIND, 2, __VA_ARGS__)                        \
     : (p - 1) * (2 - p) >= FAR_FROM_ENDS ? LOOP(TWEEDIE_KIND, p, __VA_ARGS__) \
                                          : LOOP(NEAR_KIND, p, __VA_ARGS__))

RRM_CLONES static double deviance_total(double p, const double *y, const double *c,
                                        const double *a, ptrdiff_t n)
{
    return OF_EACH_KIND(p, deviance_loop, y, c, a, NULL, NULL, 1, n);
}

RRM_CLONES static void deviance_slopes(double p, const double *y, const double *a, double *out,
                                       ptrdiff_t n)
{
    OF_EACH_KIND(p, deviance_loop, y, NULL, a, out, NULL, 0, n);
}

RRM_CLONES static void deviance_bends(double p, const double *y, const double *a, double *out,
                                      ptrdiff_t n)
{
    OF_EACH_KIND(p, deviance_loop, y, NULL, a, NULL, out, 0, n);
}

RRM_CLONES static double deviance_tangent(double p, const double *y, const double *c,
                                          const double *a, double *out, ptrdiff_t n)
{
    return OF_EACH_KIND(p, deviance_loop, y, c, a, out, NULL, 1, n);
}

/* The b at which Σ c_i φ'(a_i + b) = 0: (2 − p) + (p − 1) = 1, so that eᵇ is one sum over another.
 * Pieces keep the rounding of long sums small. */
enum { BALANCE_PIECE = 1024 };

RRM_INLINE double balance_loop(deviance_kind_t kind, double p, const double *y, const double *c,
                               const double *a, ptrdiff_t n)
{
    double labels = 0, means = 0;
    for (ptrdiff_t begin = 0; begin < n; begin += BALANCE_PIECE) {
        ptrdiff_t end = n - begin < BALANCE_PIECE ? n : begin + BALANCE_PIECE;
        double of_labels = 0, of_means = 0, beyond;
#pragma omp simd reduction(+ : of_labels, of_means)
        for (ptrdiff_t i = begin; i < end; i++) {
            double r = kind == POISSON_KIND ? 1 : tame_exp(-(p - 1) * a[i], &beyond);
            of_labels += c[i] * y[i] * r;
            of_means += c[i] * (kind == GAMMA_KIND ? 1 : tame_exp((2 - p) * a[i], &beyond));
        }
        labels += of_labels, means += of_means;
    }
    return log(labels) - log(means);
}

RRM_CLONES static double deviance_conjugate(double p, const double *y, const double *c,
                                            const double *alpha, ptrdiff_t n)
{
    return OF_EACH_KIND(p, conjugate_loop, y, c, alpha, n);
}

RRM_CLONES static double deviance_balance(double p, const double *y, const double *c,
                                          const double *a, ptrdiff_t n)
{
    return OF_EACH_KIND(p, balance_loop, y, c, a, n);
}

/* One example: the score of a slope, and whether that is in the domain. */
static inline double deviance_score(double p, double y, double u)
{
    return OF_EACH_KIND(p, score_of_slope, y, u);
}

static inline int deviance_takes(double p, double y, double u)
{
    return p == 1   ? deviance_admits(POISSON_KIND, y, u)
           : p == 2 ? deviance_admits(GAMMA_KIND, y, u)
                    : deviance_admits(TWEEDIE_KIND, y, u);
}

#endif
