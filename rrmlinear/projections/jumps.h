/* Where a sum of falling steps crosses 0: the weighted median behind the best intercept.
 *
 *     S(b) = Σ_j c_j (t_j > b ? u_j : l_j) − z,   t_j = target_j − margin_j,   l_j ≤ u_j, c_j ≥ 0.
 *
 * There may be several targets for a margin and its cost: target, lower and upper then hold as many
 * parts of n numbers. Linear in the worst case; from a good guess, few passes. */
#ifndef RRM_JUMPS_H
#define RRM_JUMPS_H

#include "plane.h"

enum {
    JUMPS_TRIES = 4,   /* places tried, each farther from the guess, before all steps are sorted out */
    JUMPS_FARTHER = 16 /* times the distance of the try before */
};

/* A sum of this part of what it adds up is rounding. */
#define JUMPS_ROUNDING 1e-15

typedef struct {
    const double *target, *lower, *upper, *margin, *cost;
    ptrdiff_t n, parts;
    double z;
} jumps_t;

typedef struct {
    double before, after;  /* S on the left of b and on its right */
    double size;           /* what they add up */
    double previous, next; /* the steps beside b */
} jumps_at_t;

RRM_CLONES static jumps_at_t jumps_at(const jumps_t *jumps, double b)
{
    long_sum_t before = {0, 0}, after = {0, 0};
    double size = 0, previous = -INFINITY, next = INFINITY;
    for (ptrdiff_t k = 0; k < jumps->parts * jumps->n; k += jumps->n)
        for (ptrdiff_t begin = 0; begin < jumps->n; begin += PLANE_BLOCK) {
            const double *target = jumps->target + k, *cost = jumps->cost;
            const double *lower = jumps->lower + k, *upper = jumps->upper + k;
            ptrdiff_t end = jumps->n - begin < PLANE_BLOCK ? jumps->n : begin + PLANE_BLOCK;
            double left = 0, right = 0, all = 0, below = -INFINITY, above = INFINITY;
#pragma omp simd reduction(+ : left, right, all) reduction(max : below) reduction(min : above)
            for (ptrdiff_t i = begin; i < end; i++) {
                double t = target[i] - jumps->margin[i], c = cost[i];
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
    jumps_at_t at = {long_total(&before) - jumps->z, long_total(&after) - jumps->z,
                     size + fabs(jumps->z), previous, next};
    return at;
}

/* Steps strictly inside (low, high) and how far S falls at each; returns their number. */
static ptrdiff_t jumps_gather(const jumps_t *jumps, double low, double high, double *place,
                              double *fall)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t k = 0; k < jumps->parts * jumps->n; k += jumps->n)
        for (ptrdiff_t i = 0; i < jumps->n; i++) {
            double t = jumps->target[k + i] - jumps->margin[i];
            double f = jumps->cost[i] * (jumps->upper[k + i] - jumps->lower[k + i]);
            place[count] = t;
            fall[count] = f;
            count += (t > low) & (t < high) & (f > 0);
        }
    return count;
}

/* The first of n ≥ 1 steps at or after which S, `start` before all of them, is at most 0. */
static double jumps_cross(double *place, double *fall, ptrdiff_t n, double start, double *scratch)
{
    while (n > 1) {
        memcpy(scratch, place, sizeof(double) * n);
        double pivot = select_rank_by_digits(scratch, n, (n - 1) / 2), below = 0, equal = 0;
        ptrdiff_t kept = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            below += place[j] < pivot ? fall[j] : 0;
            equal += place[j] == pivot ? fall[j] : 0;
        }
        if (start - below > 0 && start - below - equal <= 0)
            return pivot;
        int left = start - below <= 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            double t = place[j], f = fall[j];
            place[kept] = t;
            fall[kept] = f;
            kept += left ? t < pivot : t > pivot;
        }
        if (kept == 0) /* rounding: the sum of all does not reach 0 */
            return pivot;
        start -= left ? 0 : below + equal;
        n = kept;
    }
    return place[0];
}

/* A b with S(b−) ≥ 0 ≥ S(b+), the middle of them where there are many: searched from `guess`, and
 * `move` away from it. `memory` has room for 3 · parts · n numbers. Needs a step that is not 0. */
static double jumps_root(const jumps_t *jumps, double guess, double move, double *memory)
{
    ptrdiff_t room = jumps->parts * jumps->n;
    double low = -INFINITY, high = INFINITY, start = 0, b = guess, rounding;
    jumps_at_t at = jumps_at(jumps, b);
    for (int trial = 1;; trial++) {
        rounding = JUMPS_ROUNDING * at.size;
        if (at.after > rounding) {
            low = b;
            start = at.after;
        } else if (at.before < -rounding) {
            high = b;
        } else
            break;
        if (trial >= JUMPS_TRIES || !(move > 0) || (isfinite(low) && isfinite(high))) {
            if (low == -INFINITY)
                start = jumps_at(jumps, low).after;
            ptrdiff_t count = jumps_gather(jumps, low, high, memory, memory + room);
            b = count ? jumps_cross(memory, memory + room, count, start, memory + 2 * room)
                      : isfinite(low) ? low : high;
            at = jumps_at(jumps, b);
            rounding = JUMPS_ROUNDING * at.size;
            break;
        }
        b += low == b ? move : -move;
        move *= JUMPS_FARTHER;
        at = jumps_at(jumps, b);
    }
    low = at.before <= rounding ? at.previous : b;
    high = at.after >= -rounding ? at.next : b;
    return isfinite(low) && isfinite(high) ? low + (high - low) / 2 : isfinite(low) ? low : high;
}

/* The values that make S zero: at b itself all take the same share of their step. */
RRM_CLONES static void jumps_write(const jumps_t *jumps, double b, double *out)
{
    jumps_at_t at = jumps_at(jumps, b);
    double share = at.before > at.after ? at.before / (at.before - at.after) : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (ptrdiff_t k = 0; k < jumps->parts * jumps->n; k += jumps->n) {
        const double *target = jumps->target + k;
        const double *lower = jumps->lower + k, *upper = jumps->upper + k;
#pragma omp simd
        for (ptrdiff_t i = 0; i < jumps->n; i++) {
            double t = target[i] - jumps->margin[i], l = lower[i], u = upper[i];
            double value = t > b ? u : t < b ? l : u - share * (u - l);
            out[i] = k ? out[i] + value : value;
        }
    }
}

#endif
