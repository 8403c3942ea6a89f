/* Moves of one example's duals in several problems at once. */
#ifndef RRM_CLASSES_MOVES_H
#define RRM_CLASSES_MOVES_H

#include <math.h>
#include <stddef.h>

#include "rows.h"

/* Move the duals α to `new` where the cost is positive and the move is above `rounding` times the
 * dual; steps = cost · move, 0 where the dual stays. Returns how many move. */
RRM_CLONES static ptrdiff_t dual_moves(const double *restrict cost, const double *restrict new,
                                       double rounding, double *restrict alpha,
                                       double *restrict steps, ptrdiff_t n)
{
    double moved = 0;
#pragma omp simd reduction(+ : moved)
    for (ptrdiff_t j = 0; j < n; j++) {
        double delta = new[j] - alpha[j];
        int moves = (cost[j] > 0) & (fabs(delta) > rounding * fabs(alpha[j]));
        steps[j] = moves ? cost[j] * delta : 0;
        alpha[j] = moves ? new[j] : alpha[j];
        moved += moves ? 1.0 : 0.0;
    }
    return (ptrdiff_t)moved;
}

#endif
