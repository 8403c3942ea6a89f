/* The Weston–Watkins block: minimize ½‖b‖² + ½(1'b)² − v'b over 0 ≤ b_j ≤ C, whose solution is
 *
 *     b_j = clip(v_j − θ, 0, C),   θ = Σ_j clip(v_j − θ, 0, C).
 *
 * Smoothing makes the first term (e/2) ‖b‖², e ≥ 1: then θ e = Σ_j clip(v_j − θ, 0, eC), and b is
 * that clip over e.
 *
 * Three ways to θ or b (An Exact Solver for the Weston–Watkins SVM Subproblem, section 3). Classes
 * that take no part (the true class, padding) have v_j ≤ −1e300. */
#ifndef RRM_WESTON_WATKINS_H
#define RRM_WESTON_WATKINS_H

#include "knapsack.h"

enum { NEWTON_STEPS = 12 };

/* v = margins / q + b + Σ b for a block b, whose Σ b is returned: the first guess for θ. */
RRM_CLONES static double ww_unconstrained(const double *margins, const double *b,
                                          double inverse_curvature, ptrdiff_t k, double *v)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++)
        total += b[j];
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++)
        v[j] = margins[j] * inverse_curvature + b[j] + total;
    return total;
}

/* Σ max(0, m_j). */
RRM_CLONES static double ww_loss(const double *margins, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++)
        total += margins[j] > 0 ? margins[j] : 0;
    return total;
}

/* Σ [C max(0, m_j) − b_j m_j], no term negative: an example's part of the duality gap. */
RRM_CLONES static double ww_gap(const double *margins, const double *b, double C, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++) {
        double m = margins[j];
        total += ((m > 0 ? C : 0) - b[j]) * m;
    }
    return total;
}

/* The slope of max over 0 ≤ b ≤ 1 of b m − (γ/2) b²: where it is attained. */
RRM_INLINE double ww_slope(double m, double gamma)
{
    double b = m > 0 ? m : 0;
    return b >= gamma ? (m > 0 ? 1 : 0) : b / gamma;
}

/* Σ of those maxima, and the b that attain them. */
RRM_CLONES static double ww_smooth_loss(const double *margins, double gamma, ptrdiff_t k)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++) {
        double m = margins[j], b = ww_slope(m, gamma);
        total += b * (m - gamma / 2 * b);
    }
    return total;
}

RRM_CLONES static void ww_derivative(const double *margins, double gamma, ptrdiff_t k, double *b)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++)
        b[j] = ww_slope(margins[j], gamma);
}

/* The same gap for the smoothed loss, no term negative either: with u where the maximum is
 * attained and t = b/C, (u − t)(m − γ (u + t)/2). */
RRM_CLONES static double ww_smooth_gap(const double *margins, const double *b, double C,
                                       double gamma, ptrdiff_t k)
{
    double total = 0, inverse = 1 / C;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++) {
        double m = margins[j], u = ww_slope(m, gamma), t = b[j] * inverse;
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
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++)
        total += b[j] * b[j];
    return total;
}

/* Scratch memory of the solvers for k classes, in doubles: k indices and 2k kinks. */
static inline ptrdiff_t ww_workspace(ptrdiff_t k) { return 3 * k; }

/* θ by the median search between bounds that hold it, for clips at `upper` = eC. */
static double ww_theta_median(const double *v, ptrdiff_t k, double upper, double e, double low,
                              double high, double *work)
{
    static const double one = 1, zero = 0;
    knapsack_t problem = {v, &one, &zero, &upper, k, 0, 0, 0, e, 0};
    return knapsack_search(&problem, low, high, (ptrdiff_t *)work, work + k);
}

/* θ by safeguarded Newton on f(θ) = Σ clip(v − θ, 0, eC) − e θ from a first guess; upper = eC. Along one straight
 * piece a step is exact, so it ends when a step finds the same classes at both bounds as the last;
 * two or three evaluations in practice. Should it not end, the median search goes on in the bracket
 * found. k is a multiple of 8. */
