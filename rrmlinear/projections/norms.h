/* Norms of vectors, of what a soft threshold leaves of them, and the threshold that leaves a given
 * sum. Sums of squares leave the range of numbers only where the norm itself does. */
#ifndef RRM_NORMS_H
#define RRM_NORMS_H

#include "plane_root.h"

enum { FEW_TERMS = 64 };

/* Squares within are neither lost nor infinite. */
#define LEAST_SQUARES 1e-280
#define MOST_SQUARES 1e280

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

/* ‖S(x, cut)‖₂, S the soft threshold. */
RRM_INLINE double soft_norm(const double *x, ptrdiff_t n, double cut)
{
    double squares = soft_squares(x, n, 1, cut), largest;
    if ((squares > LEAST_SQUARES && squares < MOST_SQUARES) || squares != squares)
        return sqrt(squares);
    largest = norm_max(x, n);
    return largest > 0 && largest <= DBL_MAX
               ? largest * sqrt(soft_squares(x, n, 1 / largest, cut / largest))
               : largest;
}

/* The derivative of ‖w + x d‖₁ by x at 0, from the right. */
RRM_INLINE double slope_of_l1(const double *w, const double *d, ptrdiff_t n)
{
    double total = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        total += w[j] > 0 ? d[j] : w[j] < 0 ? -d[j] : fabs(d[j]);
    return total;
}

/* The largest t of [0, 1] with t · size ≤ most, as rounded. */
RRM_INLINE double scale_within(double size, double most)
{
    if (size <= most)
        return 1;
    double t = most / size;
    while (t * size > most)
        t = nextafter(t, 0);
    return t;
}

/* The θ ≥ 0 with Σ max(|x_j| − θ, 0) = e θ + z, e, z ≥ 0, where the left side is the larger at 0;
 * NaN where memory lacks or x is not finite.
 *
 * Of few terms Newton's method finds it from the left, a smaller set of terms at each step. */
RRM_INLINE double soft_root(const double *x, ptrdiff_t n, double e, double z)
{
    static const double one = 1, zero = 0, infinite = INFINITY;
    double theta = 0;
    if (n > FEW_TERMS) {
        plane_t plane = {{x, 1}, {&one, 0}, {&zero, 0}, {&infinite, 0}, {&one, 0}, n, e, z, 0, 1};
        return plane_theta(&plane, 0, 0, INFINITY, &theta) < 0 ? NAN : theta;
    }
    double sum = 0, largest = 0, count = n, last = n + 1;
    for (ptrdiff_t j = 0; j < n; j++) {
        double a = fabs(x[j]);
        sum += a;
        largest = a > largest ? a : largest;
    }
    if (!(sum <= DBL_MAX))
        return NAN;
    theta = fmax((sum - z) / (n + e), (largest - z) / (1 + e)); /* each from the left */
    for (theta = fmax(theta, 0); count != last && count > 0;) {
        last = count;
        sum = count = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            double a = fabs(x[j]), above = a > theta ? 1.0 : 0.0;
            sum += above * a;
            count += above;
        }
        if (count > 0)
            theta = fmax((sum - z) / (count + e), theta);
    }
    return theta;
}

#endif
