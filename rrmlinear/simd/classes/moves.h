/* Moves of one example's duals in several problems at once. */
#ifndef RRM_CLASSES_MOVES_H
#define RRM_CLASSES_MOVES_H

#include <math.h>
#include <stddef.h>

#include "rows.h"

/* Move the duals α to `new` where the cost is positive and the move is above `rounding` times the
 * dual; steps = cost · move, 0 where the dual stays. Returns whether any moves. */
RRM_CLONES static int dual_moves(const double *restrict cost, const double *restrict new,
                                       double rounding, double *restrict alpha,
                                       double *restrict steps, ptrdiff_t n)
{
    double most = 0;
#pragma omp simd reduction(max : most)
    for (ptrdiff_t j = 0; j < n; j++) {
        double delta = new[j] - alpha[j];
        int moves = (cost[j] > 0) & (fabs(delta) > rounding * fabs(alpha[j]));
        steps[j] = moves ? cost[j] * delta : 0;
        alpha[j] = moves ? new[j] : alpha[j];
        most = fabs(steps[j]) > most ? fabs(steps[j]) : most;
    }
    return most > 0;
}

#endif