RRM_CLONES static double ww_theta_newton(const double *v, ptrdiff_t k, double upper, double e,
                                         double theta, double *work)
{
    double low = 0, high = upper / e * (double)k, last_between = -1, last_above = -1;
    /* A step from far below would round off the digits of v; this also takes a NaN for 0. */
    theta = theta > low ? (theta < high ? theta : high) : low;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double total = 0, between = 0, above = 0;
#pragma omp simd reduction(+ : total, between, above)
        for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++) {
            double t = v[j] - theta;
            double b = t < 0 ? 0 : t;
            b = b > upper ? upper : b;
            total += b;
            above += t >= upper ? 1.0 : 0.0;
            between += t > 0 ? 1.0 : 0.0;
        }
        if (between == last_between && above == last_above)
            return theta;
        double excess = total - e * theta, move = excess / (e + between - above);
        if (excess >= 0)
            low = theta;
        else
            high = theta;
        if (fabs(move) <= 1e-16 * theta)
            return theta;
        double next = theta + move;
        if (!(next >= low && next <= high))
            break;
        theta = next;
        last_between = between;
        last_above = above;
    }
    return ww_theta_median(v, k, upper, e, low, high, work);
}

/* b = clip((v − θ)/e, 0, C); returns Σ b. */
RRM_CLONES static double ww_clip(const double *v, ptrdiff_t k, double C, double e, double theta,
                                 double *b)
{
    double total = 0, inverse = 1 / e;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < (k & ~(ptrdiff_t)7); j++) {
        double t = (v[j] - theta) * inverse;
        t = t < 0 ? 0 : t;
        t = t > C ? C : t;
        b[j] = t;
        total += t;
    }
    return total;
}

static void ww_sift_down(double *heap, ptrdiff_t n, ptrdiff_t at)
{
    double x = heap[at];
    for (ptrdiff_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= x)
            break;
        heap[at] = heap[child];
    }
    heap[at] = x;
}

/* Largest first, in place, O(n log n) whatever the input. */
static void ww_sort_descending(double *a, ptrdiff_t n)
{
    for (ptrdiff_t at = n / 2; at-- > 0;)
        ww_sift_down(a, n, at);
    while (n > 1) {
        double least = a[0];
        a[0] = a[--n];
        a[n] = least;
        ww_sift_down(a, n, 0);
    }
}

/* θ by the paper's algorithm 2 (Walrus): sort v, then sweep the kinks v_j (a class leaves 0) and
 * v_j − C (it reaches C) from above; between two kinks γ = (C n_up + Σ_mid v)/(n_mid + 1) is the only
 * candidate, and the KKT conditions hold once it is not below the next kink. */
static double ww_theta_walrus(const double *v, ptrdiff_t k, double C, double *work)
{
    ptrdiff_t n = 0, entered = 0, saturated = 0;
    double middle = 0;
    for (ptrdiff_t j = 0; j < k; j++)
        if (v[j] > 0)
            work[n++] = v[j];
    ww_sort_descending(work, n);
    for (;;) {
        double enters = entered < n ? work[entered] : 0;
        double saturates = saturated < entered ? work[saturated] - C : 0;
        double next = enters > saturates ? enters : saturates;
        double theta = (C * (double)saturated + middle) / (double)(entered - saturated + 1);
        if (next <= theta || next <= 0)
            return theta;
        if (enters >= saturates)
            middle += work[entered++];
        else
            middle -= work[saturated++];
    }
}

/* b by greedy coordinate ascent from the present b (Shark): the class with the largest KKT
 * violation takes an exact clipped step (curvature 2), until q times the violation falls below the
 * tolerance (the authors': 1e-6) or after 10 k steps. Returns Σ b. */
static double ww_block_shark(const double *v, ptrdiff_t k, double C, double curvature,
                             double tolerance, double *b)
{
    double total = 0;
    for (ptrdiff_t j = 0; j < k; j++)
        total += b[j];
    for (ptrdiff_t step = 0; step < 10 * k; step++) {
        double worst = 0;
        ptrdiff_t chosen = -1;
        for (ptrdiff_t j = 0; j < k; j++) {
            double g = v[j] - b[j] - total;
            double violation = g > 0 ? (b[j] < C ? g : 0) : (b[j] > 0 ? -g : 0);
            if (violation > worst) {
                worst = violation;
                chosen = j;
            }
        }
        if (worst * curvature < tolerance)
            break;
        double old = b[chosen];
        double new = knapsack_clip(old + (v[chosen] - old - total) / 2, 0, C);
        b[chosen] = new;
        total += new - old;
    }
    return total;
}

#endif
