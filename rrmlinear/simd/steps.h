/* Loops over a sum of falling steps,
 *
 *     S(b) = Σ_j c_j (t_j > b ? u_j : l_j) − z,   t_j = target_j − margin_j,   l_j ≤ u_j, c_j ≥ 0.
 *
 * There may be several targets for a margin and its cost: target, lower and upper then hold that many
 * parts of n numbers each. */
#ifndef RRM_STEPS_H
#define RRM_STEPS_H

#include "planes.h"

typedef struct {
    const double *target, *lower, *upper, *margin, *cost;
    ptrdiff_t n, parts;
    double z;
} steps_t;

typedef struct {
    double before, after;  /* S on the left of b and on its right */
    double size;           /* of the terms that S adds up */
    double previous, next; /* the steps beside b */
} steps_at_t;

RRM_CLONES static steps_at_t steps_at(const steps_t *steps, double b)
{
    long_sum_t before = {0, 0}, after = {0, 0};
    double size = 0, previous = -INFINITY, next = INFINITY;
    for (ptrdiff_t k = 0; k < steps->parts * steps->n; k += steps->n)
        for (ptrdiff_t begin = 0; begin < steps->n; begin += PLANE_BLOCK) {
            const double *target = steps->target + k, *cost = steps->cost;
            const double *lower = steps->lower + k, *upper = steps->upper + k;
            ptrdiff_t end = steps->n - begin < PLANE_BLOCK ? steps->n : begin + PLANE_BLOCK;
            double left = 0, right = 0, all = 0, below = -INFINITY, above = INFINITY;
#pragma omp simd reduction(+ : left, right, all) reduction(max : below) reduction(min : above)
            for (ptrdiff_t i = begin; i < end; i++) {
                double t = target[i] - steps->margin[i], c = cost[i];
                double low = c * lower[i], high = c * upper[i];
                double first = t >= b ? high : low, second = t > b ? high : low;
                left += first;
                right += second;
                all += fabs(first) > fabs(second) ? fabs(first) : fabs(second);
                below = (t < b) & (high > low) & (t > below) ? t : below;
                above = (t > b) & (high > low) & (t < above) ? t : above;
            }
            long_add(&before, left);
            long_add(&after, right);
            size += all;
            previous = below > previous ? below : previous;
            next = above < next ? above : next;
        }
    steps_at_t at = {long_total(&before) - steps->z, long_total(&after) - steps->z,
                     size + fabs(steps->z), previous, next};
    return at;
}

/* The values that make S zero: at b itself all take the same share of their step. */
RRM_CLONES static void steps_write(const steps_t *steps, double b, double *out)
{
    steps_at_t at = steps_at(steps, b);
    double share = at.before > at.after ? at.before / (at.before - at.after) : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (ptrdiff_t k = 0; k < steps->parts * steps->n; k += steps->n) {
        const double *target = steps->target + k;
        const double *lower = steps->lower + k, *upper = steps->upper + k;
#pragma omp simd
        for (ptrdiff_t i = 0; i < steps->n; i++) {
            double t = target[i] - steps->margin[i], l = lower[i], u = upper[i];
            double value = t > b ? u : t < b ? l : u - share * (u - l);
            out[i] = k ? out[i] + value : value;
        }
    }
}

#endif
