/* The Crammer–Singer loss max(0, max_j m_j), smoothed by γ ≥ 0,
 *
 *     φ(m) = max u'm − (γ/2) ‖u‖² over u ≥ 0, Σ u ≤ 1;
 *
 * u_j = max(0, m_j − ρ)/γ for the least level ρ ≥ 0 that leaves Σ u ≤ 1, and φ = ρ + (γ/2) ‖u‖² where
 * ρ > 0. Its block problem, at weight c and curvature q, has the solution
 *
 *     b_j = max(0, v_j − θ)/e,   Σ_j max(0, v_j − θ) = e min(θ, c),   e = 1 + γ/(cq),
 *
 * v = m/q + b⁰ + Σ b⁰. The difference of the two sides is convex and falls in θ, so that from its
 * first step on Newton's method comes from the left and stays there. Everything is kept relative to the
 * largest margin, as margins over small curvatures are many times what b is. */
#ifndef RRM_SIMPLEX_BLOCKS_H
#define RRM_SIMPLEX_BLOCKS_H

#include "class_blocks.h"

enum { SIMPLEX_STEPS = 12 };

/* How far Σ b may leave c by rounding, relative to c. */
#define SIMPLEX_ROUNDING 1e-10

RRM_INLINE double above(double x, double level) { return x > level ? x - level : 0; }

RRM_INLINE double simplex_top(const double *margins, ptrdiff_t k)
{
    double top = -1e300;
#pragma omp simd reduction(max : top)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        top = margins[j] > top ? margins[j] : top;
    return top;
}

typedef struct {
    const double *v;
    ptrdiff_t k;
    double origin, e, shift, c;
} simplex_t;

/* Σ max(0, v_j − origin − θ) = e (θ + shift), or where the shift is infinite the same sum = e c. */
RRM_INLINE value_t simplex_at(const void *terms, double theta)
{
    const simplex_t *block = terms;
    const double *v = block->v;
    const double origin = block->origin, e = block->e;
    const ptrdiff_t k = block->k;
    double totals[8] = {0}, counts[8] = {0};
    BY_EIGHT(j, k) {
        double t = v[j + l] - origin - theta, one = t > 0 ? 1 : 0;
        totals[l] += above(t, 0);
        counts[l] += one;
    }
    double total = sum_of_8(totals), count = sum_of_8(counts);
    int below = block->shift < INFINITY;
    value_t value = {total - (below ? e * (theta + block->shift) : e * block->c),
                     count + (below ? e : 0), count, 0, total};
    return value;
}

/* Its root from a first guess; `top` is the largest v_j − origin. *found is 0 where Newton's method
 * took more than `most` steps. */
RRM_INLINE double simplex_root(const double *v, ptrdiff_t k, double origin, double e, double shift,
                               double c, double top, double theta, ptrdiff_t most, int *found)
{
    simplex_t block = {v, k, origin, e, shift, c};
    double least = top - e * c; /* where the left side is not below the right one */
    theta = theta > least ? theta : least; /* this also takes a NaN for the least */
    *found = newton(simplex_at, &block, NULL, most, &theta);
    return theta;
}

/* max(0, m_j − origin − theta) = γ u_j, and ρ. Without smoothing theta = 0 and origin = ρ, the
 * largest margin, or both are 0. */
typedef struct {
    double origin, theta, rho;
} simplex_level_t;

/* A block near the maximum, where there is one, says which classes to begin with. */
RRM_INLINE simplex_level_t simplex_level(const double *margins, const double *block, double gamma,
                                         ptrdiff_t k)
{
    double top = simplex_top(margins, k), totals[8] = {0}, counts[8] = {0};
    int found;
    if (top <= 0)
        return (simplex_level_t){0, 0, 0};
    if (gamma == 0)
        return (simplex_level_t){top, 0, top};
    if (block)
        BY_EIGHT(j, k) {
            double one = block[j + l] > 0 ? 1 : 0;
            totals[l] += one * (margins[j + l] - top);
            counts[l] += one;
        }
    double theta = (sum_of_8(totals) - gamma) / sum_of_8(counts);
    theta = simplex_root(margins, k, top, 1, INFINITY, gamma, 0, theta, k + 8, &found);
    if (top + theta <= 0)
        return (simplex_level_t){0, 0, 0};
    return (simplex_level_t){top, theta, top + theta};
}

RRM_CLONES static double simplex_value(const double *margins, double gamma, ptrdiff_t k)
{
    simplex_level_t level = simplex_level(margins, NULL, gamma, k);
    double squares[8] = {0};
    if (gamma == 0)
        return level.rho;
    BY_EIGHT(j, k) {
        double t = above(margins[j + l] - level.origin, level.theta);
        squares[l] += t * t;
    }
    return level.rho + sum_of_8(squares) / (2 * gamma);
}

