/* Sums and loops of soft thresholds: ℓ1 norms, groups, and the ball of the elastic net. */
#ifndef RRM_THRESHOLDS_H
#define RRM_THRESHOLDS_H

#include "planes.h"

RRM_INLINE double norm_max(const double *x, ptrdiff_t n)
{
    double largest = 0, sum = 0;
#pragma omp simd reduction(max : largest) reduction(+ : sum)
    for (ptrdiff_t j = 0; j < n; j++) {
        double a = fabs(x[j]);
        largest = a > largest ? a : largest;
        sum += a;
    }
    return sum == sum ? largest : sum; /* NaN for NaN */
}

/* Σ max(|x_j| − cut, 0). */
RRM_INLINE double soft_sum(const double *x, ptrdiff_t n, double cut)
{
    long_sum_t sum = {0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += PLANE_BLOCK) {
        ptrdiff_t end = n - begin < PLANE_BLOCK ? n : begin + PLANE_BLOCK;
        double total = 0;
#pragma omp simd reduction(+ : total)
        for (ptrdiff_t j = begin; j < end; j++) {
            double over = fabs(x[j]) - cut;
            total += over <= 0 ? 0 : over;
        }
        long_add(&sum, total);
    }
    return long_total(&sum);
}

/* Σ max(|x_j| s − cut, 0)². */
RRM_INLINE double soft_squares(const double *x, ptrdiff_t n, double s, double cut)
{
    long_sum_t sum = {0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += PLANE_BLOCK) {
        ptrdiff_t end = n - begin < PLANE_BLOCK ? n : begin + PLANE_BLOCK;
        double total = 0;
#pragma omp simd reduction(+ : total)
        for (ptrdiff_t j = begin; j < end; j++) {
            double over = fabs(x[j]) * s - cut;
            over = over <= 0 ? 0 : over;
            total += over * over;
        }
        long_add(&sum, total);
    }
    return long_total(&sum);
}

/* The size of a = x / unit against the elastic net's ball γ‖a‖₁ + ½‖a‖² ≤ r. */
typedef struct {
    double size, sum, squares, steep; /* γ‖a‖₁ + ½‖a‖², ‖a‖₁, ‖a‖², Σ (γ + |a_j|)² over a_j ≠ 0 */
} elastic_size_t;

RRM_CLONES static elastic_size_t elastic_size(const double *x, ptrdiff_t n, double unit,
                                              double gamma)
{
    long_sum_t sum = {0, 0}, squares = {0, 0}, steep = {0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += PLANE_BLOCK) {
        ptrdiff_t end = n - begin < PLANE_BLOCK ? n : begin + PLANE_BLOCK;
        double one = 0, two = 0, all = 0;
#pragma omp simd reduction(+ : one, two, all)
        for (ptrdiff_t j = begin; j < end; j++) {
            double a = fabs(x[j]) / unit;
            one += a;
            two += a * a;
            all += a > 0 ? (gamma + a) * (gamma + a) : 0;
        }
        long_add(&sum, one);
        long_add(&squares, two);
        long_add(&steep, all);
    }
    elastic_size_t found = {0, long_total(&sum), long_total(&squares), long_total(&steep)};
    found.size = gamma * found.sum + found.squares / 2;
    return found;
}

RRM_CLONES static double elastic_largest(const double *x, ptrdiff_t n)
{
    double largest = 0;
#pragma omp simd reduction(max : largest)
    for (ptrdiff_t j = 0; j < n; j++)
        largest = fabs(x[j]) > largest ? fabs(x[j]) : largest;
    return largest;
}

/* out = sign(x) max(|x| / unit − cut, 0) · factor; out may be x. */
RRM_CLONES static void elastic_write(const double *x, ptrdiff_t n, double unit, double cut,
                                     double factor, double *out)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double a = fabs(x[j]) / unit - cut;
        out[j] = copysign((a > 0 ? a : 0) * factor, x[j]);
    }
}

/* Moves a by −step along (γ + |a|) sign(a), as far as 0. */
RRM_CLONES static void elastic_move(double *a, ptrdiff_t n, double gamma, double step)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double size = fabs(a[j]), moved = size - step * (gamma + size);
        a[j] = copysign((size > 0) & (moved > 0) ? moved : 0, a[j]);
    }
}

#endif
