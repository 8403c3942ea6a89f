/* Newton's method for Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z, of whatever kind its terms are.
 *
 * The left side falls in θ and the right side does not. The one method of projections/roots.pxd
 * stands here because the blocks of k classes inline it, with their evaluation, into clones for each
 * machine: from Cython a block of few classes took 1.1 to 1.3 of the time. */
#ifndef RRM_NEWTON_H
#define RRM_NEWTON_H

#include <math.h>
#include "rows.h"

/* A step below this share of the size of the numbers that θ is compared with is rounding. */
#define NEWTON_ROUNDING 1e-16

typedef struct {
    double excess;             /* the left side minus the right one */
    double derivative;         /* at least 0: the excess falls by it */
    double at_lower, at_upper; /* of the terms at their bounds; monotone in θ, to tell a piece */
    double size;               /* of the numbers that θ is compared with */
} value_t;

typedef struct {
    double low, high; /* the excess is at least 0 at low and at most 0 at high */
} bracket_t;

/* The value of an equation at θ: one pass over its terms. */
typedef value_t (*value_at_t)(const void *terms, double theta);

RRM_INLINE void bracket_narrow(bracket_t *bracket, double theta, double excess)
{
    if (excess > 0)
        bracket->low = theta;
    else
        bracket->high = theta;
}

/* From *theta, kept inside the bracket; returns 0 where it did not end. Along one straight piece a
 * step is exact, so that it ends when a step finds the same terms at their bounds as the last one
 * did. A step that would leave a finite bracket halves it instead. `bracket` is NULL where the excess
 * is convex in θ, as then no step but the first can go too far: to keep a bracket there took blocks of
 * 3 to 26 classes 5 to 15 ns of 50 to 170. */
RRM_INLINE int newton(value_at_t at, const void *terms, bracket_t *bracket, ptrdiff_t steps,
                      double *theta)
{
    double at_lower = NAN, at_upper = 0; /* one of them a NaN, none are the same */
    for (ptrdiff_t step = 0; step < steps; step++) {
        value_t value = at(terms, *theta);
        if ((value.at_lower == at_lower) & (value.at_upper == at_upper))
            return 1;
        if (bracket)
            bracket_narrow(bracket, *theta, value.excess);
        double move = value.excess / value.derivative, next = *theta + move;
        if (fabs(move) <= NEWTON_ROUNDING * value.size) /* also where the excess is 0 */
            return 1;
        int inside = !bracket || ((next >= bracket->low) & (next <= bracket->high));
        if ((value.derivative > 0) & inside) {
            at_lower = value.at_lower;
            at_upper = value.at_upper;
        } else if (value.excess == 0) {
            return 1;
        } else if (bracket && isfinite(bracket->low) && isfinite(bracket->high)) {
            next = bracket->low + (bracket->high - bracket->low) / 2;
            at_lower = NAN;
        } else {
            return 0;
        }
        *theta = next;
    }
    return 0;
}

#endif