/* u, or without smoothing a subgradient: 1 for one class of the largest positive margin. */
RRM_CLONES static void simplex_derivative(const double *margins, double gamma, ptrdiff_t k,
                                          double *u)
{
    simplex_level_t level = simplex_level(margins, NULL, gamma, k);
    int taken = level.rho <= 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        u[j] = gamma > 0 ? above(margins[j] - level.origin, level.theta) / gamma
                         : !taken && margins[j] == level.rho;
        taken = taken || u[j] > 0;
    }
}

/* −Σ b + γ/(2c) ‖b‖², infinite outside of b ≥ 0, Σ b ≤ c. */
RRM_CLONES static double simplex_conjugate(const double *b, double c, double gamma, ptrdiff_t k)
{
    double totals[8] = {0}, squared[8] = {0}, wrong[8] = {0};
    BY_EIGHT(j, k) {
        double t = b[j + l];
        totals[l] += t;
        squared[l] += t * t;
        wrong[l] = t < wrong[l] ? t : wrong[l];
    }
    double total = sum_of_8(totals), squares = sum_of_8(squared), least = sum_of_8(wrong);
    if (least < 0 || total > c * (1 + SIMPLEX_ROUNDING))
        return INFINITY;
    return (gamma > 0 && squares > 0 ? gamma / (2 * c) * squares : 0) - total;
}

/* c φ(m) + (c φ)*(−b) − Σ b_j (m_j − 1), as a sum of terms of which none is negative:
 * ρ (c − Σ b) + Σ b_j max(0, ρ − m_j) + (cγ/2) ‖u − b/c‖². */
RRM_CLONES static double simplex_gap(const double *margins, const double *b, double c,
                                     double gamma, ptrdiff_t k)
{
    simplex_level_t level = simplex_level(margins, b, gamma, k);
    double totals[8] = {0}, lows[8] = {0}, squares[8] = {0}, below;
    BY_EIGHT(j, k) {
        double t = margins[j + l] - level.origin - level.theta;
        totals[l] += b[j + l];
        lows[l] += b[j + l] * (t < 0 ? -t : 0);
    }
    below = sum_of_8(lows);
    if (gamma > 0 && c > 0) {
        double inverse = 1 / c, inverse_gamma = 1 / gamma;
        BY_EIGHT(j, k) {
            double t = above(margins[j + l] - level.origin, level.theta) * inverse_gamma;
            t -= b[j + l] * inverse;
            squares[l] += t * t;
        }
        below += c * gamma / 2 * sum_of_8(squares);
    }
    return below + level.rho * above(c, sum_of_8(totals));
}

/* The root of Σ max(0, v_j − θ) = e θ + z by a search of bounded work. `scratch` holds 3k numbers. */
typedef double (*simplex_search_t)(const double *v, ptrdiff_t k, double e, double z,
                                   double *scratch);

/* The new block; returns its Σ b. `search` is for where Newton's method takes too many steps; it comes
 * as a function because a way back to the caller costs a block of few classes 1 to 4 ns of 55. */
RRM_CLONES static double simplex_newton(const double *margins, const double *b, double q, double c,
                                        double gamma, ptrdiff_t k, double *new_b, double *work,
                                        simplex_search_t search)
{
    double *v = work, e = gamma > 0 ? 1 + gamma / (c * q) : 1, inverse = 1 / q;
    double largest = simplex_top(margins, k), top;
    double olds[8] = {0}, totals[8] = {0}, counts[8] = {0}, at_cs[8] = {0}, news[8] = {0};
    int found;
    BY_EIGHT(j, k) {
        double t = b[j + l], u = (margins[j + l] - largest) * inverse + t;
        double kept = t > 0 ? u : 0, one = t > 0 ? 1 : 0;
        v[j + l] = u;
        olds[l] += t;
        totals[l] += kept;
        counts[l] += one;
    }
    top = simplex_top(v, k);
    /* θ counts from here; it is first guessed as though the same classes stayed in the block */
    double shift = largest * inverse + sum_of_8(olds);
    /* Whether Σ b < c is asked of the sums at θ + shift = c: both are sums of like terms, while
     * θ + shift may be the small difference of large numbers. */
    BY_EIGHT(j, k)
        at_cs[l] += above(v[j + l], c - shift);
    int below = sum_of_8(at_cs) < e * c;
    double total = sum_of_8(totals), n = sum_of_8(counts);
    double theta = below ? (total - e * shift) / (n + e) : (total - e * c) / n;
    theta = simplex_root(v, k, 0, e, below ? shift : INFINITY, c, top, theta, SIMPLEX_STEPS,
                         &found);
    if (!found)
        theta = search(v, k, below ? e : 0, e * (below ? shift : c), work + k);
    BY_EIGHT(j, k) {
        double t = above(v[j + l], theta);
        new_b[j + l] = t;
        news[l] += t;
    }
    total = sum_of_8(news);
    /* At the bound Σ b = c is what counts, and a class alone there has c to the bit. */
    int at_bound = !below || total > e * c;
    double scale = at_bound ? c / total : 1 / e;
#pragma omp simd
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        new_b[j] = at_bound && new_b[j] >= total ? c : new_b[j] * scale;
    return at_bound ? c : total * scale;
}

#endif
